"""The smallest parts of Sources/Docs/WIRE.md: numbers, hashes, zstd and the two signatures and ciphers of segments.

Only the standard library; libsodium and libzstd, which repld needs anyway, are called by ctypes.
"""
import ctypes
import ctypes.util
import hashlib

SEQUENCE_MAX = TIME_MAX = 1 << 62


class Fault(Exception):
    """Bytes that the page refuses."""


def need(condition, text):
    if not condition:
        raise Fault(text)


class Reader:
    """Reads bytes from a place on, up to an end. A column takes padded varints, nothing else does."""

    def __init__(self, data, start=0, end=None, is_column=False):
        self.data, self.at, self.end = data, start, len(data) if end is None else end
        self.is_column = is_column

    def left(self):
        return self.end - self.at

    def raw(self, count):
        need(count <= self.left(), "truncated")
        self.at += count
        return bytes(self.data[self.at - count:self.at])

    def u8(self):
        return self.raw(1)[0]

    def u64(self):
        return int.from_bytes(self.raw(8), "big")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            need(not (shift == 63 and byte > 1), "a varint over 64 bits")
            need(self.is_column or not (shift > 0 and byte == 0), "a padded varint")
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            need(shift <= 63, "a varint over 64 bits")

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def count(self, limit, what):
        value = self.varint()
        need(value <= limit, f"{what} over its limit")
        return value

    def counted(self, limit, what):
        return self.raw(self.count(limit, what))

    def text(self, limit, what):
        value = self.counted(limit, what)
        need(is_utf8(value), f"{what} is not UTF-8")
        return value

    def finish(self):
        need(self.at == self.end, "bytes after the end")


def is_utf8(value):
    try:
        value.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint((value << 1 ^ value >> 63) & (1 << 64) - 1)


def counted(value):
    return varint(len(value)) + value


def hash256(value, personal):
    return hashlib.blake2b(value, digest_size=32, person=personal.encode()).digest()


def kdf(key, label, info=b""):
    return hashlib.blake2b(info, digest_size=32, key=key, person=label.encode()).digest()


# MARK: The libraries


def library(name, versions):
    for candidate in [ctypes.util.find_library(name), *versions]:
        try:
            if candidate:
                return ctypes.CDLL(candidate)
        except OSError:
            continue
    raise SystemExit(f"lib{name} is not installed: apt-get install lib{name}-dev")


SODIUM = library("sodium", ["libsodium.so.23", "libsodium.so"])
ZSTD = library("zstd", ["libzstd.so.1", "libzstd.so"])
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
ZSTD.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
if SODIUM.sodium_init() < 0:
    raise SystemExit("libsodium does not start")


def unzstd(packed, length):
    """Frames that together are exactly so long; libzstd takes one or several."""
    out = ctypes.create_string_buffer(max(length, 1))
    written = ZSTD.ZSTD_decompress(out, length, packed, len(packed))
    need(not ZSTD.ZSTD_isError(ctypes.c_size_t(written)) and written == length, "zstd of another length")
    return out.raw[:length]


def open_xchacha(sealed, header, nonce, key):
    """The plaintext, or a fault: not what a holder of the key sealed with this header."""
    need(len(sealed) >= 16, "a ciphertext without a tag")
    out, length = ctypes.create_string_buffer(max(len(sealed) - 16, 1)), ctypes.c_ulonglong()
    code = SODIUM.crypto_aead_xchacha20poly1305_ietf_decrypt(
        out, ctypes.byref(length), None, sealed, ctypes.c_ulonglong(len(sealed)), header,
        ctypes.c_ulonglong(len(header)), nonce, key)
    need(code == 0, "not authentic")
    return out.raw[:length.value]


def agreed(secret, public_key):
    """X25519; a fault for a key of small order."""
    out = ctypes.create_string_buffer(32)
    need(SODIUM.crypto_scalarmult(out, secret, public_key) == 0, "a key of small order")
    return out.raw


def public_of(secret):
    out = ctypes.create_string_buffer(32)
    SODIUM.crypto_scalarmult_base(out, secret)
    return out.raw


def open_box(box, secret):
    """What a SealedBox for this secret's public key holds."""
    need(len(box) >= 48, "a sealed box without a key or a tag")
    key = kdf(agreed(secret, box[:32]), "repld-sealedbox1", box[:32] + public_of(secret))
    return open_xchacha(box[32:], b"", bytes(24), key)


def is_signed(message, signature, public_key):
    code = SODIUM.crypto_sign_verify_detached(
        signature, message, ctypes.c_ulonglong(len(message)), public_key)
    return code == 0
