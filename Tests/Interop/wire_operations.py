"""What logs and blocks share of operations, from Sources/Docs/WIRE.md: tags, scalars, kinds, ranges, validity.

An operation is a dict: tag, document, place (generation, steps) and the parts of its action. Dots are (replica,
sequence), slots ("key", bytes) or ("element", dot), steps (slot, kind, generation), scalars (tag, value).
"""
from wire_bytes import SEQUENCE_MAX, counted, need, zigzag

SEQUENCES_MAX = OPERATIONS_MAX = 1 << 20
CHANGE_MAX, STRING_MAX, CONTEXT_MAX, HEADS_MAX = 1 << 20, 1 << 19, 1 << 15, 256
CONTAINER = 6
NAMES = {
    1: "delete document", 2: "make", 3: "write", 4: "clear", 5: "increment", 6: "add", 7: "remove",
    8: "insert elements", 9: "delete elements", 10: "move element", 11: "insert members", 12: "move member",
    13: "insert text", 14: "delete text",
}
# What follows the container, in order.
PARTS = {
    2: (), 3: ("slot", "scalar", "new"), 4: ("slot", "observed"), 5: ("amount",), 6: ("scalar",), 7: ("scalar",),
    8: ("origins", "elements"), 9: ("ranges",), 10: ("element", "origins"), 11: ("origins", "members"),
    12: ("scalar", "origins"), 13: ("origins", "text"), 14: ("ranges",),
}
MAP, LIST, ORDERED, SET, REMOVE_WINS, TEXT, COUNTER = range(1, 8)
ALLOWED = {
    MAP: {3, 4}, LIST: {3, 4, 8, 9, 10}, ORDERED: {7, 11, 12}, SET: {6, 7}, REMOVE_WINS: {6, 7}, TEXT: {13, 14},
    COUNTER: {5},
}


def sequence_count(operation):
    tag = operation["tag"]
    if tag == 13:
        return len(operation["text"].decode())
    if tag in (8, 11):
        return len(operation["values"])
    return operation["sequences"] if tag >= 64 else 1


def change_sequences(change):
    return sum(map(sequence_count, change["operations"])) or 1


def check_double(bits):
    """Never NaN, infinite, -0, or integral with a magnitude up to 2^53."""
    exponent, fraction = bits >> 52 & 2047, bits & (1 << 52) - 1
    need(exponent != 2047 and bits != 1 << 63, "a double that is no number of JSON")
    magnitude = fraction * 2.0 ** -1074 if exponent == 0 else (1 + fraction / 2.0 ** 52) * 2.0 ** (exponent - 1023)
    need(not (magnitude <= 2.0 ** 53 and magnitude == int(magnitude)), "a double that is an integer")


class Table:
    """Values by the order of their first mention."""

    def __init__(self):
        self.values, self.indexes = [], {}

    def add(self, value):
        need(value not in self.indexes, "spelled out again")
        self.indexes[value] = len(self.values)
        self.values.append(value)
        return len(self.values) - 1

    def at(self, index):
        need(0 <= index < len(self.values), "an index of nothing")
        return self.values[index]


# MARK: Parts that need no log


def read_heads(body):
    heads = [body.raw(32) for _ in range(body.count(HEADS_MAX, "roster heads"))]
    need(all(a < b for a, b in zip(heads, heads[1:])), "roster heads out of order")
    return heads


def bounded(body):
    count = body.varint()
    need(count <= body.left(), "a count of more than there is")
    return count


def positive(body):
    count = bounded(body)
    need(count > 0, "a list of nothing")
    return count


def read_kind(body):
    kind = body.u8()
    need(MAP <= kind <= COUNTER, "a kind of container")
    return kind


def check_generation(value):
    need(1 <= value <= 1 << 30, "a generation")
    return value


def read_generation(body):
    return check_generation(body.varint())


def append_range(ranges, replica, first, count):
    last = first + count - 1
    need(count >= 1 and last <= SEQUENCE_MAX, "a range")
    if ranges:
        former = ranges[-1]
        need((former[0], former[2]) < (replica, first), "ranges out of order")
    ranges.append((replica, first, last))


def read_scalar(body, tag):
    if tag <= 2:
        return (tag, None)
    if tag == 3:
        return (tag, body.zigzag())
    if tag == 4:
        bits = body.u64()
        check_double(bits)
        return (tag, bits)
    need(tag == 5, "a tag of a scalar")
    return (tag, body.text(STRING_MAX, "string"))


def scalar_bytes(scalar):
    tag, value = scalar
    head = bytes([tag])
    if tag == 3:
        return head + zigzag(value)
    if tag == 4:
        return head + value.to_bytes(8, "big")
    return head + counted(value) if tag == 5 else head


# MARK: Static validity


def is_valid(change):
    """False for a change that is void whatever else is held."""
    first = change["first"]
    for operation in change["operations"]:
        if not is_valid_operation(operation, change, first):
            return False
        first += sequence_count(operation)
    return True


def is_valid_operation(operation, change, first):
    def seen(dot):
        if dot is None:
            return True
        replica, sequence = dot
        return sequence < first if replica == change["replica"] else sequence <= change["context"].get(replica, 0)

    def holds(kind, slot):
        return kind == MAP if slot[0] == "key" else kind == LIST and seen(slot[1])

    tag = operation["tag"]
    if tag == 64:
        payload = operation["payload"]
        return (operation["document"], operation["sequences"]) == (b"\0", 1) and payload[:1] == b"\1" and len(payload) in (1, 33)
    if tag == 1 or tag >= 64:
        return True
    kind = MAP
    for slot, child, _ in operation["place"][1]:
        if not holds(kind, slot):
            return False
        kind = child
    if tag != 2 and tag not in ALLOWED[kind]:
        return False
    dots = [operation.get("left"), operation.get("right"), operation.get("element")]
    dots += [(replica, last) for replica, _, last in operation.get("ranges", [])]
    if tag == 11 and len(set(operation["values"])) < len(operation["values"]):
        return False
    return all(map(seen, dots)) and ("slot" not in operation or holds(kind, operation["slot"]))
