"""One peer library, measured in a process of its own; bench.py runs it alternately with replbench.

    peer.py PEER trace FILE CACHE     the text cases of an editing trace
    peer.py PEER memory FILE          resident memory that an encoded document takes (used by `trace`)
    peer.py PEER micro                map, counter and many-replica cases; B1 to B3 of crdt-benchmarks

PEER is yrs (PyPI pycrdt), loro or automerge. Each measure is taken once a process and printed as a JSON line
{"metric", "value"}; bench.py takes the least and the median over rounds. Times are of the processor, as replbench's
are. Python's call costs about 60 ns, which tells in the per-operation cases only.
"""
import ctypes
import gc
import gzip
import json
import os
import random
import struct
import subprocess
import sys
import time


def emit(metric, value, **more):
    print(json.dumps({"metric": metric, "value": value, **more}), flush=True)


# A peer that replays keystrokes for longer than this does it in the first round only.
SLOW_MS = 10_000


def timed(metric, body):
    """Emits the milliseconds that body took; its result."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    result = body()
    took = (time.process_time() - start) * 1e3
    gc.enable()
    emit(metric, round(took, 4))
    return result


# The peers: documents with one text, one map and one list, and updates as bytes.


class Yrs:
    def __init__(self, client=999_999, on_update=None):
        from pycrdt import Array, Doc, Map, Text

        self.doc = Doc(client_id=client)
        self.text_type = self.doc.get("text", type=Text)
        self.map_type = self.doc.get("map", type=Map)
        self.list_type = self.doc.get("list", type=Array)
        self.text_raw = self.text_type.integrated
        self.map_raw = self.map_type.integrated
        self.list_raw = self.list_type.integrated
        self.subscription = self.doc.observe(lambda event: on_update(event.update)) if on_update else None

    def transact(self, body):
        with self.doc.transaction() as transaction:
            body(transaction._txn)

    def insert(self, raw, index, value):
        self.text_raw.insert(raw, index, value, None)

    def delete(self, raw, index, count):
        self.text_raw.remove_range(raw, index, count)

    def map_set(self, raw, key, value):
        self.map_raw.insert(raw, key, value)

    def list_insert(self, raw, index, value):
        self.list_raw.insert(raw, index, value)

    def apply(self, update):
        self.doc.apply_update(update)

    def version(self):
        return self.doc.get_state()

    def since(self, version):
        return self.doc.get_update(version)

    def encoded(self):
        return self.doc.get_update()

    def text(self):
        return str(self.text_type)

    def length(self):
        return len(self.text_type)

    snapshot = None


class Loro:
    def __init__(self, client=999_999, on_update=None):
        import loro

        self.loro = loro
        self.doc = loro.LoroDoc()
        self.doc.peer_id = client
        self.text_type = self.doc.get_text("text")
        self.map_type = self.doc.get_map("map")
        self.list_type = self.doc.get_list("list")
        self.subscription = None
        if on_update:
            self.subscription = self.doc.subscribe_local_update(lambda update: (on_update(update), True)[1])

    def transact(self, body):
        body(None)
        self.doc.commit()

    def insert(self, raw, index, value):
        self.text_type.insert(index, value)

    def delete(self, raw, index, count):
        self.text_type.delete(index, count)

    def map_set(self, raw, key, value):
        self.map_type.insert(key, value)

    def list_insert(self, raw, index, value):
        self.list_type.insert(index, value)

    def apply(self, update):
        self.doc.import_(update)

    def version(self):
        return self.doc.oplog_vv

    def since(self, version):
        return self.doc.export(self.loro.ExportMode.Updates(version))

    def encoded(self):
        return self.since(self.loro.VersionVector())

    def snapshot(self):
        return self.doc.export(self.loro.ExportMode.Snapshot())

    def text(self):
        return self.text_type.to_string()

    def length(self):
        return self.text_type.len_unicode


class Trace:
    def __init__(self, path):
        opened = gzip.open(path) if path.endswith(".gz") else open(path, "rb")
        with opened as file:
            source = json.load(file)
        self.name = os.path.basename(path).split(".json")[0]
        self.is_concurrent = source.get("kind") == "concurrent"
        self.end = source["endContent"]
        self.replicas = source.get("numAgents", 1)
        self.transactions = [
            (one.get("parents"), one.get("agent", 0), [tuple(patch[:3]) for patch in one["patches"]])
            for one in source["txns"]
        ]
        if start := source.get("startContent"):
            # What is there before the first transaction is one too: everything is made on it.
            self.transactions = [([], 0, [(0, 0, start)])] + [
                ([parent + 1 for parent in parents or []] or [0], replica, patches)
                for parents, replica, patches in self.transactions
            ]


def play(document, raw, patches):
    for position, deleted, inserted in patches:
        if deleted:
            document.delete(raw, position, deleted)
        if inserted:
            document.insert(raw, position, inserted)


def updates_of_concurrent(peer, trace):
    """An update a transaction, each made on exactly what its author had seen."""
    transactions = trace.transactions
    seen = []
    for parents, _, _ in transactions:
        known = 0
        for parent in parents:
            known |= seen[parent] | (1 << parent)
        seen.append(known)
    updates = []

    def step(document, patches):
        # Clamped: another CRDT may order concurrent insertions differently, so lengths can differ.
        length, safe = document.length(), []
        for position, deleted, inserted in patches:
            position = min(position, length)
            deleted = min(deleted, length - position)
            length += len(inserted) - deleted
            safe.append((position, deleted, inserted))
        version = document.version()
        document.transact(lambda raw: play(document, raw, safe))
        updates.append(document.since(version))

    def bits(mask):
        while mask:
            low = mask & -mask
            yield low.bit_length() - 1
            mask ^= low

    if trace.replicas <= 10:
        documents, known = {}, {}
        for index, (_, replica, patches) in enumerate(transactions):
            if replica not in documents:
                documents[replica], known[replica] = peer(replica + 1), 0
            for missing in bits(seen[index] & ~known[replica]):
                documents[replica].apply(updates[missing])
            step(documents[replica], patches)
            known[replica] = seen[index] | (1 << index)
        return updates
    states, children = {}, [0] * len(transactions)
    for parents, _, _ in transactions:
        for parent in parents:
            children[parent] += 1
    for index, (parents, replica, patches) in enumerate(transactions):
        document = peer(replica + 1)
        for parent in parents:
            document.apply(states[parent])
        step(document, patches)
        for parent in parents:
            children[parent] -= 1
            if not children[parent]:
                del states[parent]
        if children[index]:
            states[index] = document.encoded()
    return updates


def cached(path, make):
    """A list of byte strings, made once a run: converting a concurrent trace takes a minute."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
        result, offset = [], 0
        while offset < len(data):
            (size,) = struct.unpack_from("<I", data, offset)
            result.append(data[offset + 4 : offset + 4 + size])
            offset += 4 + size
        return result
    result = make()
    with open(path + ".part", "wb") as file:
        for one in result:
            file.write(struct.pack("<I", len(one)))
            file.write(one)
    os.replace(path + ".part", path)
    return result


def resident():
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):
        pass
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024


def memory_of(name, path):
    """Emits what a process measures that does nothing else."""
    output = subprocess.run([sys.executable, __file__, name, "memory", path], capture_output=True, check=True)
    for line in output.stdout.splitlines():
        print(line.decode(), flush=True)


def run_trace(name, peer, trace, cache):
    updates, kept = [], f"{cache}/{name}-{trace.name}.updates"
    if trace.is_concurrent or os.path.exists(kept):
        updates = cached(kept, lambda: updates_of_concurrent(peer, trace))
        document = peer()
        for update in updates:
            document.apply(update)
    else:
        began = time.process_time()
        patches = [patch for _, _, part in trace.transactions for patch in part]

        def local():
            document = peer(1)
            document.transact(lambda raw: play(document, raw, patches))
            return document

        document = timed("local-ms", local)
        assert document.text() == trace.end, "the replay does not end as the trace does"

        def keystrokes():
            made = []
            document = peer(1, made.append)
            for _, _, part in trace.transactions:
                document.transact(lambda raw: play(document, raw, part))
            return document, made

        document, updates = timed("keystroke-ms", keystrokes)
        if (time.process_time() - began) * 1e3 > SLOW_MS:
            cached(kept, lambda: updates)
    encoded = document.encoded()
    emit("encoded-bytes", len(encoded))

    def load(data):
        document = peer()
        document.apply(data)
        return document.text()

    text = timed("import-ms", lambda: load(encoded))
    assert trace.is_concurrent or text == trace.end

    def one_by_one():
        document = peer()
        for update in updates:
            document.apply(update)
        return document

    timed("updates-ms", one_by_one)
    path = f"{cache}/{name}-{trace.name}.encoded"
    with open(path, "wb") as file:
        file.write(encoded)
    memory_of(name, path)
    if peer.snapshot:
        snapshot = document.snapshot()
        emit("snapshot-bytes", len(snapshot))
        timed("open-ms", lambda: load(snapshot))


def run_automerge(trace, cache):
    """Sequential traces only: its Python package cannot replay a concurrent one."""
    import automerge.core as core

    if trace.is_concurrent:
        return

    def local():
        document = core.Document(actor_id=b"\x01" * 16)
        with document.transaction() as transaction:
            text = transaction.put_object(core.ROOT, "text", core.ObjType.Text)
            for _, _, part in trace.transactions:
                for position, deleted, inserted in part:
                    for _ in range(deleted):
                        transaction.delete(text, position)
                    for scalar in inserted:
                        transaction.insert(text, position, core.ScalarType.Str, scalar)
                        position += 1
        return document

    document = timed("local-ms", local)
    encoded = document.save()
    emit("encoded-bytes", len(encoded))

    def load():
        document = core.Document.load(encoded)
        return document.text(document.get(core.ROOT, "text")[1])

    assert timed("import-ms", load) == trace.end
    path = f"{cache}/automerge-{trace.name}.encoded"
    with open(path, "wb") as file:
        file.write(encoded)
    memory_of("automerge", path)


def run_memory(name, path):
    with open(path, "rb") as file:
        data = file.read()
    if name == "automerge":
        import automerge.core as core

        before = resident()
        kept = core.Document.load(data)
    else:
        peer = PEERS[name]
        # What the first of its kind allocates for good, and the pages of code that run, are not the document's.
        first, second = peer(1), peer(2)
        first.transact(lambda raw: first.insert(raw, 0, "the first sentence of it"))
        second.apply(first.encoded())
        second.length()
        second.transact(lambda raw: second.insert(raw, 0, "x"))
        before = resident()
        kept = peer()
        kept.apply(data)
        kept.length()
    emit("memory-bytes", resident() - before)
    if name != "automerge":
        kept.transact(lambda raw: kept.insert(raw, 0, "x"))
        emit("memory-edited-bytes", resident() - before)
    del kept


def run_micro(name, peer):
    count, keys, dice = 6_000, 100_000, random.Random(1)

    def word(size):
        return "".join(chr(97 + dice.randrange(26)) for _ in range(size))

    def exchange(case, steps):
        """B1: one writes, the other applies each update at once."""

        def body():
            made = []
            a, b = peer(1, made.append), peer(2)
            for step in steps:
                a.transact(lambda raw: step(a, raw))
                b.apply(made[-1])
            return a, b, made

        a, b, made = timed(f"{case}-ms", body)
        assert a.text() == b.text()
        emit(f"{case}-bytes", len(a.encoded()))

    content = word(count)
    exchange("b1.1-append", [lambda d, raw, i=i: d.insert(raw, i, content[i]) for i in range(count)])
    exchange("b1.2-string", [lambda d, raw: d.insert(raw, 0, content)])
    exchange("b1.3-prepend", [lambda d, raw, i=i: d.insert(raw, 0, content[i]) for i in range(count)])
    places = [dice.randrange(i + 1) for i in range(count)]
    exchange("b1.4-random", [lambda d, raw, i=i: d.insert(raw, places[i], content[i]) for i in range(count)])

    def merging(case, make):
        """B2: both write apart, then each applies the other's update."""
        start, ours, theirs = word(100), make(), make()
        a = peer(1)
        a.transact(lambda raw: a.insert(raw, 0, start))
        b = peer(2)
        b.apply(a.encoded())
        versions = a.version(), b.version()
        for document, steps in ((a, ours), (b, theirs)):
            document.transact(lambda raw: [step(document, raw) for step in steps])
        updates = a.since(versions[0]), b.since(versions[1])

        def body():
            a.apply(updates[1])
            b.apply(updates[0])

        timed(f"{case}-ms", body)
        assert a.text() == b.text()
        emit(f"{case}-bytes", len(a.encoded()))

    def scattered():
        return [
            lambda d, raw, p=dice.randrange(100 + i + 1), c=word(1): d.insert(raw, p, c) for i in range(count)
        ]

    merging("b2.1-same-place", lambda: [lambda d, raw, w=word(count): d.insert(raw, 0, w)])
    merging("b2.2-scattered", scattered)

    def many(case, replicas, step):
        """B3: many replicas make one operation each; another applies all."""
        updates = []
        for index in range(replicas):
            document = peer(index + 1)
            version = document.version()
            document.transact(lambda raw: step(document, raw, index))
            updates.append(document.since(version))

        def body():
            document = peer(100_000_000)
            for update in updates:
                document.apply(update)
            return document

        emit(f"{case}-bytes", len(timed(f"{case}-ms", body).encoded()))

    # Loro takes minutes for thousands of replicas that insert at one place; yrs does for text at 10,000.
    many("replicas-map-1549", 1_549, lambda d, raw, i: d.map_set(raw, "v", i))
    if name == "yrs":
        many("replicas-map-10000", 10_000, lambda d, raw, i: d.map_set(raw, "v", i))
        many("replicas-list-1549", 1_549, lambda d, raw, i: d.list_insert(raw, 0, str(i)))
        many("replicas-list-10000", 10_000, lambda d, raw, i: d.list_insert(raw, 0, str(i)))
        many("replicas-text-1549", 1_549, lambda d, raw, i: d.insert(raw, 0, word(5)))

    names = ["key%d" % index for index in range(keys)]

    def local():
        document = peer(1)

        def fill(raw):
            for index in range(keys):
                document.map_set(raw, names[index], index)

        document.transact(fill)
        return document

    encoded = timed("map-local-ms", local).encoded()
    emit("map-bytes", len(encoded))

    def load():
        document = peer()
        document.apply(encoded)
        return document

    timed("map-import-ms", load)

    def one_by_one():
        made = []
        document = peer(1, made.append)
        for index in range(keys):
            document.transact(lambda raw: document.map_set(raw, names[index], index))
        return made

    updates = timed("map-each-ms", one_by_one)

    def apply_each():
        document = peer()
        for update in updates:
            document.apply(update)

    timed("map-updates-ms", apply_each)
    if name == "loro":

        def increments():
            document = peer(1)
            counter = document.doc.get_counter("counter")
            for _ in range(keys):
                counter.increment(1)
            document.doc.commit()
            return document

        encoded = timed("counter-local-ms", increments).encoded()
        emit("counter-bytes", len(encoded))
        timed("counter-import-ms", lambda: peer().apply(encoded))


PEERS = {"yrs": Yrs, "loro": Loro}


def main():
    name, mode = sys.argv[1], sys.argv[2]
    if mode == "memory":
        run_memory(name, sys.argv[3])
    elif mode == "micro":
        run_micro(name, PEERS[name])
    elif name == "automerge":
        run_automerge(Trace(sys.argv[3]), sys.argv[4])
    else:
        run_trace(name, PEERS[name], Trace(sys.argv[3]), sys.argv[4])


main()
