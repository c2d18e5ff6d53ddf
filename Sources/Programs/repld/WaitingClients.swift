// Programs that wait at the service manager's socket when the daemon cannot start. Were they left there, the
// socket unit would start the service again at once, for as long as they wait, and they would learn nothing:
// so each is told why, in the form of the API, and its connection closed.

import ControlAPI
import Glibc

enum WaitingClients {
    /// More than the backlog of our socket units.
    private static let clientsMax = 1_024
    /// How long all of them are waited for together, and one that says nothing, or does not hang up.
    private static let allMilliseconds: Int64 = 5_000
    private static let oneMilliseconds: Int64 = 1_000

    /// Answers 503 `cannot-start` to all that are connected by now. The sockets stay the manager's.
    static func refuse(at sockets: [PassedSocket], because reason: String) {
        let error = APIError(
            503, "cannot-start", "repld cannot start: \(reason)",
            hint: "mend that, then: systemctl restart repld (systemctl --user for a user's own)")
        let head = """
            HTTP/1.1 503 Service Unavailable\r
            Content-Type: application/json\r
            Content-Length: \(error.json.count)\r
            Connection: close\r
            \r

            """
        let answer = Array(head.utf8) + error.json
        let end = milliseconds() + allMilliseconds
        for socket in sockets {
            for _ in 0..<clientsMax {
                guard isReadable(socket.descriptor, within: 0) else { break }
                let client = accept(socket.descriptor, nil, nil)
                guard client >= 0 else { break }
                tell(client, answer, until: end)
                close(client)
            }
        }
    }

    /// Reads the request, answers, and reads until the program hangs up: a connection that is closed before
    /// its request was read whole takes the answer with it.
    private static func tell(_ client: Int32, _ answer: [UInt8], until end: Int64) {
        let end = min(end, milliseconds() + oneMilliseconds)
        let endOfHead = Array("\r\n\r\n".utf8)
        var head: [UInt8] = []
        while head.firstRange(of: endOfHead) == nil, let part = receive(from: client, until: end) {
            head = head.suffix(endOfHead.count - 1) + part
        }
        _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        shutdown(client, Int32(SHUT_WR))
        while receive(from: client, until: end) != nil {}
    }

    /// Nil when the program hung up, or was silent for too long.
    private static func receive(from client: Int32, until end: Int64) -> [UInt8]? {
        let left = end - milliseconds()
        guard left > 0, isReadable(client, within: Int32(left)) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) == 1
    }

    /// Monotonic.
    private static func milliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }
}
