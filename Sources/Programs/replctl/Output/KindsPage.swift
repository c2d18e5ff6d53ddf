// `replctl help kinds`: which kind a slot should be of. Sources/Docs/KINDS.md says the same, with an example
// of each that a test runs.

enum KindsPage {
    static let text = """
        CHOOSING A KIND

        Each place in a document is of one kind. The kind decides what two boxes see when both wrote before
        they heard of each other.

          kind             holds                made by                     two boxes write at once
          register         any JSON scalar      set k=v p=VALUE             the later shows, the other stays
                                                                            listed in `conflicts`
          text             a string             set k=v --text p=VALUE      both edits are in it
          counter          an integer           incr, set --counter p=N     all increments add up
          set              distinct scalars     add, set --set p=[…]        an add wins over a removal
          remove-wins-set  distinct scalars     make p remove-wins-set      a removal wins over an add
          list             anything, in order   append, set p=[…]           both elements are there; a moved
                                                                            element is never doubled
          ordered-set      distinct scalars,    make p ordered-set          both are there, each once
                           in order
          map              keys                 set p.k=v, set p={…}        each key on its own

        Which one?
          A title, a date, a flag, a reference     register: one of the values shall stand, whole
          Notes that people type into              text
          How many, summed over boxes              counter: `set n=5` would lose increments
          Tags, members, permissions               set; remove-wins-set where a removal must not be undone
          A shopping list, steps, paragraphs       list
          An order of ids, such as columns         ordered-set

        `replctl get SPACE KEY --typed` shows of what kind each place is. A string set without --text is a
        register: `edit` replaces it as a whole.

        Examples:
          replctl set household note/1 --text body=@note.txt
          replctl set household stats/2026 --counter visits=0
          replctl add household note/1 tags work urgent
          replctl append household note/1 items milk bread

        """
}
