#!/usr/bin/env python3
"""An independent reader of logs, blocks, segments and roster operations, written from Sources/Docs/WIRE.md alone.

    block_reader.py CASES.json

It shares no code with repld and needs no package: Python 3, libsodium, libzstd. CASES is a list of objects, each with a
`kind` and bytes in hexadecimal; it prints a list of as many objects, `{"fault": …}` for what the page refuses:

    changes   replica, last, time, hex (a list)      changes: hex (written again), value, validity
    block     hex                                    changes: replica, hex, value, validity (a count with `counts`)
    text      hex of a block, key                    text: what the text of that key shows
    unpack    hex, replica and first for codec 2     run
    segment   hex, space, contentKey                 replica, first, last, run
    segments  hex (a list), space, contentKey        changes: of a whole log, verified with its seals
    roster    hex                                    hex (written again), value
    keys      roster (a list), space, box (secret)   access: secrets by epoch number; content: keys
"""
import json
import sys

import wire_keys
import wire_roster
from wire_blocks import Block
from wire_bytes import Fault, Reader, need
from wire_changes import Log
from wire_operations import is_valid
from wire_places import Text
from wire_segments import Segment, State, unpack
from wire_shown import described


def shown(change, canonical):
    return {
        "replica": change["replica"].hex(), "hex": canonical.hex(), "value": described(change),
        "isValid": is_valid(change)}


def read_changes(case):
    replica, position = bytes.fromhex(case["replica"]), (case.get("last", 0), case.get("time", 0))
    log, again, changes = Log(replica, *position), Log(replica, *position), []
    for text in case["hex"]:
        reader = Reader(bytes.fromhex(text))
        change = log.decode(reader)
        reader.finish()
        changes.append(dict(shown(change, again.encode(change)), isBoundary=log.is_at_boundary()))
    return {"changes": changes}


def read_block(case):
    block, logs, changes = Block(bytes.fromhex(case["hex"])), {}, []
    if case.get("counts"):
        return {"count": sum(1 for _ in block.changes())}
    for change in block.changes():
        replica = change["replica"]
        log = logs.setdefault(replica, Log(replica, *block.starts()[replica]))
        changes.append(shown(change, log.encode(change)))
    return {"changes": changes}


def read_text(case):
    text = Text(case["key"].encode())
    for change in Block(bytes.fromhex(case["hex"])).changes():
        if is_valid(change):
            text.apply(change)
    return {"text": text.shown()}


def read_unpack(case):
    replica = bytes.fromhex(case["replica"]) if "replica" in case else None
    return {"run": unpack(bytes.fromhex(case["hex"]), replica, int(case.get("first", 1))).hex()}


def read_segment(case):
    segment = Segment(bytes.fromhex(case["hex"]), bytes.fromhex(case["space"]))
    run = segment.open(bytes.fromhex(case["contentKey"]))
    return {"replica": segment.replica.hex(), "first": segment.first, "last": segment.last, "run": run.hex()}


def read_segments(case):
    state, changes = None, []
    for text in case["hex"]:
        segment = Segment(bytes.fromhex(text), bytes.fromhex(case["space"]))
        state = state or State(segment)
        run = segment.open(bytes.fromhex(case["contentKey"]))
        changes += [shown(change, canonical) for change, canonical in segment.verify(run, state)]
    return {"changes": changes}


def read_roster(case):
    value = wire_roster.operation(bytes.fromhex(case["hex"]))
    need(value["isSigned"], "a signature")
    return {"hex": wire_roster.encode(value).hex(), "value": value}


def read_keys(case):
    operations = [wire_roster.operation(bytes.fromhex(text)) for text in case["roster"]]
    keys = wire_keys.Keys(operations, bytes.fromhex(case["space"]), bytes.fromhex(case["box"]))
    return {
        "access": [[number, secret.hex()] for number, secret in keys.access()],
        "content": [key.hex() for key in keys.content()]}


READERS = {
    "changes": read_changes, "block": read_block, "text": read_text, "unpack": read_unpack, "segment": read_segment,
    "segments": read_segments, "roster": read_roster, "keys": read_keys,
}


def read(case):
    try:
        return READERS[case["kind"]](case)
    except Fault as fault:
        return {"fault": str(fault)}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        json.dump([read(case) for case in json.load(file)], sys.stdout)
