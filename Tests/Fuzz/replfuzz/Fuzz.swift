// libFuzzer's two entries. One program for all decoders: REPL_FUZZ_DECODER names one, REPL_FUZZ_WRITE a
// folder to write the seeds of all to. How to build and run it stands in Sources/Docs/TESTING.md.

import FuzzDecoders

/// Called once for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let broken = chosen.broken(by: Array(UnsafeBufferPointer(start: start, count: count))) {
        fatalError("\(chosen.rawValue): \(broken)")
    }
    return 0
}

/// Called once, before anything else.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(
    _ count: UnsafeMutablePointer<CInt>?, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    _ = chosen
    return 0
}
