// What a copy that is kept costs the next edit: the parts of the document that the edit touches are copied,
// once. Ours alone, since their values are dictionaries and arrays, which are copied whole.

import Foundation
import Replicating

/// Prints the time of one edit, and of one after a copy was made that is kept.
private func cost<Value>(_ title: String, _ value: Value, _ edit: (inout Value) -> Void) {
    let alone = best(
        1_000,
        { () -> Value in
            var own = value
            edit(&own)
            return own
        }
    ) { for _ in 0..<1_000 { edit(&$0) } }
    var kept: [Value] = []
    let copied = best(
        100,
        { () -> Value in
            kept = []
            return value
        }
    ) { value in
        for _ in 0..<100 {
            kept.append(value)
            edit(&value)
        }
    }
    withExtendedLifetime(kept) {}
    let name = title.padding(toLength: 58, withPad: " ", startingAt: 0)
    print("\(name)\(String(format: "%10.0f%10.0f ns", alone, copied))")
}

func copies() {
    print("\nan edit".padding(toLength: 59, withPad: " ", startingAt: 0) + "     alone  with a copy kept")
    for count in [1_000, 100_000] {
        cost("set of \(count): insert", ReplicatingSet(0..<count)) { $0.insert(-1) }
        cost("array of \(count): append", ReplicatingArray(0..<count)) { $0.append(1) }
        cost("text of \(count): append", ReplicatingText(String(repeating: "a", count: count))) {
            $0.append("b")
        }
        var map = ReplicatingDictionary<Int, Int>()
        for key in 0..<count { map[key] = key }
        var value = 0
        cost("dictionary of \(count): set", map) {
            value += 1
            $0[7] = value
        }
    }
}
