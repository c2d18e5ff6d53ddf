// Rosters on their way out. A roster may have many megabytes and a link may be slow, so what a peer lacks
// goes out in pieces, and the next ones follow when the connection has written those before. What waits is a
// list of places in the roster, not bytes.

import Causality
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// The roster grew: sends what the peer of a channel is not known to have.
    mutating func advanceRoster(_ place: ChannelPlace, at now: Instant) {
        let roster = spaces[place.space].roster
        guard links[place.channel].roster.advance(to: roster, upTo: lastShown(place)) else { return }
        pour(place, at: now)
    }

    /// Sends what a channel is to be sent, as far as its connection takes it.
    mutating func pour(_ place: ChannelPlace, at now: Instant) {
        let connection = links[place.link].connection
        while links[connection].pour.isOpen {
            let piece = links[place.channel].roster.next(from: spaces[place.space].roster)
            if piece.isEmpty { break }
            let frame = LinkFrame(RosterOperationsFrame(operations: piece), on: place.number)
            send([frame], on: place.link)
            note(frame.body.count, pouredOn: connection)
        }
        if !links[place.channel].roster.isPouring { dismissIfGone(place, at: now) }
    }

    /// The same of an answer to a joiner.
    mutating func pourAnswer(_ connection: ConnectionHandle) {
        guard let space = links[connection].pour.space, let index = spaces.handle(of: space) else { return }
        let roster = spaces[index].roster
        while links[connection].pour.isOpen {
            let count = roster.pieceLength(of: links[connection].pour.answer)
            if count == 0 { return }
            let piece = links[connection].pour.answer.prefix(count).map { roster.bytes(at: $0) }
            links[connection].pour.answer = links[connection].pour.answer.dropFirst(count)
            let isLast = links[connection].pour.answer.isEmpty
            let frame = JoinAnswerFrame(body: JoinAnswerPart.encode(piece, isLast: isLast))
            let encoded = LinkFrame(frame, on: 0)
            send([encoded], on: connection)
            note(encoded.body.count, pouredOn: connection)
        }
    }

    /// Proofs of forks that the peer of a channel is to be sent, as far as its connection takes them. `asks`:
    /// for the branches of logs of this device too.
    mutating func pourProofs(_ place: ChannelPlace, asks: Bool = true) throws(StoreFailure) {
        let connection = links[place.link].connection
        while links[connection].pour.isOpen, let replica = links[place.channel].forks.nextProof() {
            guard let proof = try currentProof(of: replica, in: place.space),
                let frame = proofFrame(proof, place)
            else { continue }
            // What was asked before the peer knew that the log is closed it dropped.
            let ask = !asks ? nil : askForBranch(replica, on: place.number, in: place.space)
            send([frame] + (ask.map { [$0] } ?? []), on: place.link)
            note(frame.body.count, pouredOn: connection)
        }
    }

    /// Of a double the proof of the log that it was issued again from, which may have been lengthened since.
    private func currentProof(of replica: ReplicaID, in index: SpaceHandle) throws(StoreFailure)
        -> ForkProof?
    {
        let space = spaces[index].id
        guard let record = try store.fork(space, replica), let known = proof(record, in: index) else {
            return nil
        }
        if known.replica == replica { return known }
        return try store.fork(space, known.replica).flatMap { proof($0, in: index) } ?? known
    }

    /// The shell is asked once.
    mutating func note(_ bytes: Int, pouredOn connection: ConnectionHandle) {
        let wasOpen = links[connection].pour.isOpen
        guard links[connection].pour.add(bytes), wasOpen else { return }
        batch.emit(.tellWritten(links[connection].id))
    }
}

/// What is poured on a connection: so much at once, then not before it was written.
struct Pour: Sendable {
    /// The answer to a joiner, as far as it was not sent, and of which roster.
    var answer: ArraySlice<RosterPlace> = []
    var space: SpaceID?
    private var bytes = 0
    private(set) var isOpen = true

    /// True when it is full now, and the shell is to tell when it was written.
    mutating func add(_ count: Int) -> Bool {
        bytes += count
        isOpen = bytes < ReplicationLimits.pourBytesMax
        return !isOpen
    }

    mutating func reopen() { (bytes, isOpen) = (0, true) }
}
