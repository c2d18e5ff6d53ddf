// Executes a decoder's properties on mutations of a corpus, as fast as a plain release build goes and without
// a guide: for large counts, on what libFuzzer has found before. The kept corpus stands in Tests/Fuzz/corpus.
//
//     fuzzloop DECODER COUNT SEED FOLDER…
//
// The input that is being executed stands in the file `fuzzloop-DECODER-SEED` of the current directory
// (mapped memory: it is there after a trap), with its length in the first 8 bytes. An input that takes 20 s
// ends the process by SIGALRM.

import Causality
import FuzzDecoders
import Glibc

@main
enum FuzzLoop {
    private static let countMax = 4_096

    static func main() {
        let words = CommandLine.arguments
        guard words.count >= 5, let decoder = FuzzDecoder(rawValue: words[1]), let count = UInt64(words[2]),
            let seed = UInt64(words[3])
        else {
            let names = FuzzDecoder.allCases.map(\.rawValue).joined(separator: " ")
            print("fuzzloop DECODER COUNT SEED FOLDER…, a decoder of: \(names)")
            exit(2)
        }
        let corpus = words[4...].flatMap(files).filter { $0.count <= countMax }
        guard !corpus.isEmpty else {
            print("no file of at most \(countMax) bytes in \(words[4...])")
            exit(2)
        }
        let note = CurrentInput(path: "fuzzloop-\(words[1])-\(seed)", countMax: countMax)
        var random = SeededGenerator(seed: seed)
        let start = seconds()
        for round in 0..<count {
            let one = corpus[Int.random(in: 0..<corpus.count, using: &random)]
            let other = corpus[Int.random(in: 0..<corpus.count, using: &random)]
            let input = Mutation.bent(one, other, countMax: countMax, using: &random)
            note.write(input)
            if round % 64 == 0 { alarm(300) }
            if let broken = decoder.broken(by: input) {
                print("\(decoder.rawValue), round \(round) of seed \(seed): \(broken): \(input)")
                exit(1)
            }
        }
        alarm(0)
        print(
            "\(decoder.rawValue): \(count) executions in \(Int(seconds() - start)) s, seed \(seed), \(corpus.count) files"
        )
        note.remove()
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

/// Memory that is a file: what stands in it when the process traps can be read afterwards.
private struct CurrentInput {
    private let path: String
    private let memory: UnsafeMutableRawBufferPointer

    init(path: String, countMax: Int) {
        self.path = path
        let size = 8 + countMax
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

    func write(_ input: [UInt8]) {
        memory.storeBytes(of: UInt64(input.count), as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: memory[8...]).copyBytes(from: input)
    }

    func remove() { unlink(path) }
}
