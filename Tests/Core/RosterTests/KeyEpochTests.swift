// Key epochs: who gets which secrets, which epoch counts, which is good (decision 0168; trap 15).

import Bytes
import Causality
import Crypto
import Testing
import Wire

@testable import Roster

/// A member with its own copy of everything.
struct KeyHolder {
    let box: Box
    var roster: Roster
    var keys: SpaceKeys
    var epochs: KeyEpochs
    private var entropy: Entropy

    init(founding box: Box) throws {
        self.box = box
        entropy = Entropy(seed: secret(20, box.number))
        roster = try Roster(genesis: genesis(by: box))
        keys = SpaceKeys(founding: roster.space, from: &entropy)
        epochs = KeyEpochs(of: &roster, for: box.device)
    }

    /// By the operation of the roster that adds it.
    init(_ box: Box, joining roster: Roster) throws {
        self.box = box
        self.roster = roster
        entropy = Entropy(seed: secret(20, box.number))
        let add = try #require(roster.admission(of: box.device, boxKey: box.boxKey.publicKey))
        guard case .add(let body) = add.body else { throw SpaceKeysFault.notOpened }
        keys = try SpaceKeys(opening: body.sealedKeys, with: box.boxKey, of: roster.space)
        epochs = KeyEpochs(of: &self.roster, for: box.device)
        _ = keys.read(epochs, in: self.roster, with: box.boxKey)
    }

    /// `again`: for a box that was invited before.
    mutating func invite(_ other: Box, _ role: Role, again: Int = 0) throws -> KeyHolder {
        let (secret, body) = RosterTests.invite(1_000 * box.number + other.number + 100 * again, role)
        try act(body)
        let sealed = keys.sealed(
            for: role, to: other.boxKey.publicKey, ephemeral: AgreementKey(secret: entropy.secret(32)))
        let add = RosterBody.Add(
            device: other.device, role: role, invite: secret.id, description: try other.description(),
            sealedKeys: sealed)
        try act(.add(add))
        return try KeyHolder(other, joining: roster)
    }

    @discardableResult
    mutating func act(_ body: RosterBody) throws -> RosterOperation {
        let operation = try roster.author(body, at: at(UInt64(roster.count) + 1), by: box.key)
        _ = try roster.add(operation)
        read()
        return operation
    }

    mutating func rotate(without out: Set<DeviceID> = []) throws -> KeyRotation {
        let rotation = try keys.rotated(
            in: &roster, epochs, without: out, &entropy, at: at(UInt64(roster.count) + 1), by: box.key)
        keys = rotation.keys
        read()
        return rotation
    }

    mutating func give(_ devices: [DeviceID]) throws -> [RosterOperation] {
        let made = try keys.packages(
            of: keys.current.name, for: devices, in: &roster, &entropy, at: at(UInt64(roster.count) + 1),
            by: box.key)
        read()
        return made
    }

    /// Gives on, as a device that is out does, the epochs that it knows and others do not; which they were.
    mutating func giveStranded() throws -> [KeyEpochName] {
        let stranded = MissingPackages.stranded(of: keys, epochs, in: &roster)
        for packages in stranded {
            let made = try keys.packages(
                fromBefore: packages.epoch, for: packages.duties.map(\.member), epochs, in: &roster,
                &entropy, at: at(UInt64(roster.count) + 1), by: box.key)
            #expect(!made.isEmpty)
        }
        read()
        return stranded.map(\.epoch)
    }

    mutating func read() {
        epochs.read(&roster)
        epochs.checkInvariants()
        _ = keys.read(epochs, in: roster, with: box.boxKey)
    }

    mutating func hear(_ other: KeyHolder) throws {
        try roster.take(other.roster.operations())
        read()
    }

    var missing: MissingPackages? { MissingPackages(of: keys, epochs, in: roster) }
    var current: KeyEpochName { keys.current.name }
    func isGood(_ name: KeyEpochName) -> Bool { epochs.isGood(name, in: roster) }
}

private func meet(_ holders: inout [KeyHolder]) throws {
    for reader in holders.indices {
        for other in holders.indices where other != reader { try holders[reader].hear(holders[other]) }
    }
}

private func package(_ epoch: UInt32, _ field: [UInt8], _ packages: [RosterBody.KeyEpoch.Package] = [])
    -> RosterBody
{
    .keyEpoch(
        RosterBody.KeyEpoch(
            epoch: KeyEpochNumber(epoch), wrappedPrevious: field, packages: packages))
}

@Suite struct KeyEpochTests {
    @Test("a rotation gives every member the same secrets, and a relay the access secret, checked by its id")
    func rotation() throws {
        var admin = try KeyHolder(founding: Box(1))
        var writer = try admin.invite(Box(2), .writer)
        var relay = try admin.invite(Box(3), .relay)
        let before = try #require(admin.keys.current.content)
        let rotation = try admin.rotate()
        #expect(rotation.operations.count == 1)
        try writer.hear(admin)
        try relay.hear(admin)
        for holder in [admin, writer, relay] {
            #expect(holder.current.number == KeyEpochNumber(2) && holder.current.id == rotation.id)
            #expect(holder.keys.current.access == admin.keys.current.access)
            #expect(holder.isGood(holder.current))
            #expect(try SpaceKeys(decoding: holder.keys.encoded(), of: holder.roster.space) == holder.keys)
        }
        #expect(writer.keys.current.content == admin.keys.current.content)
        #expect(writer.keys.content(named: ContentKeyID(of: before)) == before)
        #expect(relay.keys.current.content == nil && !relay.keys.opensPayloads)
        #expect(admin.keys.current.access != admin.keys.epochs[0].access)
    }

    @Test("who was removed opens nothing of the next epoch, and a newcomer is added under it")
    func removed() throws {
        var admin = try KeyHolder(founding: Box(1))
        var gone = try admin.invite(Box(2), .writer)
        try admin.act(removal(of: gone.box))
        #expect(!admin.isGood(.first))
        _ = try admin.rotate()
        try gone.hear(admin)
        #expect(gone.current == .first && !gone.keys.holds(admin.current))
        #expect(gone.keys.content(named: ContentKeyID(of: try #require(admin.keys.current.content))) == nil)
        let newcomer = try admin.invite(Box(3), .reader)
        #expect(newcomer.current == admin.current && newcomer.isGood(newcomer.current))
        // It reads what was written before it came.
        let first = try #require(admin.keys.epochs[0].content)
        #expect(newcomer.keys.content(named: ContentKeyID(of: first)) == first)
        #expect(newcomer.keys.epochs.count == 1)
    }

    @Test("with `without`, a member that is still in the roster gets no package")
    func without() throws {
        var admin = try KeyHolder(founding: Box(1))
        var other = try admin.invite(Box(2), .writer)
        let rotation = try admin.rotate(without: [other.box.device])
        try other.hear(admin)
        #expect(rotation.id == admin.current.id && other.current == .first)
    }

    @Test("only an admin's next number begins an epoch; the last number of all ends no rotation")
    func numbers() throws {
        var admin = try KeyHolder(founding: Box(1))
        var writer = try admin.invite(Box(2), .writer)
        let field = [UInt8](repeating: 7, count: 16)
        try writer.act(package(2, field))
        try writer.act(package(.max, field))
        try admin.hear(writer)
        for number in [3, 9, UInt32.max] { try admin.act(package(number, field)) }
        try admin.act(package(2, Array(field.dropLast())))
        #expect(admin.epochs.names == [.first])
        for number in 2...4 {
            _ = try admin.rotate()
            #expect(admin.current.number == KeyEpochNumber(UInt32(number)))
        }
        try writer.hear(admin)
        #expect(writer.current == admin.current)
        #expect(throws: RosterFault.self) { _ = try writer.rotate() }
    }

    @Test("a package that does not give the id is as none, and another's later one is taken")
    func garbage() throws {
        var admin = try KeyHolder(founding: Box(1))
        var second = try admin.invite(Box(2), .admin)
        var victim = try admin.invite(Box(3), .writer)
        let rotation = try admin.rotate(without: [victim.box.device])
        // Secrets that fit the form, under the id of others; and bytes of no form.
        let wrong = KeyEpochSecrets(access: secret(30, 1), content: .key(secret(30, 2)))
        let sealed = try #require(
            wrong.package(
                for: .writer, to: victim.box.boxKey.publicKey, of: admin.roster.space,
                ephemeral: AgreementKey(secret: secret(30, 3))))
        try second.hear(admin)
        for bytes in [sealed, [], [1, 2, 3], [UInt8](repeating: 1, count: sealed.count)] {
            try second.act(
                package(
                    2, rotation.id.raw.bytes, [.init(device: victim.box.device, sealedKeys: bytes)]))
        }
        try victim.hear(second)
        #expect(victim.current == .first && victim.keys.epochs.count == 1)
        try admin.hear(second)
        _ = try admin.give([victim.box.device])
        try victim.hear(admin)
        #expect(victim.current == admin.current)
    }

    @Test("who copies the id of another's epoch begins one of its own, and spoils nothing")
    func copiedID() throws {
        var admin = try KeyHolder(founding: Box(1))
        var thief = try admin.invite(Box(2), .admin)
        let rotation = try admin.rotate()
        try thief.act(package(2, rotation.id.raw.bytes))
        try admin.hear(thief)
        try admin.act(removal(of: thief.box))
        // The thief was given the epoch, so it is bad; the next one it cannot name in its own view.
        #expect(!admin.isGood(admin.current) || admin.current == .first)
        let next = try admin.rotate()
        #expect(next.id == admin.current.id && admin.isGood(admin.current))
        try thief.act(package(3, next.id.raw.bytes))
        try admin.hear(thief)
        #expect(admin.isGood(admin.current) && admin.current.id == next.id)
    }

    @Test("two removals at once: neither new epoch is good, one more rotation ends it")
    func crossed() throws {
        var first = try KeyHolder(founding: Box(1))
        var second = try first.invite(Box(2), .admin)
        let x = try first.invite(Box(3), .writer)
        let y = try first.invite(Box(4), .writer)
        var stays = try first.invite(Box(5), .writer)
        try second.hear(first)
        try first.act(removal(of: x.box))
        try second.act(removal(of: y.box))
        let one = try first.rotate()
        let other = try second.rotate()
        #expect(one.id != other.id)
        var all = [first, second, stays]
        try meet(&all)
        for holder in all {
            #expect(holder.epochs.names.map(\.number.value) == [1, 2, 2])
            #expect(!holder.epochs.names.contains { holder.isGood($0) })
            #expect(holder.current == all[0].current)
        }
        let end = try all[0].rotate()
        try meet(&all)
        for holder in all {
            #expect(holder.current.id == end.id && holder.isGood(holder.current))
            #expect(holder.current.number == KeyEpochNumber(3) && holder.missing == nil)
        }
        stays = all[2]
        #expect(stays.keys.epochs.count == 4)
    }

    @Test("who is out seals what it hands over under an epoch that somebody who stayed can open")
    func handsOver() throws {
        var admin = try KeyHolder(founding: Box(1))
        var other = try admin.invite(Box(2), .admin)
        var writer = try admin.invite(Box(3), .writer)
        try other.hear(admin)
        // The two admins remove each other. The one that falls has the greater epoch.
        try admin.act(removal(of: other.box, keeping: VersionVector()))
        let first = try admin.rotate().keys.current.name
        try other.act(removal(of: admin.box, keeping: VersionVector()))
        _ = try other.rotate()
        let fallen = try other.rotate().keys.current.name
        #expect(fallen > first)
        try writer.hear(admin)
        try writer.hear(other)
        #expect(writer.keys.holds(first) && writer.keys.holds(fallen) && writer.current == first)
        try admin.hear(other)
        try admin.act(removal(of: writer.box, keeping: VersionVector()))
        _ = try admin.rotate()
        try writer.hear(admin)
        #expect(writer.roster.role(of: writer.box.device) == nil)
        #expect(!writer.isGood(first) && !writer.isGood(fallen))
        #expect(writer.current == first)
        let content = try #require(writer.keys.current.content)
        #expect(admin.keys.content(named: ContentKeyID(of: content)) != nil)
    }

    @Test("where none is good and no admin hears of it, members give each other what they have, last of all")
    func adminsAway() throws {
        var admin = try KeyHolder(founding: Box(1))
        let gone = try admin.invite(Box(2), .writer)
        var holding = try admin.invite(Box(3), .writer)
        var lacking = try admin.invite(Box(4), .writer)
        _ = try admin.rotate(without: [lacking.box.device])
        let second = admin.current
        // As after removals that crossed: no epoch is good, and no admin has begun one yet.
        try admin.act(removal(of: gone.box))
        try holding.hear(admin)
        try lacking.hear(admin)
        #expect(!holding.isGood(second) && !holding.isGood(.first))
        #expect(holding.current == second && lacking.current == .first && holding.missing == nil)
        let stranded = MissingPackages.stranded(of: holding.keys, holding.epochs, in: &holding.roster)
        #expect(stranded.map(\.epoch) == [second])
        let duties = try #require(stranded.first?.duties)
        #expect(duties.map(\.member) == [lacking.box.device])
        #expect(duties.allSatisfy { $0.afterMilliseconds >= 60_000 })
        _ = try holding.give([lacking.box.device])
        try lacking.hear(holding)
        #expect(lacking.current == second)
        #expect(MissingPackages.stranded(of: holding.keys, holding.epochs, in: &holding.roster).isEmpty)
        // Once an admin hears of it, what it begins is what all use.
        try admin.hear(lacking)
        let end = try admin.rotate()
        try holding.hear(admin)
        try lacking.hear(admin)
        #expect([holding, lacking].allSatisfy { $0.current.id == end.id && $0.isGood($0.current) })
    }

    @Test("what a device got as a reader hides no epoch that it may give, and each peer opens what is for it")
    func gotAsReader() throws {
        var admin = try KeyHolder(founding: Box(1))
        var out = try admin.invite(Box(2), .admin)
        var third = try admin.invite(Box(3), .admin)
        try out.hear(admin)
        // Admins that remove each other; the senior's removal is heard last.
        try admin.act(removal(of: out.box))
        _ = try admin.rotate()
        try out.act(removal(of: admin.box))
        let own = try out.rotate().keys.current.name
        try third.hear(out)
        try third.act(roleChange(of: out.box, to: .reader))
        let later = try third.rotate().keys.current.name
        try out.hear(third)
        #expect(out.keys.holds(own) && out.current == later)
        try out.hear(admin)
        #expect(out.roster.role(of: out.box.device) == nil)
        func sealing(_ box: Box) -> KeyEpochName {
            out.keys.sealing(to: box.device, out.epochs, in: out.roster).name
        }
        #expect(sealing(admin.box) == .first && sealing(third.box) == later)
        // The later one leads back to its own, which it had as an admin.
        #expect(try out.giveStranded() == [own])
        try admin.hear(out)
        #expect(admin.keys.holds(own) && !admin.keys.holds(later))
        #expect(sealing(admin.box) == own && sealing(third.box) == later)
        #expect(try out.giveStranded().isEmpty)
        // Who stayed seals under one for all.
        let ours = admin.keys.sealing(to: third.box.device, admin.epochs, in: admin.roster)
        #expect(ours.name == admin.current)
    }

    @Test("who made epochs of its own while the mesh was cut can still open a link, under what both have")
    func cutOff() throws {
        var admin = try KeyHolder(founding: Box(1))
        var other = try admin.invite(Box(2), .admin)
        try other.hear(admin)
        try admin.act(removal(of: other.box))
        _ = try admin.rotate()
        _ = try admin.rotate()
        try other.act(removal(of: admin.box))
        _ = try other.rotate()
        try admin.hear(other)
        let common = other.keys.epochs.map(\.name).filter { admin.keys.holds($0) }
        #expect(common == [.first])
        let open = admin.keys.accessEpochs(in: admin.roster, admin.epochs)
        #expect(open.map(\.name.number.value) == [3, 2, 1])
    }

    @Test("who is out and opens a later epoch opens those that it leads back to, so they are not good either")
    func leadsBack() throws {
        var admin = try KeyHolder(founding: Box(1))
        _ = try admin.invite(Box(2), .writer)
        let earlier = try admin.rotate()
        _ = try admin.rotate()
        let newcomer = try admin.invite(Box(3), .writer)
        #expect(Set(admin.epochs.names) == admin.epochs.good(in: admin.roster))
        #expect(
            newcomer.keys.content(named: ContentKeyID(of: try #require(earlier.keys.current.content))) != nil)
        try admin.act(removal(of: newcomer.box))
        #expect(admin.epochs.good(in: admin.roster).isEmpty && !admin.isGood(earlier.keys.current.name))
        _ = try admin.rotate()
        #expect(admin.epochs.good(in: admin.roster) == [admin.current])
    }

    @Test("an epoch whose content key a relay has is not good")
    func demotedToRelay() throws {
        var admin = try KeyHolder(founding: Box(1))
        let writer = try admin.invite(Box(2), .writer)
        _ = try admin.rotate()
        #expect(admin.isGood(admin.current))
        try admin.act(roleChange(of: writer.box, to: .relay))
        #expect(!admin.isGood(admin.current))
        _ = try admin.rotate()
        #expect(admin.isGood(admin.current) && admin.missing == nil)
        // Made a reader again, it lacks the content key.
        try admin.act(roleChange(of: writer.box, to: .reader))
        let missing = try #require(admin.missing)
        #expect(missing.duties.map(\.member) == [writer.box.device])
        _ = try admin.give(missing.duties.map(\.member))
        var reader = writer
        try reader.hear(admin)
        #expect(reader.keys.current.content == admin.keys.current.content && admin.missing == nil)
    }

    @Test("a member that slept through thirty rotations reads everything, and so does a newcomer after them")
    func sleeper() throws {
        var admin = try KeyHolder(founding: Box(1))
        var sleeper = try admin.invite(Box(2), .writer)
        var contents = [try #require(admin.keys.current.content)]
        for _ in 0..<30 {
            let rotation = try admin.rotate()
            for operation in rotation.operations {
                guard case .keyEpoch(let body) = operation.body else { continue }
                #expect(body.wrappedPrevious.count <= RosterLimits.sealedKeysBytesMax)
            }
            contents.append(try #require(admin.keys.current.content))
        }
        try sleeper.hear(admin)
        // Six previous keys an epoch lead back to the first one.
        let newcomer = try admin.invite(Box(3), .reader)
        #expect(newcomer.keys.epochs.count == 1 && newcomer.keys.readable.count == 30)
        for content in contents {
            #expect(sleeper.keys.content(named: ContentKeyID(of: content)) == content)
            #expect(newcomer.keys.content(named: ContentKeyID(of: content)) == content)
        }
        let stored = newcomer.keys.encoded()
        #expect(try SpaceKeys(decoding: stored, of: newcomer.roster.space) == newcomer.keys)
    }

    @Test("a joiner reads the packages in its answer, not its admission alone")
    func joining() throws {
        var admin = try KeyHolder(founding: Box(1))
        var invites = IssuedInvites()
        let box = Box(2)
        let token = try invites.issue(
            .reader, expirySeconds: 1_000, secret: secret(4, 1), hints: [], in: &admin.roster,
            at: moment(seconds: 10), by: admin.box.key
        ).token
        var joining = Joining(token: token, device: box.device, boxKey: box.boxKey)
        let handshake = Blake2b.hash512([1])
        let proof = joining.proof(
            name: try #require(DeviceName("new")), addresses: [], handshakeHash: handshake, by: box.key)
        let outcome = invites.admit(
            JoinRequest(
                invite: token.secret.id, device: box.device, proof: proof, handshakeHash: handshake),
            in: &admin.roster, keys: admin.keys, ephemeral: AgreementKey(secret: secret(5, 1)),
            at: moment(seconds: 20), by: admin.box.key)
        guard case .admitted = outcome else {
            Issue.record("not admitted")
            return
        }
        admin.read()
        for _ in 0..<8 { _ = try admin.rotate() }
        let parts = JoinAnswerPart.parts(of: admin.roster.operations())
        #expect(parts.count == 1)
        let joined = try joining.take(try #require(parts.first).encoded())
        #expect(try #require(joined).keys == admin.keys)
    }

    @Test("who is let in again and never got the answer reads the keys of its admission in the roster")
    func admittedUnanswered() throws {
        var admin = try KeyHolder(founding: Box(1))
        var gone = try admin.invite(Box(2), .writer)
        try admin.act(removal(of: gone.box))
        _ = try admin.rotate()
        _ = try admin.invite(gone.box, .writer, again: 1)
        try gone.hear(admin)
        #expect(gone.current == admin.current && gone.current.number == KeyEpochNumber(2))
        #expect(gone.keys.current.content == admin.keys.current.content)
        #expect(gone.isGood(gone.current))
    }

    @Test("a newcomer that was added while an epoch began elsewhere gets it, from its adder first")
    func newcomer() throws {
        var first = try KeyHolder(founding: Box(1))
        var second = try first.invite(Box(2), .admin)
        var newcomer = try second.invite(Box(3), .writer)
        _ = try first.rotate()
        var all = [first, second, newcomer]
        try meet(&all)
        #expect(all[2].current == .first && all[0].current == all[1].current)
        let (early, late) = (try #require(all[1].missing), try #require(all[0].missing))
        #expect(early.epoch == all[0].current && late.epoch == early.epoch)
        #expect(early.duties == [.init(member: newcomer.box.device, afterMilliseconds: 0)])
        let delay = try #require(late.duties.first?.afterMilliseconds)
        #expect((5_000..<30_000).contains(delay) && late == all[0].missing)
        #expect(all[2].missing == nil)
        let given = try all[1].give(early.duties.map(\.member))
        #expect(given.count == 1)
        try meet(&all)
        newcomer = all[2]
        #expect(newcomer.current == all[0].current && all.allSatisfy { $0.missing == nil })
    }

    @Test("two hundred members are four operations of packages, and all of them have one key")
    func twoHundred() throws {
        var admin = try KeyHolder(founding: Box(1))
        var boxes: [Box] = []
        for number in 2...200 {
            boxes.append(Box(number))
            _ = try admin.roster.admit(boxes[boxes.count - 1], .writer, by: admin.box)
        }
        admin.read()
        let rotation = try admin.rotate()
        #expect(rotation.operations.count == 4)
        for operation in rotation.operations {
            #expect(operation.bytes.count <= RosterLimits.operationBytesMax)
        }
        for box in boxes where box.number % 20 == 0 {
            var keys = SpaceKeys(of: admin.roster.space, [admin.keys.epochs[0]])
            var roster = admin.roster
            let epochs = KeyEpochs(of: &roster, for: box.device)
            let isChanged = keys.read(epochs, in: roster, with: box.boxKey)
            #expect(isChanged)
            #expect(keys.current == admin.keys.current)
        }
        #expect(admin.missing == nil && admin.epochs.lacking(admin.current, in: admin.roster).isEmpty)
    }

    @Test("what counts is a function of the set of operations", arguments: 0..<20)
    func anyOrder(seed: UInt64) throws {
        var all = [try KeyHolder(founding: Box(1))]
        for number in 2...4 {
            let role: Role = number < 4 ? .admin : .writer
            let joined = try all[0].invite(Box(number), role)
            all.append(joined)
        }
        try meet(&all)
        var chance = SeededChance(seed)
        for _ in 0..<14 {
            let place = Int(chance.next() % 3)
            if chance.next() % 3 == 0 { try all[place].hear(all[Int(chance.next() % 4)]) }
            if all[place].roster.role(of: all[place].box.device) == .admin { _ = try all[place].rotate() }
        }
        try meet(&all)
        var operations = Array(all[0].roster.operations().dropFirst())
        for _ in 0..<3 {
            operations.shuffle(using: &chance)
            var other = try Roster(genesis: all[0].roster.genesis)
            var epochs = KeyEpochs(of: &other, for: all[3].box.device)
            for operation in operations {
                _ = try other.add(operation)
                epochs.read(&other)
            }
            var keys = SpaceKeys(of: other.space, [all[3].keys.epochs[0]])
            _ = keys.read(epochs, in: other, with: all[3].box.boxKey)
            let stored = other.places.map { other.bytes(at: $0) }
            var restored = try RestoredRoster(genesis: stored[0], for: all[3].box.device)
            for bytes in stored.dropFirst() { try restored.restore(bytes) }
            #expect(restored.epochs == epochs && restored.roster.rosterHash == other.rosterHash)
            #expect(epochs.names == all[3].epochs.names && keys == all[3].keys)
            #expect(epochs.names.map { epochs.isGood($0, in: other) } == epochs.names.map(all[0].isGood))
        }
    }
}

/// Numbers that follow from a seed.
private struct SeededChance: RandomNumberGenerator {
    private var entropy: Entropy
    init(_ seed: UInt64) { entropy = Entropy(seed: secret(21, Int(seed))) }
    mutating func next() -> UInt64 { entropy.u64() }
}
