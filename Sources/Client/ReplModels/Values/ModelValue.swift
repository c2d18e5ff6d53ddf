// What a field of a model can be: how it is read from a slot of a document, and how a new value of it becomes
// operations. Only what differs is written, so that what other devices write at the same time stays.

public import JSON

/// A type that a field of a model can have.
public protocol ModelValue: Equatable, Sendable {
    /// What the slot shows. An absent slot of a container is an empty one.
    static func read(_ slot: ModelSlot) throws(Misfit) -> Self

    /// Everything in the slot that does not fit, not only the first of it.
    static func misfits(in slot: ModelSlot) -> [Misfit]

    /// Writes operations by which a slot that shows `old` comes to show this; nil: it is absent.
    func write(over old: Self?, to place: ModelPlace)

    /// What of the value is plain JSON (registers, lists, maps), for what is made anew in one piece; nil
    /// where nothing is. `writeContainers` adds the rest.
    var skeleton: PlainValue? { get }

    /// Writes what `skeleton` leaves out (texts, counters, sets) into what was made of it.
    func writeContainers(to place: ModelPlace)
}

extension ModelValue {
    public static func misfits(in slot: ModelSlot) -> [Misfit] {
        do throws(Misfit) {
            _ = try read(slot)
            return []
        } catch {
            return [error]
        }
    }
}

/// What an element of a list can be: a scalar or a model.
public protocol ModelElement: ModelValue {}

/// What is assigned as a whole inside a transaction (`$0.notes["1"].title = "x"`): scalars and optionals.
public protocol ModelAssignable: ModelValue {}

/// What is edited in parts inside a transaction: texts, counters, sets, lists, maps and models.
public protocol ModelContainer: ModelValue {
    associatedtype Draft
    static func draft(at place: ModelPlace) -> Draft
}

extension Optional: ModelValue where Wrapped: ModelValue {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> Wrapped? {
        guard !slot.isAbsentOrNull else { return nil }
        return try Wrapped.read(slot)
    }

    public static func misfits(in slot: ModelSlot) -> [Misfit] {
        slot.isAbsentOrNull ? [] : Wrapped.misfits(in: slot)
    }

    public func write(over old: Wrapped??, to place: ModelPlace) {
        switch (self, old ?? nil) {
        case (nil, nil): break
        case (nil, _?): place.delete()
        case (let value?, let old): value.write(over: old, to: place)
        }
    }

    public var skeleton: PlainValue? { self?.skeleton }
    public func writeContainers(to place: ModelPlace) { self?.writeContainers(to: place) }
}

extension Optional: ModelAssignable where Wrapped: ModelValue {}
