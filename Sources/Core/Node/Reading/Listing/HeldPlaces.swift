// A listing in an order that its source does not have is sorted here. All that matches is looked at once, and
// the first places are kept, up to a bound; when pages have used them up, all is looked at again from there
// on. So memory is bounded whatever is listed, and most listings are looked at once.

import Bytes
import Documents

/// The first places of a listing behind one of it, in order.
struct HeldPlaces: Sendable {
    private let order: DocumentOrder
    private let bytesMax: Int
    /// What is held begins behind this place; nil: at the beginning.
    private(set) var start: ListingPlace?
    /// In order after `finish`.
    private(set) var places: [ListingPlace] = []
    private var bytes = 0
    /// Nothing that belongs behind the last one was dropped.
    private(set) var isComplete = false
    private var isFinished = false

    init(order: DocumentOrder, bytesMax: Int) {
        self.order = order
        self.bytesMax = bytesMax
    }

    /// Forgets all; what is added from now on stands behind this place.
    mutating func begin(after place: ListingPlace?) {
        (start, places, bytes, isComplete, isFinished) = (place, [], 0, true, false)
    }

    /// In any order; places that are not behind the start are not taken.
    mutating func add(_ place: ListingPlace) {
        precondition(!isFinished, "a place after the last one")
        if let start, !order.isBefore(start, place) { return }
        places.append(place)
        bytes += place.estimatedBytes
        // Sorting at twice the bound costs each place a constant number of comparisons, times a logarithm.
        if bytes > 2 * bytesMax { cut() }
    }

    /// All were added.
    mutating func finish() {
        cut()
        isFinished = true
    }

    /// The places behind one; nil when they are not known here.
    func places(after place: ListingPlace?) -> ArraySlice<ListingPlace>? {
        guard isFinished else { return nil }
        if let start {
            guard let place, place == start || order.isBefore(start, place) else { return nil }
        }
        guard let place else { return places[...] }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if order.isBefore(place, places[middle]) { high = middle } else { low = middle + 1 }
        }
        return low == places.count && !isComplete ? nil : places[low...]
    }

    /// Sorts, and drops the last ones over the bound; one at least stays.
    private mutating func cut() {
        places.sort { order.isBefore($0, $1) }
        while bytes > bytesMax, places.count > 1 {
            bytes -= places.removeLast().estimatedBytes
            isComplete = false
        }
    }
}

extension ListingPlace {
    fileprivate var estimatedBytes: Int {
        let value = if case .string(let string) = value { string.utf8Count } else { 0 }
        return 64 + key.utf8Count + value
    }
}
