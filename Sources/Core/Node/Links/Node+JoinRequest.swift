// A request to join: its token is read, connections are begun, and on each the invite is proved.

import Causality
import Crypto
import Mesh
import Roster
import SecureLink
import Wire

extension Node {
    /// The handshake is complete: the other side holds the invite too. Prove that we are who we say.
    mutating func proveInvite(
        _ connection: ConnectionHandle, _ link: EstablishedLink, _ request: RequestID, at now: Instant
    ) {
        guard let token = joins[request]?.token,
            let name = DeviceName(configuration.settings.deviceName)
        else {
            return close(connection, .done, "the request was cancelled", at: now)
        }
        if link.peer.device == device {
            return close(connection, .ownDevice, "this is the dialling device itself", at: now)
        }
        let joining = Joining(token: token, device: device, boxKey: configuration.box)
        let proof = joining.proof(
            name: name, addresses: reachability.advertisedAddresses, handshakeHash: link.handshakeHash,
            by: configuration.device)
        links[connection].phase = .joining
        perform(joins.prove(request, with: joining), at: now)
        send([LinkFrame(JoinProofFrame(body: proof.encoded()), on: 0)], on: connection)
    }

    mutating func join(_ id: RequestID, token text: String, name: String?, at now: Instant) throws(NodeError)
    {
        let token: InviteToken
        do throws(InviteTokenFault) {
            token = try InviteToken(text)
        } catch {
            throw .tokenInvalid(error)
        }
        if links.isStopping { throw .stopping }
        // Who is out is let in again, with what it has.
        if let index = spaces.handle(of: token.space), spaces[index].roster.role(of: device) != nil {
            throw .alreadyMember(token.space)
        }
        if token.isExpired(at: now) {
            throw .inviteExpired(at: token.expirySeconds, now: now.wall / 1_000)
        }
        let held = spaces.handle(of: token.space).map { spaces[$0].name }
        if let name, name != held { try checkName(name) }
        guard held != nil || spaces.count + joins.count < NodeLimits.spacesMax else {
            throw .tooMany(what: "spaces", limit: NodeLimits.spacesMax)
        }
        guard joins.count < JoinAttempt.attemptsMax else {
            throw .tooMany(what: "joins", limit: JoinAttempt.attemptsMax)
        }
        var addresses: [PeerAddress] = []
        for address in token.hints + configuration.settings.staticPeers.compactMap({ PeerAddress($0) })
        where !addresses.contains(address) && !address.isUnspecified { addresses.append(address) }
        perform(
            joins.begin(id, token, name: name, addresses: addresses, neighbourhood(at: now), at: now),
            at: now)
    }

    /// The program went away.
    mutating func cancelJoin(_ id: RequestID) { joins.end(id) }
}
