"""Changes as JSON, in the words of Tests/Vectors/wire/changes.json."""
from wire_operations import NAMES, PARTS


def described(change):
    value = {
        "first": str(change["first"]), "time": str(change["time"]),
        "context": [f"{replica.hex()}:{last}" for replica, last in sorted(change["context"].items())],
        "rosterHeads": [head.hex() for head in change["heads"]],
        "operations": [described_operation(operation) for operation in change["operations"]],
    }
    if change["declaration"]:
        value["device"], value["incarnation"] = change["declaration"][0].hex(), str(change["declaration"][1])
    return value


def described_dot(dot):
    return f"{dot[0].hex()}:{dot[1]}"


def described_slot(slot):
    return {"key": slot[1].decode()} if slot[0] == "key" else {"element": described_dot(slot[1])}


def described_scalar(scalar):
    tag, value = scalar
    if tag == 3:
        return {"integer": str(value)}
    if tag == 4:
        return {"bits": value.to_bytes(8, "big").hex()}
    return [{"null": True}, {"bool": False}, {"bool": True}, None, None, None, "container"][tag] if tag != 5 else {
        "string": value.decode()}


def described_operation(operation):
    tag = operation["tag"]
    out = {"op": NAMES.get(tag, str(tag)), "document": operation["document"].decode()}
    if tag >= 64:
        return dict(out, sequences=operation["sequences"], payload=operation["payload"].hex())
    if tag == 1:
        return dict(out, observed=operation["observed"])
    generation, steps = operation["place"]
    out["generation"] = generation
    out["steps"] = [
        {"slot": described_slot(slot), "kind": kind, "generation": number} for slot, kind, number in steps]
    for part in PARTS[tag]:
        if part == "slot":
            out["slot"] = described_slot(operation["slot"])
        elif part == "scalar":
            out["value"] = described_scalar(operation["value"])
        elif part == "new":
            out["newGeneration"] = operation["new"]
        elif part == "observed":
            out["observed"] = [list(pair) for pair in operation["observed"]]
        elif part == "amount":
            out["by"] = str(operation["amount"])
        elif part == "origins":
            out["left"] = described_dot(operation["left"]) if operation["left"] else "start"
            out["right"] = described_dot(operation["right"]) if operation["right"] else "end"
        elif part in ("elements", "members"):
            out["values"] = [described_scalar(value) for value in operation["values"]]
        elif part == "text":
            out["text"] = operation["text"].decode()
        elif part == "element":
            out["element"] = described_dot(operation["element"])
        elif part == "ranges":
            out["ranges"] = [
                [described_dot((replica, first)), str(last)] for replica, first, last in operation["ranges"]]
    return out
