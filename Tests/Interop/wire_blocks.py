"""Blocks of changes, read from Sources/Docs/WIRE.md ("Blocks of changes") alone."""
from wire_bytes import SEQUENCE_MAX, TIME_MAX, Reader, is_utf8, need, unzstd
from wire_operations import (
    CHANGE_MAX, CONTAINER, NAMES, PARTS, SEQUENCES_MAX, STRING_MAX, Table, append_range, check_double,
    check_generation, read_heads, read_kind, sequence_count,
)

COLUMNS = (
    "schedule", "shapes", "times", "contexts", "names", "steps", "places", "counts", "lengths", "dots", "rights", "text",
    "numbers", "keys", "strings", "tags", "generations", "rest",
)
CONTEXT_ENTRIES_MAX = 1 << 21


class Runs:
    """A run column."""

    def __init__(self, reader):
        self.reader, self.literals, self.repeats, self.value = reader, 0, 0, 0

    def next(self):
        if self.repeats:
            self.repeats -= 1
            return self.value
        if not self.literals:
            head = self.reader.varint()
            need(head >= 2, "a piece of nothing")
            if head & 1 == 0:
                self.value, self.repeats = self.reader.varint(), (head >> 1) - 1
                return self.value
            self.literals = head >> 1
        self.literals -= 1
        return self.reader.varint()

    def finish(self):
        self.reader.finish()
        need(not self.literals and not self.repeats, "a piece that goes on")


class Log:
    def __init__(self, index, replica, last, time):
        self.index, self.replica, self.start = index, replica, (last, time)
        self.next, self.time, self.context, self.history = last + 1, time, {}, []
        self.near, self.last_right = (replica, last), None


class Block:
    """`changes` gives one change after the other; `starts` says where each log begins."""

    def __init__(self, data, bytes_max=64 << 20, operations_max=1 << 22):
        reader = Reader(data)
        need(reader.u8() == 1, "the version of a block")
        self.operations = reader.count(operations_max, "operations")
        lengths, total = [], 0
        for _ in COLUMNS:
            length = reader.count(bytes_max - total, "columns")
            total += length
            stored = reader.count(reader.left(), "column") if length else 0
            need(not stored or length <= stored * 4096, "a column that grows too much")
            lengths.append((length, stored))
        for name, (length, stored) in zip(COLUMNS, lengths):
            body = unzstd(reader.raw(stored), length) if stored else reader.raw(length)
            column = Reader(body, is_column=True)
            setattr(self, name, Runs(column) if name in ("shapes", "times", "places", "generations") else column)
        reader.finish()
        self.replicas, self.logs, self.containers, self.key_table = Table(), Table(), [], []
        self.mentioned, self.last_integer, self.context_entries = {}, 0, 0
        self.step, self.announced = {"left": 0}, self.operations

    def starts(self):
        return {log.replica: log.start for log in self.logs.values}

    def changes(self):
        while self.schedule.left():
            index = self.schedule.count(len(self.logs.values), "log")
            if index == len(self.logs.values):
                self.open_log()
            log = self.logs.at(index)
            for _ in range(self.schedule.varint()):
                yield self.change(log)
        need(self.step["left"] == 0 and self.operations == 0, "operations that nobody has")
        for name in COLUMNS:
            getattr(self, name).finish()

    def open_log(self):
        replica, last, time = self.replica(self.schedule.varint()), self.schedule.varint(), self.schedule.varint()
        need(last <= SEQUENCE_MAX and time <= TIME_MAX, "where a log begins")
        need(all(log.replica != replica for log in self.logs.values), "a log that is open")
        self.logs.add(Log(len(self.logs.values), replica, last, time))

    def replica(self, index):
        if index == len(self.replicas.values):
            self.mentioned[self.replicas.values[self.replicas.add(self.names.raw(16))]] = 0
        return self.replicas.at(index)

    # MARK: Changes

    def change(self, log):
        shape, difference = self.shapes.next(), self.times.next()
        log.time += difference
        need(difference >= 1 and log.time <= TIME_MAX, "time")
        declaration = (self.names.raw(32), self.names.u64()) if log.next == 1 else None
        if shape & 1:
            log.context = self.context(log)
        if shape & 1 or not log.history:
            log.history.append((log.next, log.context))
        heads = read_heads(self.names) if shape & 2 else []
        need(heads or not shape & 2, "no roster heads")
        need(shape >> 2 <= self.operations, "more operations than announced")
        self.operations -= shape >> 2
        first, operations = log.next, []
        for _ in range(shape >> 2):
            operations.append(self.operation(log))
            log.next += sequence_count(operations[-1])
            need(log.next - first <= SEQUENCES_MAX, "sequences over their limit")
        need(operations or declaration, "a change of nothing")
        log.next += 0 if operations else 1
        need(log.next <= SEQUENCE_MAX, "the last sequence")
        return {
            "replica": log.replica, "first": first, "time": log.time, "context": dict(log.context),
            "declaration": declaration, "heads": heads, "operations": operations}

    def context(self, log):
        code = self.contexts.varint()
        count, form, context = code >> 2, code & 3, log.context
        need(form != 2 and count <= self.contexts.left(), "a form of context")
        if form == 0:
            for _ in range(count):
                context = self.join(context, *self.version(log), log)
            return context
        context, advanced = dict(context) if form == 1 else {}, {}
        for _ in range(count):
            replica = self.replica(self.contexts.varint())
            sequence = self.mentioned[replica] + self.contexts.zigzag()
            need(1 <= sequence <= SEQUENCE_MAX and replica != log.replica, "an entry of a context")
            need(replica not in advanced, "an entry of a context twice")
            self.mentioned[replica] = advanced[replica] = sequence
        need(self.context_entries + len(context) + count <= CONTEXT_ENTRIES_MAX, "contexts over their limit")
        need(all(context.get(replica, 0) < last for replica, last in advanced.items()), "a context that does not grow")
        context.update(advanced)
        self.context_entries += len(context)
        return context

    def version(self, log):
        """A dot of another log, and the context of the change that has it."""
        replica, distance = self.replicas.at(self.contexts.varint()), self.contexts.varint()
        other = next((other for other in self.logs.values if other.replica == replica), None)
        need(other and other is not log and distance < other.next, "a version of no log")
        sequence = other.next - 1 - distance
        contexts = [context for first, context in other.history if first <= sequence]
        need(contexts, "a version before the block")
        return replica, sequence, contexts[-1]

    def join(self, context, replica, sequence, other, log):
        need(self.context_entries + len(context) + len(other) + 1 <= CONTEXT_ENTRIES_MAX, "contexts over their limit")
        result = dict(context)
        for name, last in [*other.items(), (replica, sequence)]:
            result[name] = max(result.get(name, 0), last)
        result.pop(log.replica, None)
        self.context_entries += len(result)
        return result

    # MARK: Steps

    def operation(self, log):
        if not self.step["left"]:
            self.step = self.read_step(log)
        step = self.step
        need(step["log"] is log, "a step that another log cuts")
        step["left"] -= 1
        if "whole" in step:
            return step["whole"]
        operation = {"tag": step["tag"], "document": step["place"][0], "place": step["place"][1]}
        if step["tag"] == 13:
            text = self.take_text(step["length"])
            operation.update(left=step["origin"], right=step["right"], text=text)
            step["origin"] = (log.replica, log.next + step["length"] - 1)
        elif step["tag"] == 14:
            first = step["first"]
            operation["ranges"] = [(step["replica"], first, first + step["length"] - 1)]
            step["first"] += -step["length"] if step["back"] else step["length"]
        else:
            operation["amount"] = step["amount"]
        return operation

    def read_step(self, log):
        kind = self.steps.u8()
        need(kind <= 4, "a kind of step")
        step = {"log": log, "left": 1}
        if kind == 0:
            return dict(step, whole=self.any_operation(log))
        place = step["place"] = self.container(log)
        if kind == 1:
            left = self.left(log)
            right = self.right(left, log)
            count, length = self.step_count(self.counts.varint()), self.lengths.count(STRING_MAX, "text")
            need(length and count * length <= self.text.left(), "scalars of an insertion")
            log.near = (log.replica, log.next + count * length - 1)
            return dict(step, tag=13, left=count, length=length, origin=left, right=right)
        if kind == 2:
            replica, first = self.dot(log)
            code = self.counts.varint()
            count, back, length = self.step_count((code >> 1) + 1), code & 1, self.lengths.varint()
            last = first + (count - 1) * length * (-1 if back else 1)
            need(length and last >= 1 and max(first, last) + length - 1 <= SEQUENCE_MAX, "a row of ranges")
            log.near = (replica, last - 1)
            return dict(step, tag=14, left=count, length=length, replica=replica, first=first, back=back)
        if kind == 3:
            return dict(step, tag=5, left=self.step_count(self.counts.varint()), amount=self.numbers.zigzag())
        operation = {"tag": 3, "document": place[0], "place": place[1], "slot": ("key", self.key())}
        operation["value"] = self.scalar(self.tags.u8())
        operation["new"] = check_generation(self.generations.next())
        return dict(step, whole=operation)

    def step_count(self, count):
        need(1 <= count <= self.announced, "operations of a step")
        return count

    def take_text(self, scalars):
        start = self.text.at
        for _ in range(scalars):
            first = self.text.u8()
            self.text.raw(0 if first < 0x80 else 3 if first >= 0xF0 else 2 if first >= 0xE0 else 1)
        text = self.text.data[start:self.text.at]
        need(is_utf8(text) and len(text.decode()) == scalars, "text that is not UTF-8")
        return text

    # MARK: Any other operation

    def any_operation(self, log):
        tag = self.rest.varint()
        need(tag >= 64 or tag in NAMES and tag != 13, "an operation of kind 0")
        operation = {"tag": tag}
        if tag == 1 or tag >= 64:
            operation["document"] = self.document()
            count = self.counts.count(SEQUENCES_MAX, "count")
            need(count, "a list of nothing")
            if tag >= 64:
                operation.update(sequences=count, payload=self.rest.counted(CHANGE_MAX, "payload"))
            else:
                operation["observed"] = [check_generation(self.generations.next()) for _ in range(count)]
                need(operation["observed"] == sorted(set(operation["observed"])), "generations out of order")
            return operation
        operation["document"], operation["place"] = self.container(log)
        for part in PARTS[tag]:
            self.part(part, operation, log)
        if tag != 14:
            log.near = (log.replica, log.next + sequence_count(operation) - 1)
        return operation

    def part(self, part, operation, log):
        if part == "slot":
            operation["slot"] = self.slot(log)
        elif part == "scalar":
            operation["value"] = self.scalar(self.tags.u8())
        elif part == "new":
            operation["new"] = check_generation(self.generations.next())
        elif part == "observed":
            operation["observed"] = []
            for _ in range(self.counts.count(self.rest.left(), "observed")):
                pair = (read_kind(self.rest), check_generation(self.generations.next()))
                need(not operation["observed"] or operation["observed"][-1][::-1] < pair[::-1], "out of order")
                operation["observed"].append(pair)
        elif part == "amount":
            operation["amount"] = self.numbers.zigzag()
        elif part == "origins":
            operation["left"] = self.left(log)
            operation["right"] = self.right(operation["left"], log)
        elif part == "element":
            operation["element"] = self.dot(log)
        elif part == "ranges":
            operation["ranges"] = []
            for _ in range(self.list_count()):
                replica, first = self.dot(log)
                append_range(operation["ranges"], replica, first, self.lengths.varint())
        else:
            operation["values"] = [self.value(part) for _ in range(self.list_count())]

    def list_count(self):
        count = self.counts.count(max(self.dots.left(), self.tags.left()), "a list")
        need(count, "a list of nothing")
        return count

    def value(self, part):
        tag = self.tags.u8()
        return (CONTAINER, None) if tag == CONTAINER and part == "elements" else self.scalar(tag)

    # MARK: References

    def container(self, log):
        index = self.places.next()
        need(index <= len(self.containers), "a container")
        if index == len(self.containers):
            document, generation, steps = self.document(), check_generation(self.generations.next()), []
            for _ in range(self.rest.count(32, "nesting")):
                steps.append((self.slot(log), read_kind(self.rest), check_generation(self.generations.next())))
            self.containers.append((document, (generation, tuple(steps))))
        return self.containers[index]

    def document(self):
        document = self.strings.text(512, "document")
        need(document, "a document without a name")
        return document

    def slot(self, log):
        code = self.rest.u8()
        need(code <= 1, "a slot")
        return ("element", self.dot(log)) if code else ("key", self.key())

    def key(self):
        code = self.keys.varint()
        if code == 0:
            self.key_table.append(self.strings.text(1024, "key"))
            return self.key_table[-1]
        need(code <= len(self.key_table), "a key")
        return self.key_table[code - 1]

    def scalar(self, tag):
        if tag == 3:
            whole = self.last_integer + self.numbers.zigzag() & (1 << 64) - 1
            self.last_integer = whole - (whole >> 63 << 64)
            return (tag, self.last_integer)
        if tag == 4:
            bits = self.rest.u64()
            check_double(bits)
            return (tag, bits)
        need(tag <= 5, "a tag of a scalar")
        return (tag, self.strings.text(STRING_MAX, "string") if tag == 5 else None)

    def dot(self, log, code=None, column=None):
        code = self.dots.varint() if code is None else code
        if code & 1 == 0:
            replica, base = log.near
            difference = code >> 2 ^ -(code >> 1 & 1)
        else:
            replica = self.replica(code >> 1)
            base, difference = self.mentioned[replica], (column or self.dots).zigzag()
        sequence = base + difference
        need(1 <= sequence <= SEQUENCE_MAX, "a dot")
        self.mentioned[replica] = sequence
        return (replica, sequence)

    def left(self, log):
        code = self.dots.varint()
        return self.dot(log, code - 1) if code else None

    def right(self, left, log):
        code = self.rights.varint()
        if code == 0:
            return None
        if code == 1:
            need(log.last_right, "no last right origin")
        elif code == 2:
            need(left and left[1] < SEQUENCE_MAX, "no dot after the left origin")
            log.last_right = (left[0], left[1] + 1)
        else:
            log.last_right = self.dot(log, code - 3, self.rights)
        return log.last_right
