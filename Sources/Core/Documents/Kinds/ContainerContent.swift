// What a kind of container must say of itself. The rest of the floor knows containers only by this protocol:
// it opens paths, keeps edits and slots, and asks the kind for everything that is inside.
//
//   an operation    canHold · allows      is it valid by itself?
//                   perform               what it does
//                   appendPatches         what that changed in the plain value
//   a read          slot · shownSlots · member    where a path leads
//                   plain · typed         what is shown
//   a request       locate · takes · act · setDifference · restore · create · converted
//                                         which operations it becomes
//   a snapshot      addReplicas · encode · decode
//   a base          purge · move
//   a check         slotCount · contentBytes · checkInvariants
//
// All are static and get the whole state and a handle: a map or a list changes slots and other containers
// with its own content. The types are called through metatypes, which costs one indirect call and no
// allocation.

import Bytes
import Causality

/// The content of one container of some kind, and what the kind does.
protocol ContainerContent: Sendable {
    /// Nothing in it.
    init()

    /// Adds an empty content to the array of the kind; returns its index there.
    static func make(in contents: inout ContainerContents) -> Int

    // MARK: Operations

    /// True when containers of this kind have slots of this name, as far as an operation with this stamp can
    /// know.
    static func canHold(_ slot: Slot, _ stamp: OperationStamp) -> Bool

    /// True when the action is statically valid here: the kind has it, its values are canonical and within
    /// limits, every dot that it names was seen. Never asked about `make`.
    static func allows(_ action: Action, _ stamp: OperationStamp) -> Bool

    /// Executes an action that `allows` accepted, and records what it touches in the batch. The container and
    /// all above it are open, and their edits are counted.
    static func perform(
        _ action: Action, in container: ContainerHandle, of state: inout DocumentState,
        by stamp: OperationStamp, _ batch: inout PatchBatch)

    /// The patches of a batch inside a container that was shown before and is shown now.
    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch])

    // MARK: Slots

    /// The slot of a name, where there is one.
    static func slot(_ name: Slot, in container: ContainerHandle, of state: DocumentState) -> SlotHandle?

    /// The visible slot that a step of a request names.
    static func slot(
        at step: PathElement, in container: ContainerHandle, of state: DocumentState
    ) -> SlotHandle?

    /// The slots in it that show something, in their order.
    static func shownSlots(
        of container: ContainerHandle, in state: DocumentState
    ) -> [(step: PathElement, slot: SlotHandle)]

    /// The member that a step of a request names, where members are no slots.
    static func member(
        at step: PathElement, of container: ContainerHandle, in state: DocumentState
    ) -> Scalar?

    /// Removes the record of a slot that holds nothing. False when the record has to stay.
    static func removeSlot(
        _ name: Slot, _ slot: SlotHandle, from container: ContainerHandle, of state: inout DocumentState
    ) -> Bool

    // MARK: Views

    /// The form of its value in the typed view.
    static var typedForm: TypedForm { get }

    /// What programs read.
    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue

    /// The same with kinds, conflicts and element ids inside.
    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue

    // MARK: Requests

    /// One step of a request's path. `container` is nil when it is still to be made. Nil when nothing is
    /// there and nothing shall be made.
    static func locate(
        _ step: PathElement, in container: ContainerHandle?, at path: ContainerPath, making: Bool,
        _ planner: Planner
    ) throws(AuthorError) -> Target?

    /// True for the verbs that act in a container of this kind.
    static func takes(_ verb: OperationRequest.Verb) -> Bool

    /// Plans a verb that the kind takes. Without a container, `path` is that of the one to be made.
    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner) throws(AuthorError)

    /// Plans what makes a shown container equal to a value. False when the value does not fit the kind: then
    /// the container is replaced. `isRequested` is false inside a larger value.
    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool

    /// True when `set` of a list writes a value of this shape into an element's container of this kind.
    static func fits(_ value: PlainValue) -> Bool

    /// Plans what makes a shown container equal to a typed value, part by part. False when the kind compares
    /// and replaces the whole.
    static func restore(
        _ container: ContainerHandle, at path: ContainerPath, to value: TypedValue, _ planner: inout Planner
    ) throws(AuthorError) -> Bool

    /// Plans the content of a new container; writes `make` where it stays empty.
    static func create(
        _ value: TypedValue, at path: ContainerPath, _ planner: inout Planner) throws(AuthorError)

    /// What `convert` makes of a shown value; nil when the value does not fit the kind, or nothing is
    /// converted to it.
    static func converted(from value: PlainValue) -> TypedValue?

    /// True when two containers of equal values, made apart, are one of that value when they merge: nothing
    /// in it counts twice.
    static var joinsEqualValues: Bool { get }

    // MARK: Snapshots

    /// Adds every replica whose dots `encode` writes through the table; slots and edits are not its own.
    static func addReplicas(
        of container: ContainerHandle, in state: DocumentState, to replicas: inout Set<ReplicaID>)

    /// Writes the canonical bytes of the content: equal contents, equal bytes.
    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder)

    /// Reads them into an empty container, and checks what the rest relies on. `depth`: steps below the root
    /// map.
    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault)

    // MARK: Bases

    /// Brings the content into the normal form as of `stable` (`Document.purge`).
    static func purge(
        _ container: ContainerHandle, asOf stable: VersionVector, in state: inout DocumentState)

    /// Moves what stays of the content into an empty container of the new state.
    static func move(_ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors)

    // MARK: Checks

    /// Slots that hang in the container.
    static func slotCount(of container: ContainerHandle, in state: DocumentState) -> Int

    /// Bytes of elements and members with the tables that find them, as `DocumentState.contentBytes` counts
    /// them. O(1).
    static func contentBytes(of container: ContainerHandle, in state: DocumentState) -> Int

    /// Stops with the broken invariant. O(size).
    static func checkInvariants(of container: ContainerHandle, in state: DocumentState)
}

// What a kind need not say: it has no slots, nothing of it is counted, nothing of it names replicas,
// nothing in it is purged.
extension ContainerContent {
    static func canHold(_ slot: Slot, _ stamp: OperationStamp) -> Bool { false }

    static func slot(_ name: Slot, in container: ContainerHandle, of state: DocumentState) -> SlotHandle? {
        nil
    }

    static func slot(
        at step: PathElement, in container: ContainerHandle, of state: DocumentState
    ) -> SlotHandle? { nil }

    static func shownSlots(
        of container: ContainerHandle, in state: DocumentState
    ) -> [(step: PathElement, slot: SlotHandle)] { [] }

    static func member(
        at step: PathElement, of container: ContainerHandle, in state: DocumentState
    ) -> Scalar? { nil }

    static func removeSlot(
        _ name: Slot, _ slot: SlotHandle, from container: ContainerHandle, of state: inout DocumentState
    ) -> Bool { preconditionFailure("\(name) hangs in a container that has no slots") }

    static func locate(
        _ step: PathElement, in container: ContainerHandle?, at path: ContainerPath, making: Bool,
        _ planner: Planner
    ) throws(AuthorError) -> Target? {
        throw .leadsNowhere(step, in: path.kind)
    }

    static func takes(_ verb: OperationRequest.Verb) -> Bool { false }

    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner
    ) throws(AuthorError) { preconditionFailure("a \(path.kind.name) takes no \(verb)") }

    static func fits(_ value: PlainValue) -> Bool { false }

    static func restore(
        _ container: ContainerHandle, at path: ContainerPath, to value: TypedValue, _ planner: inout Planner
    ) throws(AuthorError) -> Bool { false }

    static func converted(from value: PlainValue) -> TypedValue? { nil }

    static var joinsEqualValues: Bool { false }

    static func addReplicas(
        of container: ContainerHandle, in state: DocumentState, to replicas: inout Set<ReplicaID>
    ) {}

    static func purge(
        _ container: ContainerHandle, asOf stable: VersionVector, in state: inout DocumentState
    ) {}

    static func slotCount(of container: ContainerHandle, in state: DocumentState) -> Int { 0 }

    static func contentBytes(of container: ContainerHandle, in state: DocumentState) -> Int { 0 }

    static func checkInvariants(of container: ContainerHandle, in state: DocumentState) {}
}

extension AuthorError {
    /// A step of a path that containers of this kind do not have.
    static func leadsNowhere(_ step: PathElement, in kind: ContainerKind) -> AuthorError {
        let form =
            switch step {
            case .key: "key"
            case .index: "number"
            case .element: "element id"
            }
        return .noSuchPlace("a \(form) leads nowhere in a \(kind.name)")
    }
}
