// Single keys of a terminal, without the wait for the end of a line. The terminal is as it was afterwards.

import Glibc

/// Reads keys from a terminal until it is restored.
struct KeyPresses {
    private let descriptor: CInt
    private let before: termios

    /// Nil where no terminal is.
    init?(_ descriptor: CInt) {
        var modes = termios()
        guard isatty(descriptor) == 1, tcgetattr(descriptor, &modes) == 0 else { return nil }
        self.descriptor = descriptor
        before = modes
        // Ctrl-C comes as a key too: whoever presses it leaves, and the terminal is restored.
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        guard tcsetattr(descriptor, TCSANOW, &modes) == 0 else { return nil }
    }

    /// True when somebody wants to leave (q, Ctrl-C, Ctrl-D, or the terminal is gone) within this time.
    func wantsToLeave(within milliseconds: Int32) -> Bool {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { return false }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(left.rounded(.up))) > 0 else { continue }
            var key: UInt8 = 0
            let count = read(descriptor, &key, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 || [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4].contains(key) { return true }
        }
    }

    func restore() {
        var modes = before
        tcsetattr(descriptor, TCSANOW, &modes)
    }
}
