// Which decoder is fuzzed.

import FuzzDecoders
import Glibc

func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

let chosen: FuzzDecoder = {
    guard let name = environment("REPL_FUZZ_DECODER"), let decoder = FuzzDecoder(rawValue: name) else {
        let names = FuzzDecoder.allCases.map(\.rawValue).joined(separator: " ")
        fatalError("REPL_FUZZ_DECODER is one of: \(names)")
    }
    return decoder
}()
