#!/usr/bin/env python3
"""Writes Tests/Vectors/wire/checkpoints.json, from Sources/Docs/WIRE.md ("Checkpoints") alone.

    checkpoint_vectors.py FILE

It shares no code with repld. The file is committed and is not made again to turn a test green: when the bytes change,
the version changes, and the vectors with it.
"""
import json
import sys

from wire_bytes import counted, hash256, varint

SPACE = bytes(range(32))
MAX = 1 << 62


def h(byte):
    return bytes([byte]) * 32


def replica_of(device, incarnation):
    return hash256(device + SPACE + incarnation.to_bytes(8, "big"), "repld-replica-v1")[:16]


# MARK: Bodies


def body(previous=None, witness=(b"\x11" * 16, 5), absent=(), version=1, table=h(7), manifest=h(8), form=1, flag=None):
    flag = (0 if previous is None else 1) if flag is None else flag
    return (
        bytes([form, flag]) + (previous or b"") + witness[0] + varint(witness[1]) + varint(len(absent))
        + b"".join(absent) + varint(version) + table + manifest)


def bodies():
    def valid(name, previous=None, witness=(b"\x11" * 16, 5), absent=(), version=1):
        return {
            "name": name, "hex": body(previous, witness, absent, version).hex(),
            "value": {
                "previous": previous.hex() if previous else "none", "witness": f"{witness[0].hex()}:{witness[1]}",
                "absent": [device.hex() for device in absent], "operations": str(version), "table": h(7).hex(),
                "manifest": h(8).hex()}}

    many = [number.to_bytes(32, "big") for number in range(1, 1_002)]
    silent = [
        ("nothing", b""), ("a version of later", body(form=2)), ("a flag of no meaning", body(flag=2)),
        ("half a checkpoint before it", body()[:1] + b"\x01" + h(1)[:20]), ("a witness at 0", body(witness=(b"\x11" * 16, 0))),
        ("a witness past the last sequence", body(witness=(b"\x11" * 16, MAX + 1))),
        ("absent devices that descend", body(absent=(h(2), h(1)))), ("an absent device twice", body(absent=(h(1), h(1)))),
        ("1,001 absent devices", body(absent=many)), ("operations of a version past 32 bits", body(version=1 << 32)),
        ("a padded count", body()[:19] + b"\x80\x00" + body()[20:]), ("a byte too many", body() + b"\x00"),
        ("a byte too few", body()[:-1]),
    ]
    return (
        [
            valid("the first of a space"), valid("a later one, two are absent", h(1), absent=(h(2), h(3))),
            valid("the largest numbers", h(1), (b"\xff" * 16, MAX), version=(1 << 32) - 1),
            valid("1,000 absent devices", absent=many[:1_000]),
        ],
        [{"name": name, "hex": value.hex()} for name, value in silent])


# MARK: Acknowledgements


def acknowledgements():
    """Changes of one operation of tag 64: what it acknowledges, or that the change is void."""
    def change(document, count, payload):
        operation = varint(64) + b"\x00" + counted(document) + varint(count) + counted(payload)
        return counted(b"\x00" + varint(1_000) + h(9) + bytes(8) + operation)

    key = b"\x00"
    cases = [
        ("a checkpoint", key, 1, b"\x01" + h(3), h(3).hex()), ("a mark", key, 1, b"\x01", "none"),
        ("a payload of nothing", key, 1, b"", "void"), ("a version of later", key, 1, b"\x02" + h(3), "void"),
        ("half an id", key, 1, b"\x01" + h(3)[:31], "void"), ("a byte too many", key, 1, b"\x01" + h(3) + b"\x00", "void"),
        ("another key", b"note/1", 1, b"\x01" + h(3), "void"), ("two sequences", key, 2, b"\x01" + h(3), "void"),
        ("the key twice as long", key * 2, 1, b"\x01", "void"),
    ]
    replica = replica_of(h(9), 0)
    return [
        {"name": name, "replica": replica.hex(), "hex": change(document, count, payload).hex(), "says": says}
        for name, document, count, payload, says in cases]


# MARK: Tables


def row(device=h(1), incarnation=1, last=10, previous=0, time=500, chain=h(4), boundary=None, closed=0, seen=None, replica=None):
    return {
        "replica": replica or replica_of(device, incarnation), "device": device, "incarnation": incarnation, "last": last,
        "previous": previous, "time": time, "chain": chain, "boundary": boundary, "closed": closed, "seen": seen}


def row_bytes(one):
    boundary = one["boundary"]
    return (
        one["replica"] + one["device"] + one["incarnation"].to_bytes(8, "big") + varint(one["last"])
        + varint(one["previous"]) + varint(one["time"]) + one["chain"]
        + (varint(0) if boundary is None else varint(boundary[0]) + varint(boundary[1]) + boundary[2])
        + varint(one["closed"]) + (b"\x00" if one["seen"] is None else b"\x01" + one["seen"]))


def table(*rows):
    return b"\x01" + varint(len(rows)) + b"".join(map(row_bytes, rows))


def described(one):
    boundary = one["boundary"]
    return {
        "replica": one["replica"].hex(), "device": one["device"].hex(), "incarnation": str(one["incarnation"]),
        "last": str(one["last"]), "previousLast": str(one["previous"]), "time": str(one["time"]),
        "chainHash": one["chain"].hex(),
        "boundary": "none" if boundary is None else f"{boundary[0]} {boundary[1]} {boundary[2].hex()}",
        "closedAt": str(one["closed"]), "acknowledged": "none" if one["seen"] is None else one["seen"].hex()}


def tables():
    least, second = row(last=1, time=1), row(device=h(2), incarnation=7, last=5_000, previous=4_096, time=900,
                                             boundary=(4_096, 800, h(5)), seen=h(6))
    closed = row(device=h(3), incarnation=(1 << 64) - 1, last=4_096, previous=4_096, time=800, chain=h(5),
                 boundary=(4_096, 800, h(5)), closed=4_097)
    largest = row(device=h(4), last=MAX - 1, previous=MAX - 1, time=MAX, boundary=(MAX - 2, MAX - 1, h(5)), closed=MAX)
    sort = lambda rows: sorted(rows, key=lambda one: one["replica"])
    valid = [("no logs", []), ("one short log", [least]), ("four logs", sort([least, second, closed, largest]))]
    two = sort([least, second])
    late = row(boundary=(10, 400, h(4)))
    flags = table(least)
    invalid = [
        ("a version of later", b"\x02" + table(least)[1:], "unknown tag: table"),
        ("131,073 rows", b"\x01" + varint(131_073), "over limit: table"),
        ("rows that descend", table(*reversed(two)), "not canonical: table"),
        ("a row twice", table(least, least), "not canonical: table"),
        ("a replica that its row does not declare", table(row(replica=b"\x01" * 16)), "out of range: table replica"),
        ("a log of nothing", table(row(last=0)), "out of range: table last"),
        ("a log past the last sequence", table(row(last=MAX)), "out of range: table last"),
        ("more let go than covered", table(row(previous=11)), "out of range: table previous"),
        ("no time", table(row(time=0)), "out of range: table time"),
        ("a time past the last", table(row(time=MAX + 1)), "out of range: table time"),
        ("closed past the last sequence", table(row(closed=MAX + 1)), "out of range: table closed"),
        ("a boundary past the end", table(row(boundary=(11, 400, h(5)))), "out of range: table boundary"),
        ("a boundary at the end at another time", table(late), "out of range: table boundary time"),
        ("a boundary before the end, as late", table(row(boundary=(9, 500, h(5)))), "out of range: table boundary time"),
        ("a boundary at the end of another hash", table(row(boundary=(10, 500, h(5)))), "out of range: table boundary hash"),
        ("a flag of no meaning", flags[:-1] + b"\x02", "unknown tag: table acknowledged"),
        ("a byte too many", flags + b"\x00", "trailing"), ("a byte too few", flags[:-1], "truncated"),
        ("a padded count", b"\x01\x81\x00" + flags[2:], "varint not minimal"),
    ]
    return (
        [
            {"name": name, "hex": table(*rows).hex(), "hash": hash256(table(*rows), "repld-cp-table-1").hex(),
             "rows": list(map(described, rows))} for name, rows in valid],
        [{"name": name, "hex": value.hex(), "fault": fault} for name, value, fault in invalid])


# MARK: Pages and manifests


def document(key, frontier, snapshot):
    return (
        counted(key) + varint(len(frontier)) + b"".join(replica + varint(sequence) for replica, sequence in frontier)
        + counted(snapshot))


def ends_page(key):
    return hash256(key, "repld-bucket-1")[31] & 15 == 0


def cut(documents):
    """Pages of (key, frontier, snapshot) in key order: their bytes, documents, last keys."""
    pages, open_page, count = [], b"\x01", 0
    for key, frontier, snapshot in documents:
        open_page += document(key, frontier, snapshot)
        count += 1
        if len(open_page) >= 65_536 or ends_page(key):
            pages.append((open_page, count, key))
            open_page, count = b"\x01", 0
    if count:
        pages.append((open_page, count, documents[-1][0]))
    return pages


def manifest(pages):
    return b"\x01" + varint(len(pages)) + b"".join(
        hash256(page, "repld-cp-page-v1") + varint(len(page)) + varint(count) + counted(last)
        for page, count, last in pages)


def bases():
    """Documents by a rule that a test can follow: number n has key `d/n` (n in five digits), the frontier
    (16 bytes of n modulo 7, n + 1), and a snapshot of `size(n)` bytes, each n modulo 256."""
    def made(numbers, size):
        return [(b"d/%05d" % n, [(bytes([n % 7]) * 16, n + 1)], bytes([n % 256]) * size(n)) for n in numbers]

    cases = []
    for name, first, count, small, large, every in [
        ("nothing", 0, 0, 1, 1, 1), ("one document", 0, 1, 40, 40, 1), ("100 small documents", 0, 100, 40, 40, 1),
        ("100 documents of 9,000 bytes: pages end by bytes", 0, 100, 9_000, 9_000, 1),
        ("one of 200,000 bytes among small ones", 0, 60, 40, 200_000, 30),
    ]:
        size = lambda n: large if n % every == every - 1 else small
        pages = cut(made(range(first, first + count), size))
        cases.append({
            "name": name, "first": str(first), "count": str(count), "small": str(small), "large": str(large),
            "every": str(every), "pages": [hash256(page, "repld-cp-page-v1").hex() for page, _, _ in pages],
            "manifest": manifest(pages).hex(), "hash": hash256(manifest(pages), "repld-manifest-1").hex()})
    return cases


def pages():
    one, two = (b"a", [], b""), (b"b", [(b"\x01" * 16, 3), (b"\x01" * 16, 4), (b"\x02" * 16, MAX)], b"snapshot")
    page = lambda *documents: b"\x01" + b"".join(document(*one) for one in documents)
    valid = [("the least document", page(one)), ("two documents", page(one, two))]
    bad = lambda *dots: (b"a", list(dots), b"s")
    invalid = [
        ("a version of later", b"\x02" + page(one)[1:], "unknown tag: page"), ("no document", b"\x01", "out of range: page"),
        ("nothing", b"", "truncated"), ("keys that descend", page(two, one), "not canonical: page"),
        ("a key twice", page(one, one), "not canonical: page"), ("an empty key", page((b"", [], b"")), "out of range: document key"),
        ("a key of 513 bytes", page((b"k" * 513, [], b"")), "over limit: document key"),
        ("a key that is not UTF-8", page((b"\xff", [], b"")), "invalid utf-8"),
        ("a frontier that descends", page(bad((b"\x02" * 16, 1), (b"\x01" * 16, 1))), "not canonical: frontier"),
        ("a dot twice", page(bad((b"\x02" * 16, 1), (b"\x02" * 16, 1))), "not canonical: frontier"),
        ("a dot at 0", page(bad((b"\x02" * 16, 0))), "out of range: frontier"),
        ("more dots than bytes", b"\x01" + counted(b"a") + varint(2) + b"\x01" * 20, "over limit: frontier"),
        ("half a snapshot", page(two)[:-1], "truncated"),
    ]
    entry = lambda size=9, count=1, key=b"a": h(1) + varint(size) + varint(count) + counted(key)
    listed = lambda *entries: b"\x01" + varint(len(entries)) + b"".join(entries)
    wrong = [
        ("a version of later", b"\x02\x00", "unknown tag: manifest"), ("4,194,305 pages", b"\x01" + varint((1 << 22) + 1), "over limit: manifest"),
        ("keys that descend", listed(entry(key=b"b"), entry()), "not canonical: manifest"),
        ("a key twice", listed(entry(), entry()), "not canonical: manifest"), ("a page of 4 bytes", listed(entry(4)), "out of range: page bytes"),
        ("a page over 1 GiB", listed(entry((1 << 30) + 1)), "over limit: page bytes"),
        ("a page without a document", listed(entry(count=0)), "out of range: page documents"),
        ("more documents than bytes", listed(entry(8, 3)), "out of range: page documents"),
        ("an empty key", listed(entry(key=b"")), "out of range: document key"),
        ("a byte too many", listed(entry()) + b"\x00", "trailing"), ("half a page", listed(entry())[:-1], "truncated"),
    ]
    faults = lambda cases: [{"name": name, "hex": value.hex(), "fault": fault} for name, value, fault in cases]
    return [{"name": name, "hex": value.hex()} for name, value in valid], faults(invalid), faults(wrong)


def main(file):
    valid_bodies, silent = bodies()
    valid_tables, invalid_tables = tables()
    valid_pages, invalid_pages, invalid_manifests = pages()
    vectors = {
        "bodies": valid_bodies, "silent": silent, "acknowledgements": acknowledgements(), "tables": valid_tables,
        "invalidTables": invalid_tables, "pages": valid_pages, "invalidPages": invalid_pages, "bases": bases(),
        "invalidManifests": invalid_manifests}
    with open(file, "w", encoding="utf-8") as out:
        json.dump(vectors, out, indent=1, sort_keys=True)
        out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
