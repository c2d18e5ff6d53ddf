// Applies the patches of a change stream to plain values, as a program that watches would.

import Bytes
import Documents

/// Patches that do not fit the value they are for.
struct PatchMisfit: Error {
    let patch: Patch
}

extension Patch {
    /// The value after this patch; nil when the document is gone.
    func applied(to value: PlainValue?) throws(PatchMisfit) -> PlainValue? {
        if path.isEmpty {
            guard change == .delete, value != nil else { throw PatchMisfit(patch: self) }
            return nil
        }
        return try changed(value ?? .emptyObject, path[...])
    }

    private func changed(_ value: PlainValue, _ path: ArraySlice<PathElement>) throws(PatchMisfit)
        -> PlainValue
    {
        guard let step = path.first else { return try spliced(value) }
        let isLast = path.count == 1
        switch (step, value) {
        case (.key(let key), .object(var members)):
            let index = members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
            if isLast, case .set(let new) = change {
                if let index { members.remove(at: index) }
                let place = members.firstIndex { key.utf8.lexicographicallyPrecedes($0.key.utf8) }
                members.insert(PlainValue.Member(key, new), at: place ?? members.count)
                return .object(members)
            }
            guard let index else { throw PatchMisfit(patch: self) }
            if isLast, change == .delete {
                members.remove(at: index)
            } else {
                members[index].value = try changed(members[index].value, path.dropFirst())
            }
            return .object(members)
        case (.index(let index), .array(var values)):
            guard values.indices.contains(index), !(isLast && change == .delete) else {
                throw PatchMisfit(patch: self)
            }
            if isLast, case .set(let new) = change {
                values[index] = new
            } else {
                values[index] = try changed(values[index], path.dropFirst())
            }
            return .array(values)
        default: throw PatchMisfit(patch: self)
        }
    }

    private func spliced(_ value: PlainValue) throws(PatchMisfit) -> PlainValue {
        switch (change, value) {
        case (.spliceText(let index, let delete, let insert), .scalar(.string(let text))):
            var scalars = Array(text.string.unicodeScalars)
            guard index >= 0, delete >= 0, index + delete <= scalars.count else {
                throw PatchMisfit(patch: self)
            }
            scalars.replaceSubrange(index..<index + delete, with: Array(insert.unicodeScalars))
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return .scalar(.string(Key(String(view))))
        case (.spliceList(let index, let delete, let insert), .array(var values)):
            guard index >= 0, delete >= 0, index + delete <= values.count else {
                throw PatchMisfit(patch: self)
            }
            values.replaceSubrange(index..<index + delete, with: insert)
            return .array(values)
        default: throw PatchMisfit(patch: self)
        }
    }
}
