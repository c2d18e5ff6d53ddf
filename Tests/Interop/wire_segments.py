"""Segments, the blocks in them, chains and seals, read from Sources/Docs/WIRE.md alone."""
from wire_blocks import Block
from wire_bytes import SEQUENCE_MAX, Reader, hash256, is_signed, kdf, need, open_xchacha, unzstd
from wire_changes import Log
from wire_operations import CONTEXT_MAX, is_valid

RUN_MAX, SEGMENT_MAX, SEALS_MAX = 2 << 20, 3 << 20, 1024


def replica_of(device, space, incarnation):
    return hash256(device + space + incarnation.to_bytes(8, "big"), "repld-replica-v1")[:16]


def unpack(block, replica=None, first=1):
    """The canonical bytes in a block; `replica` and `first` are asked for by codec 2 only."""
    reader = Reader(block)
    codec = reader.u8()
    if codec == 0:
        need(reader.left() <= RUN_MAX, "a run over its limit")
        return reader.raw(reader.left())
    if codec == 1:
        length = reader.count(RUN_MAX, "run")
        need(length <= 128 * reader.left(), "a block that grows too much")
        return unzstd(reader.raw(reader.left()), length)
    need(codec == 2 and replica is not None, "a codec")
    columns = Block(reader.raw(reader.left()), 2 * RUN_MAX, RUN_MAX // 3)
    log, run = Log(replica, first - 1), b""
    for change in columns.changes():
        need(change["replica"] == replica and columns.starts()[replica] == (first - 1, 0), "another log")
        need(is_valid(change) and all(operation["tag"] < 64 for operation in change["operations"]), "for codec 1")
        need(replica not in change["context"] and len(change["context"]) <= CONTEXT_MAX, "a context")
        run += log.encode(change)
        need(len(run) <= RUN_MAX, "a run over its limit")
    return run


class Segment:
    def __init__(self, data, space):
        reader = Reader(data)
        need(reader.u8() == 1, "the version of a segment")
        need(reader.raw(16) == hash256(space, "repld-spacetag-1")[:16], "another space")
        self.space, self.key_id, self.nonce = space, reader.raw(16), reader.raw(24)
        self.device, self.incarnation = reader.raw(32), reader.u64()
        self.first, self.last = reader.varint(), reader.varint()
        need(1 <= self.first <= self.last <= SEQUENCE_MAX, "a range")
        self.seals, former = [], self.first - 1
        for _ in range(reader.count(SEALS_MAX, "seals")):
            last, chain, signature = reader.varint(), reader.raw(32), reader.raw(64)
            need(former < last <= self.last, "seals out of order")
            self.seals.append((last, chain, signature))
            former = last
        need(former == self.last, "no seal at the end")
        self.header = bytes(data[:reader.at])
        self.body = reader.counted(SEGMENT_MAX, "segment")
        reader.finish()
        self.replica = replica_of(self.device, space, self.incarnation)

    def open(self, key):
        """The run's canonical bytes."""
        need(self.key_id == kdf(key, "repld-key-id-v1")[:16], "another key")
        block = open_xchacha(self.body, self.header, self.nonce, key)
        return unpack(block, self.replica, self.first)

    def verify(self, run, state=None):
        """The changes of a run that continues `state`, after all that a receiver checks."""
        state = state or State(self)
        need(state.log.next == self.first, "a gap")
        reader, changes, seals = Reader(run), [], list(self.seals)
        while reader.left():
            start = reader.at
            change = state.log.decode(reader)
            changes.append((change, run[start:reader.at]))
            if change["declaration"]:
                need(change["declaration"] == (self.device, self.incarnation), "another declaration")
            chain, last = state.append(run[start:reader.at]), state.log.next - 1
            is_sealed = bool(seals) and seals[0][0] <= last
            if is_sealed:
                sealed_last, sealed_chain, signature = seals.pop(0)
                need(sealed_last == last, "a seal inside a change")
                need(sealed_chain == chain, "a seal over another chain")
                message = b"repld seal v1\0" + self.space + self.replica + last.to_bytes(8, "big") + chain
                need(is_signed(message, signature, self.device), "a signature")
            if state.log.is_at_boundary():
                need(is_sealed, "a boundary without a seal")
                state.base, state.section = chain, b""
        need(state.log.next - 1 == self.last and not seals, "another end")
        return changes


class State:
    """A log at its head: what the next change is coded against, and the chain."""

    def __init__(self, segment):
        self.log, self.base, self.section = Log(segment.replica), bytes(32), b""

    def append(self, change):
        self.section += change
        return hash256(self.base + self.section, "repld-chain-v1")

