// A workload file: one step a line, each with when and where, and the body of a transaction as the control
// API takes it. The file is read by the program and again by each process that it starts, so it is a regular
// file.

import ArgumentParser
import Bytes
import ControlAPI
import Documents
import Glibc
import Simulator

/// Why a line is none.
struct WorkloadFault: Error, CustomStringConvertible {
    let description: String
}

enum WorkloadLine {
    /// All steps of a file, in its order; at least one.
    static func steps(of name: String) throws -> [ScriptStep] {
        let lines = try bytes(of: name).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var steps: [ScriptStep] = []
        for (number, line) in zip(1..., lines)
        where !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
            do throws(WorkloadFault) {
                steps.append(try read(Array(line), line: number))
            } catch {
                throw ValidationError("\(name), line \(number): \(error)")
            }
        }
        if steps.isEmpty { throw ValidationError("\(name) has no step") }
        return steps
    }

    static func bytes(of name: String) throws -> [UInt8] {
        guard let file = fopen(name, "r") else { throw ValidationError("\(name) cannot be read") }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ValidationError("\(name) is no regular file: it is read more than once")
        }
        guard status.st_size <= bytesMax else {
            throw ValidationError("\(name) has more than \(bytesMax >> 20) MiB")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        guard ferror(file) == 0 else { throw ValidationError("\(name) cannot be read to its end") }
        return bytes
    }

    private static let bytesMax = 256 << 20

    private static func read(_ bytes: [UInt8], line: Int) throws(WorkloadFault) -> ScriptStep {
        let value: PlainValue
        do throws(JSONFault) {
            value = try JSONReader.read(bytes)
        } catch {
            throw WorkloadFault(description: "\(error.message) at \(error.place)")
        }
        guard case .object(let members) = value else { throw WorkloadFault(description: "no object") }
        guard let at = seconds(value["at"]) else {
            throw WorkloadFault(description: "\"at\" is a number of seconds from 0 to 6000000")
        }
        guard case .scalar(.integer(let node))? = value["node"], (0..<64).contains(node) else {
            throw WorkloadFault(description: "\"node\" is a number from 0 to 63")
        }
        var body: [UInt8] = []
        CanonicalJSON.append(.object(members.filter { $0.key != "at" && $0.key != "node" }), to: &body)
        do throws(APIError) {
            let transaction = try TransactionReader.read(line: body)
            return ScriptStep(
                line: line, time: UInt64(at * 1_000), node: Int(node), transaction: transaction)
        } catch {
            throw WorkloadFault(description: "\(error.message); \(error.hint)")
        }
    }

    private static func seconds(_ value: PlainValue?) -> Double? {
        let number: Double
        switch value {
        case .scalar(.integer(let whole))?: number = Double(whole)
        case .scalar(.double(let fraction))?: number = fraction
        default: return nil
        }
        return (0...6_000_000).contains(number) ? number : nil
    }
}
