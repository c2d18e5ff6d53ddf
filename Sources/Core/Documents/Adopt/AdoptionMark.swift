// How a change says that it adopts another: by its first operation, a move of a list element in a list that
// is nowhere. Whatever names an element that was never inserted there has no effect at all, on any version of
// this program (`DocumentState+Apply`), so the mark is carried everywhere and shows nowhere (decision 0173).

public import Bytes
public import Causality

extension Operation {
    /// Before the name of the adopted change, in the key of the slot of that list.
    private static let word = "adopts "

    /// The mark. `seen`: any dot that the author has seen, which is all that it has to be.
    public init(adopting change: Dot, in document: Key, naming seen: Dot) {
        let step = ContainerStep(.key(Key(Self.word + change.description)), .list, .first)
        self.init(
            document: document,
            body: .act(
                in: ContainerPath(generation: .max, steps: [step]),
                .moveElement(seen, left: nil, right: nil)))
    }

    /// The change that it marks as adopted; nil when it is no mark.
    public var adopted: Dot? {
        guard case .act(let path, .moveElement(_, nil, nil)) = body, path.generation == .max, path.depth == 1,
            case .key(let name)? = path.steps.first?.slot, name.string.hasPrefix(Self.word)
        else { return nil }
        return Dot(String(name.string.dropFirst(Self.word.count)))
    }
}
