// Invite tokens that cannot be used: the answer says which of the ways it is.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct TokenTests {
        private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")

        /// The token with its version byte (the first bits after the prefix) set to another.
        private func withVersion2(_ token: String) -> String {
            // Version 1 is "ae…": 00000 001. Version 2 is "ai…": 00000 010, the rest of the letter kept.
            var letters = Array(token)
            let second = Self.alphabet.firstIndex(of: letters[7]) ?? 0
            letters[7] = Self.alphabet[(second & 0b11) | 0b01000]
            return String(letters)
        }

        private func expect(_ api: ControlClient, _ token: String, _ statuses: [Int], _ words: [String])
            throws
        {
            let answer = try api.tryJoin(token)
            let error = try answer.lines().last?["error"] ?? .null
            let text = "\(error["code"].string ?? "") \(error["message"].string ?? "")"
            // What fails after the first line is told in the last one.
            #expect(statuses.contains(answer.status) || answer.status == 200, "\(answer)")
            #expect(words.contains { text.contains($0) }, "\(words) expected: \(answer)")
            #expect(error["hint"].string?.isEmpty == false, "\(answer)")
            #expect(try api.json("/v1/spaces")["spaces"] == [], "a refused joiner has no space")
        }

        @Test("a mistyped token, and one of another version, are told without a network")
        func mistyped() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                let token = try a.api.token("s")
                try a.stop()
                let letter: Character = token[token.index(token.startIndex, offsetBy: 30)] == "a" ? "b" : "a"
                var letters = Array(token)
                letters[30] = letter
                let wrong = [
                    String(letters), String(token.dropLast(2)), token + "aa", "repl1-", "", "hello",
                    "repl2-aaaa",
                ]
                for text in wrong { try expect(b.api, text, [422], ["invalid-token"]) }
                try expect(b.api, withVersion2(token), [422], ["invalid-token"])
            }
        }

        @Test("an expired, a spent and a revoked token are told apart")
        func refused() throws {
            try DaemonWorld.run { world in
                let (a, b, c) = (try world.started("a"), try world.started("b"), try world.started("c"))
                try a.api.createSpace("s")
                let expiring = try a.api.token("s", expiresSeconds: 1)
                let spent = try a.api.token("s")
                try b.api.join(spent)
                // The same device gets the same answer again.
                let again = try b.api.tryJoin(spent)
                let answered = try again.lines().last ?? .null
                #expect(again.status == 409 || answered.has("space"), "\(again)")
                try expect(c.api, spent, [410], ["invite-spent"])
                let revoked = try a.api.invite("s")
                let id = try #require(revoked["id"].string)
                #expect(try a.api.request("DELETE", "/v1/spaces/s/invites/\(id)").status == 200)
                try expect(c.api, try #require(revoked["token"].string), [410], ["invite-revoked"])
                let deadline = Date(timeIntervalSinceNow: 2)
                try eventually("the invite to expire", within: 5) { Date() > deadline }
                try expect(c.api, expiring, [410], ["invite-expired"])
            }
        }

        @Test(
            "a token of nodes that do not know it, and of nodes that are away, are told; an inviter that comes back is found"
        )
        func foreign() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                let token = try a.api.token("s")
                // Another node answers at the address that the token names.
                try a.stop()
                let impostor = try world.daemon("impostor")
                try impostor.launch([
                    "--state", impostor.state, "--socket", impostor.socket, "--listen", a.address,
                    "--no-discovery",
                ])
                try eventually("the impostor to answer", within: 20) {
                    (try? impostor.api.get("/v1/status")) != nil
                }
                try impostor.api.createSpace("other")
                try expect(b.api, token, [422, 503], ["invite-foreign", "no-inviter-reached"])
                impostor.crash()
                // Nobody is there: the joiner goes on trying, and is in soon after the inviter is back.
                let (isIn, joiner) = (Shared(false), b.api)
                let joining = Workers([0]) { _ in
                    try joiner.join(token)
                    isIn.change { $0 = true }
                }
                usleep(3_000_000)
                #expect(!isIn.value)
                try a.start()
                try joining.finish(within: 30)
                #expect(isIn.value)
            }
        }
    }
}
