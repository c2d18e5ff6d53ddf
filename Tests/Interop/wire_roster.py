"""Roster operations, read and written from Sources/Docs/WIRE.md ("Roster operations") alone."""
import hashlib

from wire_bytes import SEQUENCE_MAX, TIME_MAX, Fault, Reader, counted, is_signed, need, varint

KINDS = {
    1: "genesis", 2: "invite", 3: "revoke-invite", 4: "add", 5: "leave", 6: "device-update", 7: "remove", 8: "role",
    9: "key-epoch", 10: "resolve", 11: "checkpoint", 12: "device-software",
}
NAME_FIRST = b"abcdefghijklmnopqrstuvwxyz0123456789"
REFUSED = [(0, 0x1F), (0x7F, 0x9F), (0x2028, 0x202E), (0x2066, 0x2069)]


def operation(data):
    """What an operation says, as a dict whose bytes are hexadecimal, and its id."""
    need(len(data) <= 65536, "an operation over its limit")
    need(len(data) >= 64, "truncated")
    reader = Reader(data, 0, len(data) - 64)
    need(reader.u8() == 1, "the version of an operation")
    kind, author, time = reader.u8(), reader.raw(32), reader.u64()
    need(kind != 0 and time <= TIME_MAX, "kind or time")
    heads = [reader.raw(32) for _ in range(reader.count(256, "heads"))]
    need(all(a < b for a, b in zip(heads, heads[1:])), "heads out of order")
    need((kind == 1) == (not heads), "heads of a genesis, or of another")
    value = {
        "kind": KINDS.get(kind, str(kind)), "author": author.hex(), "time": str(time),
        "heads": [head.hex() for head in heads], "body": BODIES.get(kind, opaque)(reader),
        "signature": data[-64:].hex(),
        "isSigned": is_signed(b"repld roster operation v1\0" + data[:-64], data[-64:], author),
        "id": hashlib.blake2b(data, digest_size=32).hexdigest(),
    }
    reader.finish()
    return value


def encode(value):
    """The bytes of a dict that `operation` made."""
    kind = next((number for number, name in KINDS.items() if name == value["kind"]), None) or int(value["kind"])
    out = bytes([1, kind]) + bytes.fromhex(value["author"]) + int(value["time"]).to_bytes(8, "big")
    out += varint(len(value["heads"])) + b"".join(map(bytes.fromhex, value["heads"]))
    for field, part in value["body"].items():
        out += encode_part(field, part)
    return out + bytes.fromhex(value["signature"])


def encode_part(field, part):
    if field in ("role",):
        return bytes([part])
    if field in ("expiry",):
        return int(part).to_bytes(8, "big")
    if field == "epoch":
        return part.to_bytes(4, "big")
    if field == "level":
        return varint(part)
    if field in ("space", "name", "version"):
        return counted(part.encode())
    if field in ("sealedKeys", "wrapped"):
        return counted(bytes.fromhex(part))
    if field == "addresses":
        return bytes([len(part)]) + b"".join(bytes([len(one)]) + one.encode() for one in part)
    if field == "frontier":
        return varint(len(part)) + b"".join(bytes.fromhex(replica) + varint(int(last)) for replica, last in part)
    if field == "packages":
        packages = [bytes.fromhex(device) + counted(bytes.fromhex(keys)) for device, keys in part]
        return varint(len(part)) + b"".join(packages)
    return bytes.fromhex(part)


# MARK: Bodies


def description(reader):
    name = reader.text(64, "device name")
    need(name, "a device without a name")
    for scalar in name.decode():
        need(not any(low <= ord(scalar) <= high for low, high in REFUSED), "a device name")
    box, addresses = reader.raw(32), [reader.raw(reader.u8()) for _ in range(at_most(reader.u8(), 16))]
    for address in addresses:
        check_address(address)
    need(len(set(addresses)) == len(addresses), "an address twice")
    return {"name": name.decode(), "box": box.hex(), "addresses": [address.decode() for address in addresses]}


def check_address(address):
    need(all(0x21 <= byte <= 0x7E for byte in address), "an address that is not visible ASCII")
    host, colon, port = address.rpartition(b":")
    need(colon and host and port.isdigit() and port[:1] != b"0" and 1 <= int(port) <= 65535, "an address")
    need(b":" not in host or host[:1] == b"[" and host[-1:] == b"]", "a host with a colon in no brackets")


def at_most(value, limit):
    need(value <= limit, "over its limit")
    return value


def role(reader):
    return at_most(reader.u8(), 3)


def genesis(reader):
    space = reader.counted(64, "space name")
    need(space[:1] and space[:1] in NAME_FIRST and all(byte in NAME_FIRST + b"._-" for byte in space), "a space name")
    return {"space": space.decode(), **description(reader), "nonce": reader.raw(32).hex()}


def invite(reader):
    value = {"invite": reader.raw(16).hex(), "role": role(reader), "expiry": str(reader.u64())}
    return dict(value, key=reader.raw(32).hex())


def add(reader):
    value = {"device": reader.raw(32).hex(), "role": role(reader), "invite": reader.raw(16).hex()}
    return {**value, **description(reader), "sealedKeys": reader.counted(512, "sealed keys").hex()}


def frontier(reader):
    entries = []
    for _ in range(reader.count(1024, "frontier")):
        replica, last = reader.raw(16), reader.varint()
        need(not entries or entries[-1][0] < replica.hex(), "a frontier out of order")
        need(1 <= last <= SEQUENCE_MAX, "a sequence")
        entries.append([replica.hex(), str(last)])
    return entries


def remove(reader):
    return {"device": reader.raw(32).hex(), "frontier": frontier(reader)}


def change_role(reader):
    return {"device": reader.raw(32).hex(), "role": role(reader), "frontier": frontier(reader)}


def key_epoch(reader):
    epoch = int.from_bytes(reader.raw(4), "big")
    need(epoch >= 2, "an epoch")
    wrapped, packages = reader.counted(512, "wrapped key").hex(), []
    for _ in range(reader.count(64, "packages")):
        device, keys = reader.raw(32).hex(), reader.counted(512, "sealed keys").hex()
        need(not packages or packages[-1][0] < device, "packages out of order")
        packages.append([device, keys])
    return {"epoch": epoch, "wrapped": wrapped, "packages": packages}


def reserved(reader):
    at_most(reader.left(), 32768)
    return opaque(reader)


def device_software(reader):
    """Earlier versions took any bytes, so none are a fault."""
    part = Reader(reader.data, reader.at, reader.end)
    try:
        level, version = part.varint(), part.counted(64, "version")
        part.finish()
        need(level < 1 << 32 and version and all(0x21 <= byte <= 0x7E for byte in version), "software")
    except Fault:
        return opaque(reader)
    opaque(reader)
    return {"level": level, "version": version.decode()}


def opaque(reader):
    return {"payload": reader.raw(reader.left()).hex()}


BODIES = {
    1: genesis, 2: invite, 3: lambda reader: {"invite": reader.raw(16).hex()}, 4: add, 5: lambda reader: {},
    6: description, 7: remove, 8: change_role, 9: key_epoch, 10: reserved, 11: reserved, 12: device_software,
}
