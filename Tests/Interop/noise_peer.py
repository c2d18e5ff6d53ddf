#!/usr/bin/env python3
"""An independent peer for repld's links: PyPI `noiseprotocol` against a running node.

    pip install noiseprotocol cryptography

It dials a node, completes Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b with certificates, sends PINGs of several sizes,
checks that each PONG has the same body, says CLOSE, prints what it learnt as JSON, and exits 0. Everything is written
from Sources/Docs/WIRE.md and shares no code with repld.

With an invite token, as a joiner (the invite is not used up: no proof is sent):

    noise_peer.py --port 21420 --token repl1-…

or with the same data in parts, the space being the 32 bytes of the SpaceID:

    noise_peer.py --port 21420 --profile join --space-hex … --invite-id-hex … --psk-hex …

As a member, from the pre-shared key of the mesh or from the access secret that it derives from:

    noise_peer.py --port 21420 --profile mesh --space-hex … --psk-hex …
    noise_peer.py --port 21420 --profile mesh --space-hex … --access-secret-hex …

What must get no byte back, and be closed within --seconds (6): exit 0 if so.

    noise_peer.py --port 21420 --expect-silence garbage|nothing|wrong-psk|bad-certificate [keys as above]

The device is new at each run unless --device-seed-hex gives its Ed25519 seed. --ping gives body sizes.
"""
import argparse
import base64
import hashlib
import json
import os
import socket
import struct
import sys
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from noise.connection import Keypair, NoiseConnection

PROTOCOL = b"Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b"
MESH, JOIN = 0, 1
INITIATOR, RESPONDER = 0, 1
PING, PONG, CLOSE = 1, 2, 3
RECORDS_PER_KEY = 65536
FRAGMENT_MAX = 65535 - 8 - 16
RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)


class Refused(Exception):
    """The node did not behave as the documents say."""


def kdf(key, label, info=b""):
    return hashlib.blake2b(info, digest_size=32, key=key, person=label).digest()


def invite_id(secret):
    return kdf(secret, b"repld-invite-id")[:16]


def join_psk(secret):
    return kdf(secret, b"repld-join-psk-1", invite_id(secret))


def mesh_psk(access_secret):
    return kdf(access_secret, b"repld-mesh-psk-1")


def read_token(token):
    """Version, secret, SpaceID, expiry, hints, check bytes of an invite token."""
    if not token.startswith("repl1-"):
        raise Refused("an invite token starts with repl1-")
    text = token[len("repl1-"):].upper()
    raw = base64.b32decode(text + "=" * (-len(text) % 8))
    body, check = raw[:-3], raw[-3:]
    if hashlib.blake2b(body, digest_size=32, person=b"repld-invite-v1").digest()[:3] != check:
        raise Refused("the token is mistyped")
    if body[0] != 1:
        raise Refused("the token is of version %d" % body[0])
    return {"secret": body[1:33], "space": body[33:65], "expiry": struct.unpack(">Q", body[65:73])[0]}


def preamble(profile, invite=bytes(16), version_max=1, version_min=1):
    return b"RPLD" + bytes([version_max, version_min, profile, 0]) + invite


def claim(kind, device, instance, wall_ms, roster_hash, version=1, features=0):
    """The 88 bytes of a certificate that are signed and sent."""
    head = struct.pack(">BBHI", 1, kind, version, features)
    return head + device + instance + struct.pack(">Q", wall_ms) + roster_hash


def certificate_message(claim_bytes, space, role, static_key):
    return b"repld noise static v1\0" + space + bytes([role]) + static_key + claim_bytes


def certificate(device_key, space, role, static_key, claim_bytes):
    return claim_bytes + device_key.sign(certificate_message(claim_bytes, space, role, static_key))


def check_certificate(data, kind, space, role, static_key):
    if len(data) != 152 or data[0] != 1 or data[1] != kind:
        raise Refused("the certificate is malformed: %s" % data.hex())
    version, features = struct.unpack(">HI", data[2:8])
    device = data[8:40]
    try:
        Ed25519PublicKey.from_public_bytes(device).verify(
            data[88:], certificate_message(data[:88], space, role, static_key))
    except InvalidSignature:
        raise Refused("the certificate's signature does not hold")
    return {
        "version": version, "features": features, "device": device.hex(), "instance": data[40:48].hex(),
        "wallMilliseconds": struct.unpack(">Q", data[48:56])[0], "rosterHash": data[56:88].hex(),
    }


def public_bytes(private_key):
    return private_key.public_key().public_bytes(*RAW)


def noise(initiator, psk, prologue, static, ephemeral=None):
    connection = NoiseConnection.from_name(PROTOCOL)
    connection.set_psks(psk=psk)
    connection.set_prologue(prologue)
    connection.set_keypair_from_private_bytes(Keypair.STATIC, static)
    if ephemeral is not None:
        connection.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
    (connection.set_as_initiator if initiator else connection.set_as_responder)()
    connection.start_handshake()
    return connection


class Records:
    """Frames to records and back, over an established noise connection."""

    def __init__(self, connection):
        self.connection = connection
        self.sealed = 0
        self.opened = 0

    def seal_record(self, kind, flags, channel, total, body):
        data = self.connection.encrypt(struct.pack(">BBHI", kind, flags, channel, total) + body)
        self.sealed += 1
        if self.sealed % RECORDS_PER_KEY == 0:
            self.connection.rekey_outbound_cipher()
        return struct.pack(">H", len(data)) + data

    def seal(self, kind, body, channel=0):
        fragments = [body[i:i + FRAGMENT_MAX] for i in range(0, len(body), FRAGMENT_MAX)] or [b""]
        last = len(fragments) - 1
        return b"".join(
            self.seal_record(kind, 0 if i == last else 1, channel, len(body), part)
            for i, part in enumerate(fragments))

    def open_record(self, data):
        plain = bytes(self.connection.decrypt(data))
        self.opened += 1
        if self.opened % RECORDS_PER_KEY == 0:
            self.connection.rekey_inbound_cipher()
        kind, flags, channel, total = struct.unpack(">BBHI", plain[:8])
        return kind, flags, channel, total, plain[8:]

    def frame(self, read_record):
        """The next whole frame; `read_record` gives the ciphertext of the next record."""
        body = b""
        while True:
            kind, flags, channel, total, part = self.open_record(read_record())
            body += part
            if not flags & 1:
                if len(body) != total:
                    raise Refused("a frame of %d bytes announced %d" % (len(body), total))
                return kind, channel, body


def read_exactly(sock, count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            raise Refused("closed after %d of %d bytes" % (len(data), count))
        data += part
    return data


def read_block(sock):
    return read_exactly(sock, struct.unpack(">H", read_exactly(sock, 2))[0])


def framed(message):
    return struct.pack(">H", len(message)) + bytes(message)


def dial(options):
    sock = socket.create_connection((options.host, options.port), timeout=options.seconds)
    sock.settimeout(options.seconds)
    return sock


def handshake(sock, options, break_certificate=False):
    """Runs the handshake as initiator; returns records, the node's certificate and the handshake hash."""
    static_key = X25519PrivateKey.generate()
    static = static_key.private_bytes(
        serialization.Encoding.Raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    hello = preamble(options.kind, options.invite)
    connection = noise(True, options.psk, b"repld/1\0" + hello, static)
    sock.sendall(hello + framed(connection.write_message()))
    payload = bytes(connection.read_message(read_block(sock)))
    theirs = connection.noise_protocol.handshake_state.rs.public_bytes
    peer = check_certificate(payload, options.kind, options.space, RESPONDER, theirs)
    ours = claim(
        options.kind, public_bytes(options.device), os.urandom(8), int(time.time() * 1000), options.roster,
        version=peer["version"])
    own = bytearray(certificate(options.device, options.space, INITIATOR, public_bytes(static_key), ours))
    if break_certificate:
        own[-1] ^= 1
    sock.sendall(framed(connection.write_message(bytes(own))))
    return Records(connection), peer, connection.get_handshake_hash()


def talk(options):
    with dial(options) as sock:
        records, peer, handshake_hash = handshake(sock, options)
        others = []
        for size in options.ping:
            body = os.urandom(size)
            sock.sendall(records.seal(PING, body))
            while True:
                kind, channel, answer = records.frame(lambda: read_block(sock))
                if kind == PONG:
                    break
                if kind == CLOSE:
                    code = struct.unpack(">H", answer[:2])[0]
                    raise Refused("the node said CLOSE %d: %s" % (code, answer[2:].decode()))
                others.append({"type": kind, "channel": channel, "bytes": len(answer)})
            if answer != body or channel != 0:
                raise Refused("the PONG to a PING of %d bytes has another body" % size)
        sock.sendall(records.seal(CLOSE, struct.pack(">H", 0) + b"interop check done"))
    return {"peer": peer, "handshakeHash": handshake_hash.hex(), "pongs": options.ping, "otherFrames": others}


def expect_silence(options):
    """Nothing may come back, and the node must close within the time."""
    how = options.expect_silence
    with dial(options) as sock:
        if how == "garbage":
            sock.sendall(os.urandom(512))
        elif how == "wrong-psk":
            options.psk = os.urandom(32)
            connection = noise(
                True, options.psk, b"repld/1\0" + preamble(options.kind, options.invite), os.urandom(32))
            sock.sendall(preamble(options.kind, options.invite) + framed(connection.write_message()))
        elif how == "bad-certificate":
            handshake(sock, options, break_certificate=True)
        start = time.monotonic()
        try:
            data = sock.recv(1)
        except ConnectionResetError:
            data = b""
        except TimeoutError:
            raise Refused("still open after %d s" % options.seconds)
        if data:
            raise Refused("the node answered")
        return {"silent": how, "closedAfterSeconds": round(time.monotonic() - start, 2)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--token", help="an invite token; gives profile, space, invite id and key")
    parser.add_argument("--profile", choices=["mesh", "join"], default="join")
    parser.add_argument("--space-hex", help="the SpaceID")
    parser.add_argument("--psk-hex", help="the 32-byte pre-shared key")
    parser.add_argument("--access-secret-hex", help="the space's access secret, instead of --psk-hex")
    parser.add_argument("--invite-id-hex", default="00" * 16)
    parser.add_argument("--device-seed-hex", help="Ed25519 seed of the device")
    parser.add_argument("--roster-hash-hex", default="00" * 32, help="hash of the sorted roster heads")
    parser.add_argument("--ping", type=int, nargs="*", default=[0, 8, 65511, 65512, 300000])
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--expect-silence", choices=["garbage", "nothing", "wrong-psk", "bad-certificate"])
    options = parser.parse_args()
    options.kind = JOIN if options.profile == "join" else MESH
    options.invite = bytes.fromhex(options.invite_id_hex)
    options.roster = bytes.fromhex(options.roster_hash_hex)
    options.space = bytes.fromhex(options.space_hex or "")
    options.psk = bytes.fromhex(options.psk_hex or "")
    if options.access_secret_hex:
        options.psk = mesh_psk(bytes.fromhex(options.access_secret_hex))
    if options.token:
        token = read_token(options.token)
        options.kind, options.space = JOIN, token["space"]
        options.invite, options.psk = invite_id(token["secret"]), join_psk(token["secret"])
    if options.expect_silence not in ("garbage", "nothing", "wrong-psk"):
        if len(options.psk) != 32 or len(options.space) != 32:
            parser.error("a key and a space are needed: --token, or --psk-hex and --space-hex")
    seed = bytes.fromhex(options.device_seed_hex) if options.device_seed_hex else os.urandom(32)
    options.device = Ed25519PrivateKey.from_private_bytes(seed)
    return options


def main():
    options = arguments()
    try:
        result = expect_silence(options) if options.expect_silence else talk(options)
    except (Refused, OSError) as problem:
        print("failed: %s" % problem, file=sys.stderr)
        return 1
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
