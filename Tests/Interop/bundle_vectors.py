#!/usr/bin/env python3
"""Writes Tests/Vectors/wire/bundles.json, from Sources/Docs/WIRE.md ("Bundles") alone.

    bundle_vectors.py FILE

It shares no code with repld. The file is committed and is not made again to turn a test green: when the bytes change,
the version changes, and the vectors with it.
"""
import ctypes
import hashlib
import json
import sys

from wire_bytes import SODIUM, agreed, counted, hash256, kdf, public_of, varint

SPACE = bytes(range(32))
SALT = bytes(range(100, 116))
KEY = bytes([7]) * 32
BOXES = [bytes([number]) * 32 for number in (11, 12, 13)]
REPLICAS = [bytes([number]) * 16 for number in (1, 2)]


def seal_xchacha(plain, nonce, key):
    out, length = ctypes.create_string_buffer(len(plain) + 16), ctypes.c_ulonglong()
    SODIUM.crypto_aead_xchacha20poly1305_ietf_encrypt(
        out, ctypes.byref(length), plain, ctypes.c_ulonglong(len(plain)), b"", ctypes.c_ulonglong(0), None, nonce, key)
    return out.raw[:length.value]


def sealed_box(plain, recipient, ephemeral):
    own = public_of(ephemeral)
    key = kdf(agreed(ephemeral, recipient), "repld-sealedbox1", own + recipient)
    return own + seal_xchacha(plain, bytes(24), key)


def signed(message, seed):
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
    SODIUM.crypto_sign_seed_keypair(public, secret, seed)
    out = ctypes.create_string_buffer(64)
    SODIUM.crypto_sign_detached(out, None, message, ctypes.c_ulonglong(len(message)), secret)
    return out.raw


def device_of(seed):
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
    SODIUM.crypto_sign_seed_keypair(public, secret, seed)
    return public.raw


# MARK: The head


def head(secrets=BOXES, version=1, count=None, ascending=True):
    boxes = []
    for number, secret in enumerate(secrets):
        public = public_of(secret)
        tag = hash256(SALT + public, "repld-bundle-tag")[:8]
        boxes.append(tag + sealed_box(KEY, public, bytes([50 + number]) * 32))
    boxes.sort(reverse=not ascending)
    count = len(boxes) if count is None else count
    return b"repldbdl" + bytes([version]) + SPACE + SALT + count.to_bytes(4, "big") + b"".join(boxes)


def record_key(front):
    return kdf(KEY, "repld-bundle-key", hashlib.blake2b(front, digest_size=32).digest())


# MARK: Records


def statement(seed=bytes([3]) * 32, time=1_700_000_000_000, heads=(bytes([4]) * 32,), held=((REPLICAS[0], 5), (REPLICAS[1], 1))):
    said = device_of(seed) + time.to_bytes(8, "big") + varint(len(heads)) + b"".join(heads) + varint(len(held))
    said += b"".join(replica + varint(last) for replica, last in held)
    return b"\x06" + said + signed(b"repld bundle statement v1\0" + SPACE + said, seed)


def end(records, changes):
    return b"\x07" + varint(records) + varint(changes)


def bundle(records, front=None, numbers=None):
    front = head() if front is None else front
    key, out = record_key(front), front
    for place, record in enumerate(records):
        number = place if numbers is None else numbers[place]
        sealed = seal_xchacha(record, bytes(16) + number.to_bytes(8, "big"), key)
        out += len(sealed).to_bytes(4, "big") + sealed
    return out


ROSTER = b"\x01" + varint(2) + counted(b"one") + counted(b"another")
PROOF = b"\x02" + b"proof"
BASE = b"\x03" + bytes([9]) * 32
PART = b"\x04" + bytes([8]) * 32 + varint(0) + varint(3) + counted(b"\x00abc")
SEGMENT = b"\x05" + varint(300) + b"segment"
ALL = [ROSTER, PROOF, BASE, PART, SEGMENT, statement(), b"\xc8later", end(7, 300)]


def valid():
    kinds = ["roster", "fork-proof", "base", "base-part", "segment", "statement", "unknown", "end"]
    front, offset, records = head(), len(head()), []
    for kind, record in zip(kinds, ALL):
        records.append({"offset": str(offset), "kind": kind, "hex": record.hex()})
        offset += 4 + len(record) + 16
    empty = bundle([end(0, 0)])
    return [
        {
            "name": "one of each kind", "hex": bundle(ALL).hex(), "space": SPACE.hex(),
            "boxes": [secret.hex() for secret in BOXES], "others": [(bytes([14]) * 32).hex()], "records": records},
        {
            "name": "nothing", "hex": empty.hex(), "space": SPACE.hex(), "boxes": [secret.hex() for secret in BOXES],
            "others": [], "records": [{"offset": str(len(front)), "kind": "end", "hex": end(0, 0).hex()}]},
    ]


def invalid():
    whole, front = bundle(ALL), head()
    second = len(front) + 4 + len(ROSTER) + 16
    flipped = bytearray(whole)
    flipped[second + 10] ^= 1
    other = bytearray(whole)
    other[20] ^= 1
    long = bytearray(whole)
    long[len(front):len(front) + 4] = (4 * 1024 * 1024 + 65).to_bytes(4, "big")

    def fault(name, data, offset, reason):
        return {"name": name, "hex": bytes(data).hex(), "box": BOXES[0].hex(), "offset": str(offset), "reason": reason}

    return [
        fault("another beginning", b"repldbdx" + whole[8:], 0, "not bundle"),
        fault("a version of later", head(version=2) + whole[len(front):], 0, "version"),
        fault("more boxes than there may be", head(count=65_537), 0, "over limit: boxes"),
        fault("boxes that descend", bundle([end(0, 0)], head(ascending=False)), 0, "not canonical: boxes"),
        fault("another space in the head", other, len(front), "not authentic"),
        fault("a flipped bit in the second record", flipped, second, "not authentic"),
        fault("a record that is left out", bundle([ROSTER, SEGMENT, end(2, 300)], numbers=[0, 2, 3]), second, "not authentic"),
        fault("a record over its limit", long, len(front), "over limit: record"),
        fault("a record of nothing", bundle([b""]), len(front), "truncated"),
        fault("a byte behind a base", bundle([BASE + b"\x00"]), len(front), "trailing"),
        fault("a statement whose logs descend", bundle([statement(held=((REPLICAS[1], 1), (REPLICAS[0], 5)))]), len(front), "not canonical: logs"),
        fault("an end of fewer records", bundle([ROSTER, end(0, 0)]), second, "count differs"),
        fault("an end of fewer changes", bundle([SEGMENT, end(1, 299)]), len(front) + 4 + len(SEGMENT) + 16, "count differs"),
        fault("no end", bundle([ROSTER]), second, "ends early"),
        fault("half of a head", front[:40], 40, "ends early"),
        fault("half of a record", whole[:second + 9], second + 9, "ends early"),
        fault("a byte behind the end", whole + b"\x00", len(whole), "goes on"),
    ]


with open(sys.argv[1], "w") as file:
    json.dump({"valid": valid(), "invalid": invalid()}, file, indent=2, sort_keys=True)
    file.write("\n")
