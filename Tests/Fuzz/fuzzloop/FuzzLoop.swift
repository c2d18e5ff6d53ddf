// Executes a decoder's properties on mutations of a corpus, as fast as a plain release build goes and without
// a guide: for large counts, on what libFuzzer has found before. The kept corpus stands in Tests/Fuzz/corpus.
//
//     fuzzloop DECODER COUNT SEED [FOLDER…]
//
// Without a folder it starts from the seeds that the encoders make. The input that is being executed stands
// in the file `fuzzloop-DECODER-SEED` of the current directory (mapped memory: it is there after a trap),
// after its length and the number of the round in 8 bytes each. An input that takes 20 s ends the process by
// SIGALRM.

import Causality
import FuzzDecoders
import Glibc

#if PLANTED_BUGS
import Bytes
#endif

@main
enum FuzzLoop {
    private static let countMax = 4_096

    static func main() {
        let words = CommandLine.arguments
        guard words.count >= 4, let decoder = FuzzDecoder(rawValue: words[1]), let count = UInt64(words[2]),
            let seed = UInt64(words[3])
        else {
            let names = FuzzDecoder.allCases.map(\.rawValue).joined(separator: " ")
            print("fuzzloop DECODER COUNT SEED [FOLDER…], a decoder of: \(names)")
            exit(2)
        }
        #if PLANTED_BUGS
        PlantedBugs.chooseFromEnvironment()
        #endif
        let kept = words.count > 4 ? words[4...].flatMap(files) : FuzzSamples.of(decoder)
        let corpus = kept.filter { $0.count <= countMax }
        guard !corpus.isEmpty else {
            print("no file of at most \(countMax) bytes in \(words[4...])")
            exit(2)
        }
        let note = CurrentInput(path: "fuzzloop-\(words[1])-\(seed)", countMax: countMax)
        var random = SeededGenerator(seed: seed)
        let start = seconds()
        var drift = Drift(corpus, isOn: decoder.isDrifting)
        for input in corpus {
            note.write(input, 0)
            if let broken = decoder.broken(by: input) {
                print("\(decoder.rawValue), a file of the corpus: \(broken): \(decoder.shrunk(input).text)")
                exit(1)
            }
        }
        for round in 0..<count {
            let (one, other) = (drift.any(&random), drift.any(&random))
            let input = decoder.bent(one, other, countMax: countMax, using: &random)
            note.write(input, round)
            drift.take(input, &random)
            if round % 1_000_000 == 999_999 { report(decoder, round + 1, seconds() - start) }
            if round % 64 == 0 { alarm(300) }
            if let broken = decoder.broken(by: input) {
                let (small, text) = decoder.shrunk(input)
                print("\(decoder.rawValue), round \(round) of seed \(seed): \(broken): \(input)")
                print("\(decoder.broken(by: small) ?? ""): \(text)")
                note.write(small, round)
                exit(1)
            }
        }
        alarm(0)
        print("seed \(seed), \(corpus.count) files")
        if count % 1_000_000 != 0 { report(decoder, count, seconds() - start) }
        note.remove()
    }

    /// A long run says every now and then how far it is.
    private static func report(_ decoder: FuzzDecoder, _ count: UInt64, _ elapsed: Double) {
        print("\(decoder.rawValue): \(count) executions in \(Int(elapsed)) s")
        fflush(nil)
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The files of a folder, by name.
    private static func files(of folder: String) -> [[UInt8]] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
            guard let file = fopen("\(folder)/\(name)", "rb") else { return nil }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: countMax + 1)
            let read = fread(&bytes, 1, bytes.count, file)
            return Array(bytes[..<read])
        }
    }
}

/// What the next mutation starts from: the corpus, and where a decoder's mutations can be mutated again some
/// of those, so that inputs drift away from it.
private struct Drift {
    private static let driftedMax = 512

    private let corpus: [[UInt8]]
    private let isOn: Bool
    private var drifted: [[UInt8]] = []

    init(_ corpus: [[UInt8]], isOn: Bool) { (self.corpus, self.isOn) = (corpus, isOn) }

    func any(_ random: inout SeededGenerator) -> [UInt8] {
        let inputs = drifted.isEmpty || random.next() % 4 == 0 ? corpus : drifted
        return inputs[Int.random(in: 0..<inputs.count, using: &random)]
    }

    /// A third of them, each in the place of any other.
    mutating func take(_ input: [UInt8], _ random: inout SeededGenerator) {
        guard isOn, random.next() % 3 == 0 else { return }
        if drifted.count < Self.driftedMax { return drifted.append(input) }
        drifted[Int.random(in: 0..<drifted.count, using: &random)] = input
    }
}

/// Memory that is a file: what stands in it when the process traps can be read afterwards.
private struct CurrentInput {
    private let path: String
    private let memory: UnsafeMutableRawBufferPointer

    init(path: String, countMax: Int) {
        self.path = path
        let size = 16 + countMax
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0, ftruncate(descriptor, size) == 0,
            let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            start != MAP_FAILED
        else {
            print("\(path) cannot be made")
            exit(2)
        }
        memory = UnsafeMutableRawBufferPointer(start: start, count: size)
        close(descriptor)
    }

    func write(_ input: [UInt8], _ round: UInt64) {
        memory.storeBytes(of: UInt64(input.count), as: UInt64.self)
        memory.storeBytes(of: round, toByteOffset: 8, as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: memory[16...]).copyBytes(from: input)
    }

    func remove() { unlink(path) }
}
