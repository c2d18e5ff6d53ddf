"""The keys of a space that a device finds in the roster, read from Sources/Docs/WIRE.md ("Space keys") alone.

All that the device was ever sent is looked at; whether the operations count is not: who looks for a key does not ask.
"""
from wire_bytes import Fault, Reader, hash256, kdf, need, open_box, open_xchacha, public_of

LATER_BYTES = 4 + 16 + 113


def number_bytes(number):
    return number.to_bytes(4, "big")


class Keys:
    def __init__(self, operations, space, box):
        self.space, self.box = space, box
        # (number, id or None for the first) -> (access, content or None); what later epochs wrap is apart.
        self.held, self.wrapped = {}, []
        own = public_of(box).hex()
        devices = {
            operation["body"].get("device", operation["author"]) for operation in operations
            if operation["body"].get("box") == own}
        for operation in operations:
            body = operation["body"]
            if operation["kind"] == "add" and body["device"] in devices:
                self.take(lambda: self.read_add(bytes.fromhex(body["sealedKeys"])))
            if operation["kind"] == "key-epoch":
                name = (body["epoch"], bytes.fromhex(body["wrapped"])[:16])
                for device, package in body["packages"]:
                    if device in devices:
                        self.take(lambda: self.read_package(name, bytes.fromhex(package)))
        epochs = [operation for operation in operations if operation["kind"] == "key-epoch"]
        for operation in sorted(epochs, key=lambda one: -one["body"]["epoch"]):
            self.take(lambda: self.read_wrapped(operation))

    @staticmethod
    def take(read):
        """What is not for this device, or says nothing, brings no key."""
        try:
            read()
        except Fault:
            pass

    def access(self):
        return sorted((name[0], keys[0]) for name, keys in self.held.items())

    def content(self):
        held = {keys[1] for keys in self.held.values() if keys[1]}
        return sorted(held | {content for _, _, content in self.wrapped})

    def read_add(self, sealed):
        if len(sealed) == LATER_BYTES:
            name = (int.from_bytes(sealed[:4], "big"), sealed[4:20])
            return self.read_package(name, sealed[20:])
        reader = Reader(open_box(sealed, self.box))
        need(reader.u8() == 1 and reader.raw(32) == self.space, "keys of another space")
        for _ in range(reader.count(8, "epochs")):
            number, has_content = int.from_bytes(reader.raw(4), "big"), reader.u8()
            access = reader.raw(32)
            self.held[(number, None)] = (access, reader.raw(32) if has_content else None)
        reader.finish()

    def read_package(self, name, package):
        need(len(package) == 113 and package[0] <= 1, "a package of another length or kind")
        secrets = open_box(package[1:], self.box)
        access, second = secrets[:32], secrets[32:]
        half = kdf(second, "repld-epoch-con1", self.space) if package[0] else second
        need(self.id_of(name[0], self.half_of_access(access), half) == name[1], "secrets of another id")
        self.held[name] = (access, second if package[0] else None)

    def read_wrapped(self, operation):
        body, author = operation["body"], bytes.fromhex(operation["author"])
        number, field = body["epoch"], bytes.fromhex(body["wrapped"])
        content = self.content_of(number, field[:16])
        need(content is not None and len(field) > 40, "nothing that this device can open")
        header = self.space + number_bytes(number) + field[:16] + author
        key = kdf(content, "repld-epoch-wrap")
        reader = Reader(open_xchacha(field[40:], header, field[16:40], key))
        for _ in range(reader.u8()):
            earlier, half, content = int.from_bytes(reader.raw(4), "big"), reader.raw(32), reader.raw(32)
            need(earlier < number, "an epoch that is not earlier")
            self.wrapped.append((earlier, half, content))
        reader.finish()

    def content_of(self, number, epoch_id):
        if (number, epoch_id) in self.held:
            return self.held[(number, epoch_id)][1]
        for earlier, half, content in self.wrapped:
            own = kdf(content, "repld-epoch-con1", self.space)
            if earlier == number and self.id_of(number, half, own) == epoch_id:
                return content
        return None

    def half_of_access(self, access):
        return kdf(access, "repld-epoch-acc1", self.space)

    def id_of(self, number, half_of_access, half_of_content):
        data = self.space + number_bytes(number) + half_of_access + half_of_content
        return hash256(data, "repld-epoch-id-1")[:16]
