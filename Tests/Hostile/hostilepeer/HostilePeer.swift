// A member of a space whose device is in wrong hands, for the tests of real daemons: it joins with a token as
// anybody does, and then does on command, on links that stand, what no honest node would. It is a tool of the
// tests and never installed. It dials 127.0.0.1 only.
//
//     hostilepeer PORT TOKEN SEED [LINK-PORT,…]     then lines on stdin: ATTACK COUNT
//
// LINK-PORT is the node that it is linked to, where that is not the one that let it in; of several, attacks
// on all of them take the others too. Each line is answered by one. That begins with `done N`, where N is how
// often it happened on a link that the node had taken; with `failed` when the attack could not be carried
// out; with `failed: broken` when the node broke its word.

import Glibc

@main
enum HostilePeer {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let words = CommandLine.arguments
        let linkPorts = (words.count == 5 ? words[4] : words.count > 1 ? words[1] : "").split(separator: ",")
            .compactMap { UInt16($0) }
        guard (4...5).contains(words.count), let port = UInt16(words[1]), let seed = UInt64(words[3]),
            let linkPort = linkPorts.first
        else {
            say("failed: hostilepeer PORT TOKEN SEED [LINK-PORT,…]")
            exit(2)
        }
        do {
            var member = try Member(port: port, token: words[2], seed: seed)
            (member.port, member.ports) = (linkPort, linkPorts)
            say("done joined")
            while let line = readLine() {
                let parts = line.split(separator: " ")
                guard let attack = parts.first, parts.count == 2, let count = Int(parts[1]) else {
                    say("failed: ATTACK COUNT")
                    continue
                }
                do {
                    say("done " + (try member.perform(String(attack), count)))
                } catch {
                    say("failed: \(error)")
                }
            }
        } catch {
            say("failed: \(error)")
            exit(1)
        }
    }

    /// One line, at once.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}

/// Why an attack could not be carried out, or what came of it that must not.
enum HostileFailure: Error {
    case system(String, Int32)
    case refused(String)
    /// The node did what it promises never to do.
    case broken(String)
    case unknownAttack(String)
}
