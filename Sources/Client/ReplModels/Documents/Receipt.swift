// The answer to a transaction: its change, its version, and whether others hold it.

import Bytes
import JSON
import ReplClient

/// The answer to a transaction: on this box's disk when it is there.
public struct Receipt: Sendable {
    let connection: SpaceConnection
    /// Nil where nothing changed.
    public let change: String?
    /// The state with this write in it, for other boxes of the space; nil where nothing was sent.
    public let version: String?

    /// A device that was waited for.
    public struct Holder: Hashable, Sendable {
        public let device: String
        public let name: String
        /// On its disk.
        public let isHeld: Bool
    }

    init(connection: SpaceConnection, change: String?, version: String?) {
        (self.connection, self.change, self.version) = (connection, change, version)
    }

    init(connection: SpaceConnection, answer: PlainValue) {
        self.init(connection: connection, change: answer.string("change"), version: answer.string("version"))
    }

    /// Waits until devices hold the change on their disks; empty `members`: all active ones. Gives who does,
    /// also when the time ran out. At once and empty where there is no change.
    public func wait(on members: [String] = [], seconds: Int64 = 60) async throws -> [Holder] {
        guard let change else { return [] }
        var request = connection.request(
            "GET", ["wait"],
            query: [("change", change), ("on", members.isEmpty ? nil : members.joined(separator: ","))]
                + [("timeoutSeconds", String(seconds))])
        request.timeoutSeconds = ClientRequest.timeoutSeconds(waiting: seconds)
        let sent = request
        do {
            let answer = try await Retry(patience: connection.patience).run {
                try await self.connection.client.call(sent)
            }
            return Self.holders(try answer.json())
        } catch ClientError.refused(let refusal, let body) where refusal.status == 408 {
            return Self.holders(try ClientAnswer.json(body))
        }
    }

    /// 408 has them too, in its error or beside it.
    private static func holders(_ answer: PlainValue) -> [Holder] {
        let holders = answer["on"] ?? answer["error"]?["on"] ?? .array([])
        return holders.elements.map {
            Holder(
                device: $0.string("device") ?? "", name: $0.string("name") ?? "",
                isHeld: $0["held"] == .scalar(.bool(true)))
        }
    }
}
