// A document is a few arrays of structs, addressed by handles: nothing is copied when one container deep
// inside changes, and no enum payload is taken out and put back (which would copy it).

/// A container of the document: an index into `DocumentState.containers`.
struct ContainerHandle: Hashable, Sendable {
    let index: Int
}

/// A slot of the document: an index into `DocumentState.slots`.
struct SlotHandle: Hashable, Sendable {
    let index: Int
}
