// The editor of a document: a control for each kind of place, all of them alive while others write. A place
// is kept as long as it is of its kind, so that a change of somebody else takes neither focus nor what is
// being typed. What others touch is marked in their colour.

import { field, h, select } from "./dom.js";
import { ask, confirm } from "./dialogs.js";
import { dotted } from "./words.js";
import { CounterSlot, RegisterSlot, ScalarSetSlot, UnknownSlot } from "./slots.js";
import { ListSlot, MapSlot, OrderedSetSlot } from "./containers.js";
import { TextSlot } from "./text.js";

const slots = {
  "register": RegisterSlot,
  "counter": CounterSlot,
  "text": TextSlot,
  "map": MapSlot,
  "list": ListSlot,
  "set": ScalarSetSlot,
  "remove-wins-set": ScalarSetSlot,
  "ordered-set": OrderedSetSlot,
};

const kindHelp = {
  "register": "one value; the later write shows, the other stays as a conflict",
  "text": "both edits are in it",
  "counter": "all additions add up",
  "set": "an add wins over a removal",
  "remove-wins-set": "a removal wins over an add",
  "list": "anything, in order",
  "ordered-set": "distinct values, in order",
  "map": "each key on its own",
};

export class Editor {
  /** `open` is an OpenDocument. */
  constructor(open, { isReadOnly }) {
    this.open = open;
    this.isReadOnly = isReadOnly;
    this.root = null;
    this.element = h("fieldset", { class: "editor", disabled: isReadOnly },
      h("legend", { class: "hidden" }, `Document ${open.key}`));
  }

  /** Shows a state of the document. */
  update(document) {
    if (!this.root?.takes(document.value)) {
      this.root?.element.remove();
      this.root = this.make(document.value, [], null);
      this.element.append(this.root.element);
    }
    this.root.update(document.value);
  }

  /** Sends what was typed and is not sent yet. */
  leave() { this.root?.leave(); }

  /** The control for a place. */
  make(value, path, label) {
    return new(slots[value.kind] ?? UnknownSlot)(this, value, path, label);
  }

  /** Shows who touched these places; paths are those of patches, with numbers for elements. */
  mark(patches, author) {
    for (const patch of patches) this.root?.at(patch.path)?.touch(author);
  }

  /** What can be done with a place as a whole. */
  async menu(slot) {
    const kinds = {
      register: ["text", "counter", "set", "list", "ordered-set"],
      list: ["set", "ordered-set"],
      set: ["list", "ordered-set"],
      "ordered-set": ["list", "set"],
      text: [],
      counter: []
    } [slot.kind] ?? [];
    const path = dotted(slot.path.map((step, index) => typeof step === "object" ? slot.indexOf(index) ??
      step : step));
    const chosen = { value: null };
    const answer = await ask(`Place ${path || "(the document)"}`, [
      h("p", {}, h("span", { class: "kind" }, slot.kind), " ", kindHelp[slot.kind] ?? ""),
      kinds.length === 0 || this.isReadOnly ? null : field("Give it another kind, with its value",
        select([
          ["", "as it is"], ...kinds.map((kind) => [kind, `${kind}: ${kindHelp[kind]}`])
        ], "", { onchange: (event) => { chosen.value = event.target.value; } })),
    ], [
      { label: "Close", value: "", cancels: true },
      ...(this.isReadOnly ? [] : [{ label: "Delete this place", value: "delete", tone: "danger" }]),
      ...(kinds.length === 0 || this.isReadOnly ? [] : [{ label: "Change the kind",
        value: "convert" }]),
    ]);
    if (answer === "delete") await this.remove(slot, path);
    if (answer === "convert" && chosen.value &&
      await confirm("Change the kind?", [`${path} becomes a ${chosen.value} with the value that it has.`,
          "If another box does so at the same time, one of the two may show, and the other is a conflict."
        ],
        "Change the kind")) {
      await this.open.attempt({ op: "convert", path: slot.path, kind: chosen.value });
    }
  }

  async remove(slot, path) {
    if (await confirm(`Delete ${path}?`, [
        "It goes on all boxes. An edit that somebody makes at the same time wins, " +
        "and what it touches stays."
      ], "Delete")) {
      await this.open.attempt({ op: "delete", path: slot.path });
    }
  }
}
