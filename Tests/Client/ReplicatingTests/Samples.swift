// What the tests replicate: structures with a field of every kind. One that stands in an array of another
// says its conformance: the compiler may look for it there before it has expanded the macro.

import Replicating

enum Priority: String, CaseIterable, ReplicatingScalar { case low, high }

@Replicating
struct Person: Replicating {
    var name: ReplicatingRegister<String> = "nobody"
    var visits: ReplicatingCounter
}

@Replicating
struct Note {
    var title: ReplicatingRegister<String> = "untitled"
    var body: ReplicatingText
    var tags: ReplicatingSet<String>
    var banned: ReplicatingRemoveWinsSet<Int>
    var order: ReplicatingOrderedSet<String>
    var scores: ReplicatingArray<Int> = []
    var people: ReplicatingArray<Person>
    var counts: ReplicatingDictionary<String, ReplicatingCounter>
    var texts: ReplicatingDictionary<Int, ReplicatingText>
    var owner: Person
    var isDone: Bool
    var priority: Priority = .high
    @ReplicatingName("due") var dueDay: Int?

    var summary: String { "\(title): \(body)" }
}
