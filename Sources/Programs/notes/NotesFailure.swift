// How a verb ends that did not do what it was asked, with replctl's exit codes; and where words go.

import Bytes
import Glibc
import ReplModels

struct NotesFailure: Error {
    enum Code: Int32 {
        case failed = 1
        case unreachable = 2
        case badInput = 3
        case refused = 4
        case timedOut = 5
    }

    let code: Code
    let message: String
    let hint: String

    init(_ code: Code, _ message: String, hint: String) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    init(_ error: ClientError) {
        var hint = error.hint
        let code: Code
        switch error {
        case .unreachable: code = .unreachable
        case .timedOut: code = .timedOut
        case .cut, .malformed: code = .failed
        case .refused(let refusal, _):
            switch refusal.status {
            case 408, 504: code = .timedOut
            case 400, 405, 413, 415, 422: code = .badInput
            case 403, 409, 410, 412, 429: code = .refused
            default: code = .failed
            }
            if refusal.code == "no-such-space" {
                hint =
                    "replctl space create notes makes one, replctl join joins one; --space names another"
            }
        }
        self.init(code, error.message, hint: hint)
    }

    func tell() -> Never {
        Output.write("notes: \(ShownText.lines(message))\n", to: STDERR_FILENO)
        if !hint.isEmpty { Output.write("  \(hint)\n", to: STDERR_FILENO) }
        Glibc.exit(code.rawValue)
    }
}

enum Output {
    /// False: whoever read it has enough.
    @discardableResult
    static func write(_ text: String, to descriptor: CInt = STDOUT_FILENO) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return false
            }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    static func line(_ text: String) throws { guard write(text + "\n") else { throw CancellationError() } }
}
