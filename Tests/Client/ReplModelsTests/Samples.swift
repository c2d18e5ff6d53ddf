// Models that the tests read and write.

import ReplModeling

enum Priority: String, ModelScalar, CaseIterable { case low, normal, high }

@Model struct Person: Equatable {
    var name: String
    var visits: ReplicatedCounter
}

@Model struct Item: Equatable {
    var text: String
    var done: Bool = false
    var note: ReplicatedText
}

@Model struct Note: Equatable {
    @Key var id: String
    var title: String
    var body: ReplicatedText
    var tags: Set<String>
    var items: [Item]
    var scores: [Int] = []
    var count: ReplicatedCounter
    var done: Bool = false
    var priority: Priority = .normal
    @ModelName("due-date") var due: ModelDate?
    var owner: Person?
    var places: [String: Int] = [:]

    static func sample(_ id: String, title: String = "t") -> Note {
        Note(id: id, title: title, body: "", tags: [], items: [], count: 0, due: nil, owner: nil)
    }
}

@Model struct Numbered: Equatable {
    @Key var number: Int
    var value: Int
}

/// Renamed twice, and once.
@Model struct Renamed: Equatable {
    @Key var id: String
    @ModelName("title", formerly: "name", "label") var title: String = "?"
    @ModelName("until", formerly: "due") var until: ModelDate?
}

struct Household: Schema {
    let renamed = Models<Renamed>("renamed/")
    let notes = Models<Note>("note/")
    let numbers = Models<Numbered>("number/")
}
