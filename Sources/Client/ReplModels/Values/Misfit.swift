// Why a document does not fit a model. Documents are made by programs of all versions and by hand, so this is
// no bug of the program that meets one; each says where it is and what helps.

/// One thing in one document that a model cannot read.
public struct Misfit: Error, Hashable, Sendable, CustomStringConvertible {
    /// The document's whole key.
    public let document: String
    /// Empty: the document itself.
    public let path: ModelPath
    public let problem: Problem

    public enum Problem: Hashable, Sendable {
        /// The field is absent, has no initial value and is not optional.
        case missing(type: String)
        /// JSON of another form.
        case wrongType(expected: String, found: String)
        /// A scalar that the type has no value for: another case, a number out of range.
        case unknownValue(type: String, found: String)
        /// It looks the same, and is of another kind: two devices that write it do not merge as the model
        /// says.
        case wrongKind(expected: String, found: String)
        /// What stands after the collection's prefix is no key of the model.
        case badKey(type: String, key: String)
    }

    public init(document: String, path: ModelPath, problem: Problem) {
        (self.document, self.path, self.problem) = (document, path, problem)
    }

    /// What is wrong, for people.
    public var message: String {
        let place = path.steps.isEmpty ? document : "\(document), \(path)"
        return switch problem {
        case .missing(let type): "\(place): there is no \(type)"
        case .wrongType(let expected, let found): "\(place): \(found) where a \(expected) is expected"
        case .unknownValue(let type, let found): "\(place): \(found) is no \(type)"
        case .wrongKind(let expected, let found): "\(place): a \(found) where the model has a \(expected)"
        case .badKey(let type, let key): "\(document): \"\(key)\" is no key of type \(type)"
        }
    }

    /// What to do.
    public var hint: String {
        switch problem {
        case .missing: "give the field an initial value in the model, make it optional, or set it"
        case .wrongType: "change the field's type in the model, or set what fits"
        case .unknownValue: "was it written by a newer version? add the value to the type, or set another"
        case .wrongKind(let expected, _):
            "replctl convert SPACE KEY PATH \(expected) gives the place that kind with its value"
        case .badKey: "use another prefix for these documents, or another type of key"
        }
    }

    public var description: String { "\(message); \(hint)" }
}
