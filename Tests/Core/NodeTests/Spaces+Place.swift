// Tests have few spaces, and reach them by their place.

@testable import Node

extension Spaces {
    subscript(place: Int) -> Space {
        get { self[index(startIndex, offsetBy: place)] }
        // In place: some tests change much of a space.
        _modify { yield &self[index(startIndex, offsetBy: place)] }
    }
}
