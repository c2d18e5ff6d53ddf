#!/usr/bin/env python3
"""Uses the client that openapi_client.py wrote, against a daemon: openapi_use.py FOLDER-OF-THE-CLIENT SOCKET.

Every type of it is resolved, and every answer is held against its type. Prints what was done; a failure ends it.
"""
import sys
import typing

sys.path.insert(0, sys.argv[1])
import repl_client  # noqa: E402
from repl_client import Client, Refused, misfit  # noqa: E402

client = Client(sys.argv[2])
methods = {name: getattr(Client, name) for name in vars(Client) if not name.startswith("_")}
hints = {name: typing.get_type_hints(method, vars(repl_client)) for name, method in methods.items()}


def call(name, *words, **options):
    """The answer of a method, which must be of the type that it promises."""
    kind = hints[name]["return"]
    answer = methods[name](client, *words, **options)
    if "body" in hints[name]:
        wrong = misfit(options.get("body", words[-1]), hints[name]["body"], "body")
        assert wrong is None, f"{name}: {wrong}"
    if "Iterator" in str(kind):
        answer = list(answer)
        kind = list[typing.get_args(kind)[0]]
    wrong = misfit(answer, kind)
    assert wrong is None, f"{name}: {wrong}: {answer}"
    return answer


call("status")
call("create_space", {"name": "home"})
assert [space["name"] for space in call("list_spaces")["spaces"]] == ["home"]
transaction: repl_client.Transaction = {
    "operations": [
        {"op": "set", "document": "note/1", "path": ["title"], "value": "Paint"},
        {"op": "splice", "document": "note/1", "path": ["body"], "index": 0, "delete": 0, "insert": "white"},
        {"op": "increment", "document": "note/1", "path": ["seen"], "by": 2},
        {"op": "add", "document": "note/1", "path": ["tags"], "value": "house"},
        {"op": "insert", "document": "note/1", "path": ["items"], "index": 0, "values": [1, "b"]}],
    "if": [{"document": "note/1", "path": [], "exists": False}]}
first = call("transact", "home", transaction, idempotency_key="k-1")
assert call("transact", "home", transaction, idempotency_key="k-1") == first
document = call("read_document", "home", "note/1", repl_at_least=first["version"])
assert document["value"] == {"body": "white", "items": [1, "b"], "seen": 2, "tags": ["house"], "title": "Paint"}
call("read_document", "home", "note/1", view="typed")
page = call("list_documents", "home", prefix="note/", values="plain", where='title = "Paint"', limit=10)
assert [entry["key"] for entry in page["documents"]] == ["note/1"] and page["next"] is None
assert call("export_documents", "home") == [{"key": "note/1", "value": document["value"]}]
lines = call("watch_changes", "home", since="begin", follow=False)
assert any(line.get("documents") for line in lines)
call("declare_index", "home", "title", {"path": ["title"]})
call("list_indexes", "home")
call("list_conflicts", "home")
call("list_members", "home")
call("create_invite", "home", {"role": "writer"})
call("list_invites", "home")
call("wait", "home", change=first["change"], timeout_seconds=5)
call("explain", "home", key="note/1")
call("read_log", "home")
call("peers")
call("list_keys", "home")
call("list_checkpoints", "home")
assert b"repl_" in call("metrics")
try:
    client.transact("home", transaction)
    raise AssertionError("a condition that does not hold was not refused")
except Refused as refused:
    assert (refused.status, refused.code) == (412, "condition-failed"), refused.error
# What is not of its type is seen.
assert misfit({"operations": [{"op": "set"}]}, "Transaction") and misfit({"change": 1}, "TransactionAnswer")
print(f"{len(methods)} operations, {sum(1 for name in dir(repl_client) if name[:1].isupper())} names")
