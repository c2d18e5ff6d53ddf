"""Canonical changes, read and written from Sources/Docs/WIRE.md ("Canonical changes") alone.

A change is a dict: replica, first, time, context {replica: sequence}, declaration (device, incarnation) or None, heads
and operations (wire_operations.py).
"""
from wire_bytes import SEQUENCE_MAX, TIME_MAX, Reader, counted, need, varint, zigzag
from wire_operations import (
    CHANGE_MAX, CONTAINER, CONTEXT_MAX, NAMES, OPERATIONS_MAX, PARTS, SEQUENCES_MAX, STRING_MAX, Table,
    append_range, bounded, change_sequences, positive, read_generation, read_heads, read_kind, read_scalar,
    scalar_bytes, sequence_count,
)


class Log:
    """Where the next change of a log is coded against; `decode` and `encode` move on alike."""

    def __init__(self, replica, last=0, time=0):
        self.replica, self.next, self.time = replica, last + 1, time
        self.begin_section()

    def begin_section(self):
        self.boundary, self.section_bytes = self.next - 1, 0
        self.context, self.heads, self.mentioned, self.last_right = {}, [], {}, None
        self.replicas, self.documents, self.keys, self.places = Table(), Table(), Table(), Table()

    def is_at_boundary(self):
        return self.next - 1 == self.boundary

    def pass_change(self, change, byte_count, context_bytes):
        counted_bytes = byte_count - (context_bytes if self.is_at_boundary() else 0)
        self.next, self.time = change["first"] + change_sequences(change), change["time"]
        self.section_bytes += counted_bytes
        if self.next - 1 - self.boundary >= 4096 or self.section_bytes >= 65536:
            self.begin_section()

    # MARK: Reading

    def decode(self, reader):
        start = reader.at
        length = reader.count(CHANGE_MAX, "change")
        need(length <= reader.left(), "truncated")
        body = Reader(reader.data, reader.at, reader.at + length)
        reader.raw(length)
        change, context_bytes = self.decode_head(body)
        self.cursor, sequences = self.next, 0
        while body.left():
            need(len(change["operations"]) < OPERATIONS_MAX, "operations over their limit")
            operation = self.decode_operation(body)
            sequences += sequence_count(operation)
            need(sequences <= SEQUENCES_MAX, "sequences over their limit")
            self.cursor += sequence_count(operation)
            change["operations"].append(operation)
        need(self.cursor <= SEQUENCE_MAX, "the last sequence")
        need(change["operations"] or change["declaration"], "a change of nothing")
        self.pass_change(change, reader.at - start, context_bytes)
        return change

    def decode_head(self, body):
        flags = body.u8()
        need(flags <= 3, "flags")
        time = (0 if self.is_at_boundary() else self.time) + body.varint()
        need(self.time < time <= TIME_MAX, "time")
        declaration = (body.raw(32), body.u64()) if self.next == 1 else None
        start = body.at
        if flags & 1:
            count, former = body.count(CONTEXT_MAX, "context"), b""
            need(count > 0, "an empty context")
            for _ in range(count):
                replica = self.read_replica(body.varint(), body)
                need(former < replica, "a context out of order")
                before = self.context.get(replica, 0)
                last = before + body.varint()
                need(before < last <= SEQUENCE_MAX, "an entry of a context")
                self.context[replica], former = last, replica
                if not self.mentioned[replica]:
                    self.mentioned[replica] = last
        context_bytes, heads = body.at - start, []
        if flags & 2:
            heads = read_heads(body)
            need(heads and heads != self.heads, "roster heads that did not advance")
            self.heads = heads
        return {
            "replica": self.replica, "first": self.next, "time": time, "context": dict(self.context),
            "declaration": declaration, "heads": heads, "operations": []}, context_bytes

    def decode_operation(self, body):
        tag = body.varint()
        need(tag in NAMES or tag >= 64, "an unknown operation")
        operation = {"tag": tag}
        if tag >= 64:
            operation["document"] = self.read_document(body)
            operation["sequences"] = body.count(SEQUENCES_MAX, "sequences")
            need(operation["sequences"] > 0, "no sequence")
            operation["payload"] = body.counted(CHANGE_MAX, "payload")
        elif tag == 1:
            operation["document"], observed, last = self.read_document(body), [], 0
            for _ in range(positive(body)):
                step = body.varint()
                last += step
                need(step > 0 and last <= 1 << 30, "generations out of order")
                observed.append(last)
            operation["observed"] = observed
        else:
            operation["document"], operation["place"] = self.read_place(body)
            for part in PARTS[tag]:
                getattr(self, "read_" + part)(operation, body)
        return operation

    def read_replica(self, code, body):
        if code:
            return self.replicas.at(code - 1)
        replica = body.raw(16)
        need(replica != self.replica, "the log's own replica")
        self.replicas.add(replica)
        self.mentioned[replica] = 0
        return replica

    def read_dot(self, body, code=None):
        code = body.varint() if code is None else code
        if code & 1 == 0:
            need(0 < code >> 1 < self.cursor, "an own dot")
            return (self.replica, self.cursor - (code >> 1))
        replica = self.read_replica(code >> 1, body)
        sequence = self.mentioned[replica] + body.zigzag()
        need(1 <= sequence <= SEQUENCE_MAX, "a dot")
        self.mentioned[replica] = sequence
        return (replica, sequence)

    def read_document(self, body):
        code = body.varint()
        if code:
            return self.documents.at(code - 1)
        document = body.text(512, "document")
        need(document, "a document without a name")
        self.documents.add(document)
        return document

    def read_place(self, body):
        code = body.varint()
        if code:
            return self.place(code - 1)
        base = body.varint()
        if base:
            index = base - 1
        else:
            document = self.read_document(body)
            index = self.places.add((None, document, read_generation(body)))
        document, (generation, steps) = self.place(index)
        count = body.count(32 - len(steps), "nesting")
        need(count or not base, "a container that has an index")
        for _ in range(count):
            index = self.places.add((index, (self.read_slot_value(body), read_kind(body), read_generation(body))))
        return self.place(index)

    def place(self, index):
        """Document and path of a container by its index."""
        steps, entry = [], self.places.at(index)
        while entry[0] is not None:
            steps.append(entry[1])
            entry = self.places.at(entry[0])
        return entry[1], (entry[2], tuple(reversed(steps)))

    def read_slot_value(self, body):
        code = body.varint()
        if code == 0:
            return ("element", self.read_dot(body))
        if code == 1:
            key = body.text(1024, "key")
            self.keys.add(key)
            return ("key", key)
        return ("key", self.keys.at(code - 2))

    def read_slot(self, operation, body):
        operation["slot"] = self.read_slot_value(body)

    def read_scalar(self, operation, body):
        operation["value"] = read_scalar(body, body.u8())

    def read_new(self, operation, body):
        operation["new"] = read_generation(body)

    def read_observed(self, operation, body):
        observed = []
        for _ in range(bounded(body)):
            kind, generation = read_kind(body), read_generation(body)
            need(not observed or observed[-1][::-1] < (generation, kind), "observed containers out of order")
            observed.append((kind, generation))
        operation["observed"] = observed

    def read_amount(self, operation, body):
        operation["amount"] = body.zigzag()

    def read_origins(self, operation, body):
        code = body.varint()
        operation["left"] = self.read_dot(body, code) if code else None
        code = body.varint()
        if code <= 1:
            need(code == 0 or self.last_right, "no last right origin")
            operation["right"] = self.last_right if code else None
            return
        right = self.read_dot(body, code - 1)
        need(right != self.last_right, "the last right origin spelled out")
        operation["right"] = self.last_right = right

    def read_elements(self, operation, body):
        operation["values"] = []
        for _ in range(positive(body)):
            tag = body.u8()
            operation["values"].append((CONTAINER, None) if tag == CONTAINER else read_scalar(body, tag))

    def read_members(self, operation, body):
        operation["values"] = [read_scalar(body, body.u8()) for _ in range(positive(body))]

    def read_text(self, operation, body):
        operation["text"] = body.text(STRING_MAX, "text")
        need(operation["text"], "no text")

    def read_element(self, operation, body):
        operation["element"] = self.read_dot(body)

    def read_ranges(self, operation, body):
        ranges = []
        for _ in range(positive(body)):
            replica, first = self.read_dot(body)
            append_range(ranges, replica, first, body.varint() + 1)
        operation["ranges"] = ranges

    # MARK: Writing

    def encode(self, change):
        self.cursor, body, flags = self.next, b"", 0
        need(change["replica"] == self.replica and change["first"] == self.next, "not the log's next change")
        need(change["time"] > self.time, "time goes back")
        body += varint(change["time"] - (0 if self.is_at_boundary() else self.time))
        if change["declaration"]:
            body += change["declaration"][0] + change["declaration"][1].to_bytes(8, "big")
        context = b""
        for replica, last in sorted(change["context"].items()):
            before = self.context.get(replica, 0)
            need(before <= last, "a context that shrinks")
            if before < last:
                flags = 1
                context += self.name_replica(replica) + varint(last - before)
                self.mentioned[replica] = self.mentioned[replica] or last
        need(len(self.context.keys() - change["context"].keys()) == 0, "a context that shrinks")
        if flags:
            advanced = sum(1 for replica, last in change["context"].items() if last > self.context.get(replica, 0))
            need(advanced <= CONTEXT_MAX, "a context over its limit")
            context, self.context = varint(advanced) + context, dict(change["context"])
        body += context
        if change["heads"]:
            need(change["heads"] != self.heads, "roster heads that did not advance")
            flags, self.heads = flags | 2, change["heads"]
            body += varint(len(self.heads)) + b"".join(self.heads)
        parts = [bytes([flags]) + body]
        for operation in change["operations"]:
            parts.append(self.operation(operation))
            self.cursor += sequence_count(operation)
        whole = counted(b"".join(parts))
        self.pass_change(change, len(whole), len(context))
        return whole

    def operation(self, operation):
        tag = operation["tag"]
        out = varint(tag)
        if tag >= 64:
            return out + self.document(operation["document"]) + varint(operation["sequences"]) + counted(
                operation["payload"])
        if tag == 1:
            observed = operation["observed"]
            steps = [after - before for before, after in zip([0] + observed, observed)]
            return out + self.document(operation["document"]) + varint(len(steps)) + b"".join(map(varint, steps))
        out += self.container(operation["document"], operation["place"])
        for part in PARTS[tag]:
            out += getattr(self, "write_" + part)(operation)
        return out

    def name_replica(self, replica):
        if replica in self.replicas.indexes:
            return varint(self.replicas.indexes[replica] + 1)
        self.replicas.add(replica)
        self.mentioned[replica] = 0
        return varint(0) + replica

    def dot(self, dot, shift=0):
        replica, sequence = dot
        if replica == self.replica:
            return varint((self.cursor - sequence) * 2 + shift)
        if replica in self.replicas.indexes:
            out = varint((self.replicas.indexes[replica] + 1) * 2 + 1 + shift)
        else:
            out = varint(1 + shift) + replica
            self.replicas.add(replica)
            self.mentioned[replica] = 0
        out += zigzag(sequence - self.mentioned[replica])
        self.mentioned[replica] = sequence
        return out

    def document(self, document):
        if document in self.documents.indexes:
            return varint(self.documents.indexes[document] + 1)
        self.documents.add(document)
        return varint(0) + counted(document)

    def container(self, document, place):
        generation, steps = place
        index = self.places.indexes.get((None, document, generation))
        done = 0
        while index is not None and done < len(steps) and (index, steps[done]) in self.places.indexes:
            index = self.places.indexes[index, steps[done]]
            done += 1
        if index is not None and done == len(steps):
            return varint(index + 1)
        out = varint(0)
        if index is not None:
            out += varint(index + 1)
        else:
            out += varint(0) + self.document(document) + varint(generation)
            index = self.places.add((None, document, generation))
        out += varint(len(steps) - done)
        for step in steps[done:]:
            out += self.slot(step[0]) + bytes([step[1]]) + varint(step[2])
            index = self.places.add((index, step))
        return out

    def slot(self, slot):
        if slot[0] == "element":
            return varint(0) + self.dot(slot[1])
        if slot[1] in self.keys.indexes:
            return varint(self.keys.indexes[slot[1]] + 2)
        self.keys.add(slot[1])
        return varint(1) + counted(slot[1])

    def write_slot(self, operation):
        return self.slot(operation["slot"])

    def write_scalar(self, operation):
        return scalar_bytes(operation["value"])

    def write_new(self, operation):
        return varint(operation["new"])

    def write_observed(self, operation):
        return varint(len(operation["observed"])) + b"".join(
            bytes([kind]) + varint(generation) for kind, generation in operation["observed"])

    def write_amount(self, operation):
        return zigzag(operation["amount"])

    def write_origins(self, operation):
        out = varint(0) if operation["left"] is None else self.dot(operation["left"])
        right = operation["right"]
        if right is None:
            return out + varint(0)
        if right == self.last_right:
            return out + varint(1)
        self.last_right = right
        return out + self.dot(right, 1)

    def write_elements(self, operation):
        return varint(len(operation["values"])) + b"".join(map(scalar_bytes, operation["values"]))

    write_members = write_elements

    def write_text(self, operation):
        return counted(operation["text"])

    def write_element(self, operation):
        return self.dot(operation["element"])

    def write_ranges(self, operation):
        out = varint(len(operation["ranges"]))
        for replica, first, last in operation["ranges"]:
            out += self.dot((replica, first)) + varint(last - first)
        return out
