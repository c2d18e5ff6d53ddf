// How hard a masked code is to read, by the four features of ISO/IEC 18004: runs of a colour, squares of it,
// what looks like a finder, and a balance that is off.

enum QRPenalty {
    static func of(_ modules: [Bool], _ size: Int) -> Int {
        var penalty = 0
        for line in 0..<size {
            penalty += ofLine((0..<size).map { modules[line * size + $0] })
            penalty += ofLine((0..<size).map { modules[$0 * size + line] })
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let place = y * size + x
                let colour = modules[place]
                let others = [modules[place + 1], modules[place + size], modules[place + size + 1]]
                if others.allSatisfy({ $0 == colour }) { penalty += 3 }
            }
        }
        // 10 for each whole 5 % that the dark ones are away from a half.
        let dark = modules.count { $0 }
        penalty += abs(dark * 20 - modules.count * 10) / modules.count * 10
        return penalty
    }

    /// Runs of five or more, and dark-light-dark of 1:1:3:1:1 with four light ones on a side. What is outside
    /// is light.
    private static func ofLine(_ line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for (index, module) in line.enumerated() {
            run = index > 0 && line[index - 1] == module ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        func isLight(_ range: Range<Int>) -> Bool {
            range.allSatisfy { !line.indices.contains($0) || !line[$0] }
        }
        for start in 0...line.count - finder.count where Array(line[start..<start + 7]) == finder {
            if isLight(start - 4..<start) { penalty += 40 }
            if isLight(start + 7..<start + 11) { penalty += 40 }
        }
        return penalty
    }
}
