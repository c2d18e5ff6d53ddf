// What a log has named since its last boundary, so that the second mention of a replica, document, key or
// container costs an index. Entries are only ever added, and each knows its index, so a change that turns out
// to be malformed is undone by dropping the entries that it added, without copying the dictionary for every
// change.

import Bytes
import Causality
import Documents

/// Values in order of first mention, found both ways.
struct Interned<Value: Hashable & Sendable>: Sendable {
    private(set) var values: [Value] = []
    /// The inverse of `values`.
    private var indices: [Value: Int] = [:]

    var count: Int { values.count }

    func index(of value: Value) -> Int? { indices[value] }

    /// The index of a value, which is added when it is not in yet: one look-up either way.
    mutating func intern(_ value: Value) -> (index: Int, isNew: Bool) {
        let next = values.count
        let index = Self.value(of: &indices[value, default: next])
        if index == next { values.append(value) }
        return (index, index == next)
    }

    /// The index of a value that is not in yet.
    mutating func add(_ value: Value) -> Int {
        let (index, isNew) = intern(value)
        precondition(isNew, "entry \(index) is there already")
        return index
    }

    /// Access to the place of a value in the table makes it, where reading it would not.
    private static func value(of place: inout Int) -> Int { place }

    mutating func truncate(to count: Int) {
        for value in values[count...] { indices[value] = nil }
        values.removeSubrange(count...)
    }
}

/// The dictionary of one log between two boundaries.
struct LogDictionary: Sendable {
    /// A container as the log names it: a document's root map, or a step below a container that has an index.
    enum PlaceName: Hashable, Sendable {
        case root(document: Int, Generation)
        case child(of: Int, ContainerStep)
    }

    /// What a place's index stands for.
    struct ContainerSlot: Sendable {
        let document: Int
        let path: ContainerPath
    }

    /// Other replicas; the log's own is never in it.
    private(set) var replicas = Interned<ReplicaID>()
    /// One for each of `replicas`: the sequence mentioned last, from which the next one is coded as a
    /// difference.
    private(set) var mentioned: [SequenceNumber] = []
    private(set) var documents = Interned<Key>()
    private(set) var keys = Interned<Key>()
    private(set) var placeNames = Interned<PlaceName>()
    /// One for each of `placeNames`. Closed under prefixes: whoever is in it has all its ancestors in it.
    private(set) var places: [ContainerSlot] = []
    /// The place named last, which mostly is the next one too; -1 when it is not known.
    private(set) var recentPlace = -1
    /// The right origin named last: typing in the middle of a text repeats it with every character.
    var lastRight: Dot?
    /// Former values of `mentioned` since the last mark, oldest first.
    private var mentionJournal: [(index: Int, former: SequenceNumber)] = []

    mutating func add(replica: ReplicaID, mentioning sequence: SequenceNumber) -> Int {
        mentioned.append(sequence)
        return replicas.add(replica)
    }

    mutating func mention(_ sequence: SequenceNumber, of index: Int) {
        mentionJournal.append((index, mentioned[index]))
        mentioned[index] = sequence
    }

    mutating func intern(document: Key) -> (index: Int, isNew: Bool) { documents.intern(document) }
    mutating func intern(key: Key) -> (index: Int, isNew: Bool) { keys.intern(key) }

    mutating func intern(root document: Int, _ generation: Generation) -> (index: Int, isNew: Bool) {
        let found = placeNames.intern(.root(document: document, generation))
        if found.isNew {
            places.append(ContainerSlot(document: document, path: ContainerPath(generation: generation)))
        }
        return found
    }

    /// The index of a place when it is the one that was named last.
    func recentPlace(_ document: Key, _ path: ContainerPath) -> Int? {
        guard recentPlace >= 0, places[recentPlace].path == path,
            documents.values[places[recentPlace].document] == document
        else { return nil }
        return recentPlace
    }

    mutating func remember(place: Int) { recentPlace = place }

    mutating func add(child step: ContainerStep, of parent: Int) -> Int {
        var path = places[parent].path
        path.append(step)
        places.append(ContainerSlot(document: places[parent].document, path: path))
        return placeNames.add(.child(of: parent, step))
    }

    // MARK: Undoing a change

    /// How much there was at some moment.
    struct Mark: Sendable {
        let replicas: Int
        let documents: Int
        let keys: Int
        let places: Int
        let lastRight: Dot?
    }

    /// Forgets how to get to earlier marks.
    mutating func mark() -> Mark {
        mentionJournal.removeAll(keepingCapacity: true)
        return Mark(
            replicas: replicas.count, documents: documents.count, keys: keys.count, places: places.count,
            lastRight: lastRight)
    }

    mutating func rollBack(to mark: Mark) {
        for entry in mentionJournal.reversed() { mentioned[entry.index] = entry.former }
        mentionJournal.removeAll(keepingCapacity: true)
        replicas.truncate(to: mark.replicas)
        mentioned.removeSubrange(mark.replicas...)
        documents.truncate(to: mark.documents)
        keys.truncate(to: mark.keys)
        placeNames.truncate(to: mark.places)
        places.removeSubrange(mark.places...)
        lastRight = mark.lastRight
        recentPlace = -1
        precondition(
            mentioned.count == replicas.count && places.count == placeNames.count, "a torn dictionary")
    }
}
