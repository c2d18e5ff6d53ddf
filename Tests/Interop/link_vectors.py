#!/usr/bin/env python3
"""Writes Tests/Vectors/link: what an independent implementation (see noise_peer.py) makes of fixed keys.

    link_vectors.py FOLDER

Both sides of the handshake are PyPI `noiseprotocol`. The files are committed and are not made again to turn a test
green: when the bytes on the wire change, the version changes, and the vectors with it.
"""
import json
import os
import struct
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

import noise_peer as peer


def keys(number):
    return {name: bytes([number * 16 + index]) * 32 for index, name in enumerate(("device", "static", "ephemeral"))}


def transcript(profile):
    invite_secret, access_secret, space = bytes([0xA1]) * 32, bytes([0xA2]) * 32, bytes([0xA3]) * 32
    invite = peer.invite_id(invite_secret) if profile == peer.JOIN else bytes(16)
    psk = peer.join_psk(invite_secret) if profile == peer.JOIN else peer.mesh_psk(access_secret)
    roster = {0: bytes(32) if profile == peer.JOIN else bytes([0xB0]) * 32, 1: bytes([0xB1]) * 32}
    wall = {0: 1_700_000_000_000, 1: 1_700_000_000_007}
    sides = {0: keys(1), 1: keys(2)}
    hello = peer.preamble(profile, invite)
    ends = {
        role: peer.noise(role == 0, psk, b"repld/1\0" + hello, side["static"], side["ephemeral"])
        for role, side in sides.items()
    }

    def own(role):
        device = Ed25519PrivateKey.from_private_bytes(sides[role]["device"])
        static = peer.public_bytes(X25519PrivateKey.from_private_bytes(sides[role]["static"]))
        claim = peer.claim(
            profile, peer.public_bytes(device), bytes([0xC0 + role]) * 8, wall[role], roster[role], features=role)
        return peer.certificate(device, space, role, static, claim)

    message1 = bytes(ends[0].write_message())
    ends[1].read_message(message1)
    message2 = bytes(ends[1].write_message(own(1)))
    ends[0].read_message(message2)
    message3 = bytes(ends[0].write_message(own(0)))
    ends[1].read_message(message3)
    from_initiator, from_responder = peer.Records(ends[0]), peer.Records(ends[1])
    long_body = bytes(index * 7 % 256 for index in range(70_000))
    result = {
        "profile": profile, "space": space, "inviteSecret": invite_secret, "accessSecret": access_secret,
        "inviteID": invite, "psk": psk, "handshakeHash": ends[0].get_handshake_hash(),
        "openTagOfInitiator": peer.kdf(access_secret, b"repld-open-v1", ends[0].get_handshake_hash() + b"\0"),
        "initiator": dict(sides[0], wall=wall[0], roster=roster[0], instance=bytes([0xC0]) * 8, features=0),
        "responder": dict(sides[1], wall=wall[1], roster=roster[1], instance=bytes([0xC1]) * 8, features=1),
        "preamble": hello, "message1": message1, "message2": message2, "message3": message3,
        "certificateOfInitiator": own(0), "certificateOfResponder": own(1),
        "ping": from_initiator.seal(peer.PING, b"are you there"),
        "pong": from_responder.seal(peer.PONG, b"are you there"),
        "frameType": 9, "frameChannel": 513, "frameBody": b"a frame",
        "frame": from_initiator.seal(9, b"a frame", channel=513),
        "longFrameHash": peer.hashlib.blake2b(from_initiator.seal(10, long_body), digest_size=32).digest(),
        "closeCode": 2, "closeReason": "another link stays", "close": None, "recordsBeforeRekey": 65536,
    }
    # Empty PINGs up to the last record under the first key; then the first under the second, and a CLOSE.
    while from_initiator.sealed < peer.RECORDS_PER_KEY - 1:
        from_initiator.seal(peer.PING, b"")
    result["lastUnderFirstKey"] = from_initiator.seal(peer.PING, b"last")
    result["firstUnderSecondKey"] = from_initiator.seal(peer.PING, b"first")
    result["close"] = from_initiator.seal(peer.CLOSE, struct.pack(">H", 2) + b"another link stays")
    return {key: value.hex() if isinstance(value, bytes) else value for key, value in flat(result).items()}


def flat(value):
    return {
        key: {k: v.hex() if isinstance(v, bytes) else v for k, v in item.items()} if isinstance(item, dict) else item
        for key, item in value.items()
    }


def preambles():
    def at(offset, byte, base=peer.preamble(peer.MESH)):
        return base[:offset] + bytes([byte]) + base[offset + 1:]

    join = peer.preamble(peer.JOIN, bytes(range(16)))
    return {
        "valid": [
            {"bytes": peer.preamble(peer.MESH), "least": 1, "greatest": 1, "profile": 0, "inviteID": bytes(16)},
            {"bytes": join, "least": 1, "greatest": 1, "profile": 1, "inviteID": bytes(range(16))},
            {"bytes": at(4, 9), "least": 1, "greatest": 9, "profile": 0, "inviteID": bytes(16)},
            {"bytes": peer.preamble(peer.JOIN), "least": 1, "greatest": 1, "profile": 1, "inviteID": bytes(16)},
        ],
        "invalid": [
            {"bytes": at(0, 0x72), "why": "another magic"}, {"bytes": at(3, 0), "why": "another magic"},
            {"bytes": at(5, 2), "why": "the least version above the greatest"},
            {"bytes": at(5, 0), "why": "version 0"},
            {"bytes": at(6, 2), "why": "an unknown profile"}, {"bytes": at(7, 1), "why": "a flag"},
            {"bytes": at(8, 1), "why": "an invite id in the mesh profile"},
            {"bytes": at(23, 1), "why": "an invite id in the mesh profile"},
        ],
    }


def certificates(example):
    good = bytes.fromhex(example["certificateOfResponder"])
    return {
        "space": example["space"], "role": 1, "kind": example["profile"],
        "staticKey": peer.public_bytes(X25519PrivateKey.from_private_bytes(keys(2)["static"])),
        "valid": [{
            "bytes": good, "version": 1, "features": 1, "device": good[8:40], "instance": "c1" * 8,
            "wall": 1_700_000_000_007, "roster": good[56:88],
        }],
        "malformed": [
            {"bytes": b"\x02" + good[1:], "why": "form 2"}, {"bytes": good[:1] + b"\x02" + good[2:], "why": "kind 2"},
            {"bytes": good[:-1], "why": "a byte short"}, {"bytes": good + b"\0", "why": "a byte long"},
            {"bytes": b"", "why": "nothing"},
        ],
        "unsigned": [
            {"bytes": good[:i] + bytes([good[i] ^ 1]) + good[i + 1:], "why": "byte %d differs" % i}
            for i in (2, 3, 7, 8, 39, 40, 47, 48, 55, 56, 87, 88, 119, 120, 150)
        ] + [{"bytes": good[:1] + b"\x01" + good[2:], "why": "the other kind"}],
    }


def headers():
    def header(kind, flags, channel, total):
        return struct.pack(">BBHI", kind, flags, channel, total)

    return {
        "valid": [
            {"bytes": header(1, 0, 0, 0), "type": 1, "more": False, "channel": 0, "total": 0},
            {"bytes": header(255, 1, 65535, 4 << 20), "type": 255, "more": True, "channel": 65535, "total": 4 << 20},
            {"bytes": header(4, 0, 258, 0x010203), "type": 4, "more": False, "channel": 258, "total": 0x010203},
        ],
        "invalid": [
            {"bytes": header(0, 0, 0, 0), "why": "type 0"}, {"bytes": header(1, 2, 0, 0), "why": "a reserved flag"},
            {"bytes": header(1, 0x81, 0, 0), "why": "a reserved flag"},
            {"bytes": header(9, 0, 0, (4 << 20) + 1), "why": "a byte over 4 MiB"},
            {"bytes": header(9, 1, 0, 0xFFFFFFFF), "why": "the greatest total"},
        ],
    }


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def main():
    folder = sys.argv[1]
    mesh, join = transcript(peer.MESH), transcript(peer.JOIN)
    files = {
        "handshake": {"handshakes": [mesh, join]}, "preamble": preambles(), "certificate": certificates(mesh),
        "record-header": headers(),
    }
    for name, content in files.items():
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump(plain(content), file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
