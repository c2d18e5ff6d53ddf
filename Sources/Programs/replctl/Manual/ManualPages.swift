// What the manual pages say beside what is generated.

extension ManualPage {
    static let repld = ManualPage(
        "repld", 8, "keep documents the same on a mesh of boxes",
        related: [("replctl", 1), ("replsim", 1), ("repld.toml", 5)],
        closing: [
            (
                "FILES",
                """
                /etc/repld/repld.toml: the settings, if it is there; see repld.toml(5).
                /var/lib/repld, ~/.local/state/repld: the state directory of root and of a user. It holds \
                the database and the device key. One repld at a time may use it.
                /run/repld/control.sock, $XDG_RUNTIME_DIR/repld/control.sock: the control socket of the \
                service and of a user, mode 0660, group repld.
                """
            ),
            (
                "SIGNALS",
                """
                SIGTERM and SIGINT end it within 5 seconds, with exit code 0.
                SIGHUP has it read the settings again, as replctl reload does.
                """
            ),
            (
                "EXIT STATUS",
                """
                0: it was asked to end.
                1: it could not go on; the message says what it needs. A new start may help.
                64: a flag is wrong.
                78: a setting, the key or the state directory cannot be used; a new start does not mend it.
                """
            ),
            (
                "EXAMPLES",
                """
                A daemon of one's own, with a first space:
                  repld --state ~/.local/share/repld --name laptop &
                  replctl space create notes
                """
            ),
        ])

    static let replctl = ManualPage(
        "replctl", 1, "read and write the documents of repld, look after its spaces",
        related: [("replsim", 1), ("repld.toml", 5), ("repld", 8)],
        closing: [
            (
                "ENVIRONMENT",
                """
                REPL_SOCKET: the control socket of the daemon, before any other place.
                XDG_RUNTIME_DIR: where the socket of a user's own daemon is.
                NO_COLOR: when it is set, nothing is coloured.
                VISUAL, EDITOR: the editor of the verb edit.
                """
            ),
            (
                "EXIT STATUS",
                """
                0: done.
                1: failed; also when nothing changed and --must-exist was given.
                2: the daemon was not reached.
                3: bad input.
                4: refused.
                5: timed out.
                """
            ),
        ])

    static let replsim = ManualPage(
        "replsim", 1, "simulate a mesh of repld nodes under faults",
        related: [("replctl", 1), ("repld", 8)],
        closing: [
            (
                "EXIT STATUS",
                """
                0: all runs ended as they must.
                Anything else: a run failed, and its seed was printed, or an argument is wrong.
                """
            )
        ])

    static let notes = ManualPage(
        "notes", 1, "notes in a space of repld",
        related: [("replctl", 1), ("repld", 8)],
        closing: [
            (
                "ENVIRONMENT",
                """
                NOTES_SPACE: the space that holds the notes, where --space does not name one.
                REPL_SOCKET: the control socket of the daemon, before any other place.
                XDG_RUNTIME_DIR: where the socket of a user's own daemon is.
                VISUAL, EDITOR: the editor of the verb edit.
                """
            ),
            (
                "EXIT STATUS",
                """
                0: done.
                1: failed.
                2: the daemon was not reached.
                3: bad input.
                4: refused; somebody else changed the same place of a text.
                5: timed out.
                """
            ),
        ])

    static let repldToml = ManualPage(
        "repld.toml", 5, "settings of repld",
        related: [("replctl", 1), ("repld", 8)],
        closing: [
            (
                "FILES",
                "/etc/repld/repld.toml: read at the start if it is there, unless --config names another."
            )
        ])
}
