// One line of a workload file: when and where, and the body of a transaction as the control API takes it.

import Bytes
import ControlAPI
import Documents
import Simulator

/// Why a line is none.
struct WorkloadFault: Error, CustomStringConvertible {
    let description: String
}

enum WorkloadLine {
    static func read(_ bytes: [UInt8]) throws(WorkloadFault) -> ScriptStep {
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
            return ScriptStep(time: UInt64(at * 1_000), node: Int(node), transaction: transaction)
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
