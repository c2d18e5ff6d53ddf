// The rows: what both libraries do, edit by edit and merge by merge.

import CRDT
import Foundation
import Replicating

func sets(_ count: Int) {
    let members = shuffled(count, 1)
    row(
        "set: insert, \(count) members",
        ours: best(count, { ReplicatingSet<Int>() }) { for member in members { $0.insert(member) } },
        theirs: best(count, { TheirSet(actorId: "A") }) { for member in members { $0.insert(member) } })
    let (ours, theirs) = (ReplicatingSet(members), TheirSet(actorId: "A", members))
    row(
        "set: contains",
        ours: best(count, { 0 }) { found in for member in members where ours.contains(member) { found += 1 }
        },
        theirs: best(count, { 0 }) { found in
            for member in members where theirs.contains(member) { found += 1 }
        })
    row(
        "set: remove",
        ours: best(count, { ReplicatingSet(members) }) { for member in members { $0.remove(member) } },
        theirs: best(count, { TheirSet(actorId: "A", members) }) {
            for member in members { $0.remove(member) }
        })
    row(
        "set: count",
        ours: best(100, { 0 }) { sum in for _ in 0..<100 { sum += ours.count } },
        theirs: best(100, { 0 }) { sum in for _ in 0..<100 { sum += theirs.count } })
    let others = members.map { $0 + count / 2 }
    let (ourOther, theirOther) = (ReplicatingSet(others), TheirSet(actorId: "B", others))
    row(
        "set: merge two that were made apart, half in common",
        ours: best(count, { ours }) { try $0.merge(ourOther) },
        theirs: best(count, { theirs }) { $0.merging(with: theirOther) })
    func ahead() -> (ReplicatingSet<Int>, TheirSet) {
        var (ourCopy, theirCopy) = (ours, TheirSet(actorId: "B"))
        theirCopy.merging(with: theirs)
        for member in 0..<10 {
            ourCopy.insert(count + member)
            theirCopy.insert(count + member)
        }
        return (ourCopy, theirCopy)
    }
    let (ourAhead, theirAhead) = ahead()
    row(
        "set: merge 10 new members",
        ours: best(
            1,
            { () -> ReplicatingSet<Int> in
                var own = ours; own.insert(-1); return own
            }
        ) {
            try $0.merge(ourAhead)
        },
        theirs: best(1, { theirs }) { $0.merging(with: theirAhead) })
    row(
        "set: the change of 10 new members, made and applied",
        ours: best(
            1,
            { () -> ReplicatingSet<Int> in
                var own = ours; own.insert(-1); return own
            }
        ) {
            try $0.apply(ourAhead.changes(since: $0.version))
        },
        theirs: best(1, { theirs }) {
            if let delta = theirAhead.delta($0.state) { try $0.mergingDelta(delta) }
        })
}

func maps(_ count: Int) {
    let keys = shuffled(count, 2).map { "key\($0)" }
    typealias OurMap = ReplicatingDictionary<String, Int>
    func fill(_ map: inout OurMap) { for key in keys { map[key] = 1 } }
    func fill(_ map: inout TheirMap) { for key in keys { map[key] = 1 } }
    row(
        "dictionary: set, \(count) keys",
        ours: best(count, { OurMap() }) { fill(&$0) },
        theirs: best(count, { TheirMap(actorId: "A") }) { fill(&$0) })
    var (ours, theirs) = (OurMap(), TheirMap(actorId: "A"))
    fill(&ours)
    fill(&theirs)
    row(
        "dictionary: get",
        ours: best(count, { 0 }) { sum in for key in keys { sum += ours[key] ?? 0 } },
        theirs: best(count, { 0 }) { sum in for key in keys { sum += theirs[key] ?? 0 } })
    row(
        "dictionary: set again",
        ours: best(count, { ours }) { for key in keys { $0[key] = 2 } },
        theirs: best(count, { theirs }) { for key in keys { $0[key] = 2 } })
    row(
        "dictionary: remove",
        ours: best(count, { ours }) { for key in keys { $0[key] = nil } },
        theirs: best(count, { theirs }) { for key in keys { $0[key] = nil } })
    var (ourAhead, theirAhead) = (ours, TheirMap(actorId: "B"))
    theirAhead.merging(with: theirs)
    for key in keys.prefix(10) {
        ourAhead[key] = 3
        theirAhead[key] = 3
    }
    row(
        "dictionary: merge 10 new values",
        ours: best(
            1,
            { () -> OurMap in
                var own = ours; own["mine"] = 1; return own
            }
        ) {
            try $0.merge(ourAhead)
        },
        theirs: best(1, { theirs }) { $0.merging(with: theirAhead) })
    var (ourOther, theirOther) = (OurMap(), TheirMap(actorId: "B"))
    fill(&ourOther)
    fill(&theirOther)
    row(
        "dictionary: merge two that were made apart, all in common",
        ours: best(count, { ours }) { try $0.merge(ourOther) },
        theirs: best(count, { theirs }) { $0.merging(with: theirOther) })
}

func lists(_ count: Int) {
    row(
        "list: append one by one, \(count) elements",
        ours: best(count, { ReplicatingArray<Int>() }) { for value in 0..<count { $0.append(value) } },
        theirs: best(count, { TheirList(actorId: "A") }) { for value in 0..<count { $0.append(value) } })
    row(
        "list: made of an array of 10,000",
        ours: best(10_000, { ReplicatingArray<Int>() }) { $0 = ReplicatingArray(0..<10_000) },
        theirs: best(10_000, { TheirList(actorId: "A") }) { $0 = TheirList(actorId: "A", Array(0..<10_000)) })
    for size in [count, 50_000] {
        let (ours, theirs) = (ReplicatingArray(0..<size), TheirList(actorId: "A", Array(0..<size)))
        let places = shuffled(size, 3).prefix(1_000)
        row(
            "list: insert at random places of \(size)",
            ours: best(1_000, { ours }) { for place in places { $0.insert(place, at: place) } },
            theirs: best(1_000, { theirs }) { for place in places { $0.insert(place, at: place) } })
        row(
            "list: read all of \(size)",
            ours: best(size, { 0 }) { sum in for value in ours { sum += value } },
            theirs: best(size, { 0 }) { sum in for value in theirs { sum += value } })
    }
    let (ours, theirs) = (ReplicatingArray(0..<count), TheirList(actorId: "A", Array(0..<count)))
    row(
        "list: remove from the middle",
        ours: best(500, { ours }) { for _ in 0..<500 { $0.remove(at: $0.count / 2) } },
        theirs: best(500, { theirs }) { for _ in 0..<500 { $0.remove(at: $0.count / 2) } })
    var (ourAhead, theirAhead) = (ours, TheirList(actorId: "B"))
    theirAhead.merging(with: theirs)
    for value in 0..<10 {
        ourAhead.append(value)
        theirAhead.append(value)
    }
    row(
        "list: merge 10 new elements",
        ours: best(
            1,
            { () -> ReplicatingArray<Int> in
                var own = ours; own.append(1); return own
            }
        ) {
            try $0.merge(ourAhead)
        },
        theirs: best(1, { theirs }) { $0.merging(with: theirAhead) })
    let (ourOther, theirOther) = (ReplicatingArray(0..<count), TheirList(actorId: "B", Array(0..<count)))
    row(
        "list: merge two that were made apart",
        ours: best(count, { ours }) { try $0.merge(ourOther) },
        theirs: best(count, { theirs }) { $0.merging(with: theirOther) })
}

func registers(_ count: Int) {
    typealias Theirs = LWWRegister<String, Int>
    row(
        "register: write",
        ours: best(count, { ReplicatingRegister<Int>(0) }) { for value in 0..<count { $0.value = value } },
        theirs: best(count, { Theirs(0, actorID: "A") }) { for value in 0..<count { $0.value = value } })
    var (ours, theirs) = (ReplicatingRegister<Int>(0), Theirs(0, actorID: "A"))
    ours.value = 1
    theirs.value = 1
    row(
        "register: read",
        ours: best(count, { 0 }) { sum in for _ in 0..<count { sum &+= ours.value } },
        theirs: best(count, { 0 }) { sum in for _ in 0..<count { sum &+= theirs.value } })
}

func coding(_ count: Int) {
    let (ours, theirs) = (ReplicatingSet(0..<count), TheirSet(actorId: "A", Array(0..<count)))
    func encoded(_ value: some Encodable) -> Data {
        do { return try JSONEncoder().encode(value) } catch { fatalError("\(error)") }
    }
    let (ourBytes, theirBytes) = (encoded(ours), encoded(theirs))
    row(
        "set: bytes of its JSON for each member", ours: Double(ourBytes.count) / Double(count),
        theirs: Double(theirBytes.count) / Double(count), "B ")
    row(
        "set: encode as JSON",
        ours: best(count, { 0 }) { $0 += encoded(ours).count },
        theirs: best(count, { 0 }) { $0 += encoded(theirs).count })
    row(
        "set: decode from JSON",
        ours: best(count, { 0 }) {
            $0 = try JSONDecoder().decode(ReplicatingSet<Int>.self, from: ourBytes).count
        },
        theirs: best(count, { 0 }) { $0 = try JSONDecoder().decode(TheirSet.self, from: theirBytes).count })
}
