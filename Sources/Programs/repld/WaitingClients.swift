// Programs that wait at the service manager's socket when the daemon cannot start. Were they left there, the
// socket unit would start the service again at once, for as long as they wait, and they would learn nothing:
// so each is told why, in the form of the API, and its connection closed.

import ControlAPI
import Glibc

enum WaitingClients {
    /// More than the backlog of our socket units.
    private static let clientsMax = 1_024
    /// What a program has asked may be on its way still; closed before it is read, the answer would be lost.
    private static let requestMilliseconds: Int32 = 100

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
        for socket in sockets {
            for _ in 0..<clientsMax {
                guard isReadable(socket.descriptor, within: 0) else { break }
                let client = accept(socket.descriptor, nil, nil)
                guard client >= 0 else { break }
                tell(client, answer)
                close(client)
            }
        }
    }

    private static func tell(_ client: Int32, _ answer: [UInt8]) {
        var request = [UInt8](repeating: 0, count: 65_536)
        if isReadable(client, within: requestMilliseconds) {
            _ = recv(client, &request, request.count, Int32(MSG_DONTWAIT))
        }
        _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        shutdown(client, Int32(SHUT_WR))
    }

    private static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) == 1
    }
}
