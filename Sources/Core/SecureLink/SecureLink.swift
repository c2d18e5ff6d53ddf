// Bytes <-> frames of one connection (DESIGN 8): Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b, certificates,
// records, rekeying, PING and CLOSE. A value without a socket or a clock: the caller brings what arrived and
// when, and does what the outputs say. Until the handshake is complete every fault is answered by silence, so
// that who has no key of ours learns nothing, not even what listens here.

import Bytes
public import Causality
public import Crypto

/// One connection, from its first byte to its last.
public struct SecureLink: Sendable {
    private enum Stage: Sendable {
        /// Until `deadline`, monotonic ms.
        case handshaking(LinkHandshake, deadline: UInt64)
        case established(LinkSession)
        case closed(LinkEnd)
    }

    public let role: LinkRole
    private var stage: Stage

    /// We dialled, to open a link under `candidate`. `ephemeral` is 32 fresh secret bytes for this link
    /// alone. Call `start` next.
    public init(
        initiating candidate: PSKCandidate, identity: LinkIdentity, ephemeral: Secret, at now: Instant
    ) {
        role = .initiator
        stage = .handshaking(
            LinkHandshake(initiating: candidate, identity: identity, ephemeral: ephemeral),
            deadline: now.monotonic + SecureLinkLimits.handshakeMilliseconds)
    }

    /// Somebody dialled us. `candidates` are all keys under which we would talk: of every space its current
    /// epoch and four before, and of invites those that may be asked for (also spent ones, to say so on the
    /// link).
    public init(
        responding candidates: [PSKCandidate], identity: LinkIdentity, ephemeral: Secret, at now: Instant
    ) {
        role = .responder
        stage = .handshaking(
            LinkHandshake(responding: candidates, identity: identity, ephemeral: ephemeral),
            deadline: now.monotonic + SecureLinkLimits.handshakeMilliseconds)
    }

    // MARK: What happens

    /// The connection is open. Gives the initiator's first bytes.
    public mutating func start() -> [LinkOutput] {
        guard case .handshaking(var handshake, let deadline) = stage else { return [] }
        do throws(LinkFault) {
            let bytes = try handshake.start()
            stage = .handshaking(handshake, deadline: deadline)
            return bytes.isEmpty ? [] : [.send(bytes)]
        } catch {
            return end(.silently(error))
        }
    }

    /// Bytes arrived, cut anyhow. `replays` is the node's one guard. The array is opened in place if it is
    /// not referenced elsewhere.
    public mutating func receive(
        _ bytes: consuming [UInt8], replays: inout ReplayGuard, at now: Instant
    ) -> [LinkOutput] {
        switch stage {
        case .closed: return []
        case .handshaking: return shakeHands(bytes, replays: &replays, at: now)
        case .established: return open(bytes)
        }
    }

    /// Time went by; nothing comes of it before `deadline`.
    public mutating func tick(at now: Instant) -> [LinkOutput] {
        guard case .handshaking(_, let deadline) = stage, now.monotonic >= deadline else { return [] }
        return end(.silently(.handshakeTooSlow))
    }

    /// The stream ended, or the connection broke.
    public mutating func streamEnded() -> [LinkOutput] {
        switch stage {
        case .closed: []
        case .handshaking: end(.silently(.handshakeCutOff))
        case .established: end(.truncated)
        }
    }

    // MARK: What we want

    /// The records of these frames, in order, in one buffer; nothing on a closed link. Before the link is
    /// established it is a bug.
    public mutating func send(_ frames: [LinkFrame]) -> [UInt8] {
        switch stage {
        case .closed: return []
        case .handshaking: preconditionFailure("a frame before the link is established")
        case .established(var session):
            // The stage lets go of the session, so that its buffers are changed in place.
            stage = .closed(.truncated)
            defer { stage = .established(session) }
            var buffer: [UInt8] = []
            buffer.reserveCapacity(frames.reduce(0) { $0 + $1.body.count + 64 })
            for frame in frames { session.seal(frame, into: &buffer) }
            return buffer
        }
    }

    public mutating func send(_ frame: LinkFrame) -> [UInt8] { send([frame]) }

    /// Says CLOSE when somebody is there to hear it, and ends the link.
    public mutating func close(_ code: CloseCode, reason: String) -> [LinkOutput] {
        switch stage {
        case .closed: return []
        case .handshaking: return end(.byUs(code))
        case .established:
            let bytes = send(LinkSession.closeFrame(code, reason: reason))
            return [.send(bytes)] + end(.byUs(code))
        }
    }

    // MARK: What is the case

    /// Monotonic ms at which `tick` has something to do.
    public var deadline: UInt64? {
        if case .handshaking(_, let deadline) = stage { deadline } else { nil }
    }

    /// The facts of the link while it is established.
    public var established: EstablishedLink? {
        if case .established(let session) = stage { session.link } else { nil }
    }

    /// How the link ended, once it did.
    public var ended: LinkEnd? {
        if case .closed(let end) = stage { end } else { nil }
    }

    /// Body bytes held of a frame whose end has not arrived.
    public var heldBytes: Int {
        if case .established(let session) = stage { session.heldBytes } else { 0 }
    }

    // MARK: The two halves of `receive`

    private mutating func shakeHands(
        _ bytes: [UInt8], replays: inout ReplayGuard, at now: Instant
    ) -> [LinkOutput] {
        guard case .handshaking(var handshake, let deadline) = stage else { return [] }
        if now.monotonic >= deadline { return end(.silently(.handshakeTooSlow)) }
        handshake.append(bytes)
        var outputs: [LinkOutput] = []
        do throws(LinkFault) {
            while true {
                switch try handshake.step(replays: &replays, at: now) {
                case .again: continue
                case .send(let bytes): outputs.append(.send(bytes))
                case .needsBytes:
                    stage = .handshaking(handshake, deadline: deadline)
                    return outputs
                case .complete(let link, let session, let bytes):
                    stage = .established(session)
                    if !bytes.isEmpty { outputs.append(.send(bytes)) }
                    // What answers PINGs behind the last message has its record numbers already: it leaves
                    // before anything that the caller says on hearing that the link stands.
                    var rest = open(handshake.incoming)[...]
                    if case .send? = rest.first, let answers = rest.popFirst() { outputs.append(answers) }
                    outputs.append(.established(link))
                    return outputs + rest
                }
            }
        } catch {
            // Not even what an earlier step wanted to say.
            return end(.silently(error))
        }
    }

    private mutating func open(_ bytes: consuming [UInt8]) -> [LinkOutput] {
        guard case .established(var session) = stage else { return [] }
        // As in `send`.
        stage = .closed(.truncated)
        session.append(bytes)
        var outputs: [LinkOutput] = []
        var replies: [UInt8] = []
        var ending: LinkEnd?
        do throws(LinkFault) {
            while ending == nil, let event = try session.next() {
                switch event {
                case .frame(let frame): outputs.append(.frame(frame))
                case .pong(let pong):
                    session.seal(pong, into: &replies)
                    outputs.append(.pinged(pong.body))
                case .closed(let code, let reason): ending = .byPeer(code, reason: reason)
                }
            }
        } catch {
            session.seal(
                LinkSession.closeFrame(.protocolFault, reason: "\(FaultWords(error))"), into: &replies)
            ending = .faulted(error)
        }
        // First: the caller's answers to the frames are sealed later, and records must leave in order.
        if !replies.isEmpty { outputs.insert(.send(replies), at: 0) }
        stage = .established(session)
        return ending.map { outputs + end($0) } ?? outputs
    }

    private mutating func end(_ end: LinkEnd) -> [LinkOutput] {
        stage = .closed(end)
        return [.close(end)]
    }
}
