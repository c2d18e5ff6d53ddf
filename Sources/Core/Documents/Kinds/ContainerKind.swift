// The kinds of container, and the one switch over them. A new kind is a case here, with its name, its array
// in `ContainerContents` and its line in `content`; all that it does stands in a file of its own behind
// `ContainerContent` (decision 0120).

/// The kinds of container. The raw values are bytes on the wire and in snapshots; 0 is a register's place
/// there.
public enum ContainerKind: UInt8, Hashable, Sendable, CaseIterable {
    case map = 1
    case list = 2
    case orderedSet = 3
    case set = 4
    case removeWinsSet = 5
    case text = 6
    case counter = 7

    /// As the API writes it.
    public var name: String {
        switch self {
        case .map: "map"
        case .list: "list"
        case .orderedSet: "ordered-set"
        case .set: "set"
        case .removeWinsSet: "remove-wins-set"
        case .text: "text"
        case .counter: "counter"
        }
    }

    /// What containers of the kind do. Nothing else in the core switches over kinds.
    var content: any ContainerContent.Type {
        switch self {
        case .map: MapContent.self
        case .list: ListContent.self
        case .orderedSet: OrderedMembers.self
        case .set: AddWinsMembers.self
        case .removeWinsSet: RemoveWinsMembers.self
        case .text: TextContainer.self
        case .counter: CounterContent.self
        }
    }

    /// The names of all kinds, as a sentence lists them.
    public static var names: String {
        let names = allCases.map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
    }

    /// Reads `name` back; nil when it is anything else.
    public init?(name: String) {
        guard let kind = ContainerKind.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The form of its value in the typed view.
    public var typedForm: TypedForm { content.typedForm }
}

/// The contents of a document's containers, an array for each kind, so that changing one never copies
/// another. `ContainerState.content` is an index into the array of the container's kind; arrays only grow.
struct ContainerContents: Sendable {
    var maps: [MapContent] = []
    var lists: [ListContent] = []
    var orderedSets: [OrderedMembers] = []
    var sets: [AddWinsMembers] = []
    var removeWinsSets: [RemoveWinsMembers] = []
    var texts: [TextContainer] = []
    var counters: [CounterContent] = []
}
