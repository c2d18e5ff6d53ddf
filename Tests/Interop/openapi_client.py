#!/usr/bin/env python3
"""Writes a typed Python client from the OpenAPI document that a daemon serves.

    curl --unix-socket SOCKET http://repld/v1/openapi.json | openapi_client.py > repl_client.py

Each schema becomes a type, each operation a method with its parameters and its answer typed. It refuses what it does not know
(a keyword of a schema, a place of a parameter, a form of an answer), so that the document stays good for generators. The client
needs nothing but Python's library, 3.11 or newer.
"""
import json
import keyword
import re
import sys

# Keywords of JSON Schema that narrow a value without changing its type.
CHECKS = {
    "description", "pattern", "maxItems", "minItems", "minimum", "maximum", "minLength", "maxLength", "default", "uniqueItems",
    "minProperties", "maxProperties", "contentMediaType", "discriminator", "example", "examples"}
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
JSON, LINES, BYTES = "application/json", "application/x-ndjson", "application/octet-stream"


class Unknown(Exception):
    """What this generator does not understand."""


def reference(schema):
    name = schema["$ref"]
    if not name.startswith("#/components/schemas/"):
        raise Unknown(name)
    return name.rsplit("/", 1)[1]


class Generator:
    def __init__(self, document):
        if not document["openapi"].startswith("3.1."):
            raise Unknown("OpenAPI " + document["openapi"])
        self.document = document
        self.lines, self.aliases = [], []

    # Schemas

    def type_of(self, schema, name):
        """The Python type; an object with members becomes a type of this name."""
        unknown = set(schema) - CHECKS - {
            "$ref", "type", "properties", "required", "items", "additionalProperties", "enum", "oneOf", "anyOf", "allOf", "const"}
        if unknown:
            raise Unknown(f"{name}: {sorted(unknown)}")
        if "$ref" in schema:
            return reference(schema)
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return "Literal[" + ", ".join(repr(value) for value in schema["enum"]) + "]"
        for joined in ("oneOf", "anyOf"):
            if joined in schema:
                return self.union(self.type_of(part, f"{name}{i}") for i, part in enumerate(schema[joined]))
        if "allOf" in schema:
            if len(schema["allOf"]) != 1:
                raise Unknown(f"{name}: allOf of several")
            return self.type_of(schema["allOf"][0], name)
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return self.union(self.kind(kind, schema, name) for kind in kinds) if kinds else "Any"

    @staticmethod
    def union(types):
        types = list(dict.fromkeys(types))
        return types[0] if len(types) == 1 else f"Union[{', '.join(types)}]"

    def kind(self, kind, schema, name):
        if kind == "array":
            return f"list[{self.type_of(schema.get('items', {}), name + 'Item')}]"
        if kind != "object":
            return TYPES[kind]
        if "properties" in schema:
            self.write_object(schema, name)
            return name
        further = schema.get("additionalProperties", True)
        return f"dict[str, {self.type_of(further, name + 'Value') if isinstance(further, dict) else 'Any'}]"

    def write_object(self, schema, name):
        required = set(schema.get("required", []))
        missing = required - set(schema["properties"])
        if missing:
            raise Unknown(f"{name} requires {sorted(missing)}, which it does not describe")
        members = []
        for key, member in schema["properties"].items():
            words = re.split(r"[^A-Za-z0-9]+", key)
            own = self.type_of(member, name + "".join(word[:1].upper() + word[1:] for word in words))
            members.append(f"    {key!r}: {own!r}," if key in required else f"    {key!r}: NotRequired[{own!r}],")
        self.lines += [f"{name} = TypedDict({name!r}, {{", *members, "})", ""]

    def write_schema(self, name, schema):
        before = len(self.lines)
        kind = self.type_of(schema, name)
        if kind == name and len(self.lines) > before:
            return
        # Of types that may stand further below: each name as text, which is looked up when it is needed.
        names = "|".join(sorted(self.document["components"]["schemas"], key=len, reverse=True))
        self.aliases += [f"{name}: TypeAlias = " + re.sub(rf"\b({names})\b", r"'\1'", kind)]

    # Operations

    def parameter(self, parameter):
        if "$ref" in parameter:
            parameter = self.document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
        if parameter["in"] not in ("path", "query", "header"):
            raise Unknown(f"a parameter in {parameter['in']}")
        return parameter

    def write_operation(self, method, path, shared, operation):
        parameters = [self.parameter(p) for p in shared + operation.get("parameters", [])]
        needed = [p for p in parameters if p.get("required")]
        optional = [p for p in parameters if not p.get("required")]
        arguments = [f"{python(p['name'])}: {self.type_of(p['schema'], 'Parameter')!r}" for p in needed]
        content = operation.get("requestBody", {}).get("content", {})
        if content:
            form = JSON if JSON in content else next(iter(content))
            if form not in (JSON, LINES, BYTES):
                raise Unknown(f"{operation['operationId']}: a body of {form}")
            kind = "bytes" if form == BYTES else self.type_of(content[form]["schema"], "Body")
            arguments.append(f"body: {kind!r}")
        arguments += [f"{python(p['name'])}: {self.union([self.type_of(p['schema'], 'Parameter'), 'None'])!r} = None" for p in optional]
        answers = {status: a for status, a in operation["responses"].items() if status.startswith("2")}
        forms = {form: c["schema"] for a in answers.values() for form, c in a.get("content", {}).items()}
        if JSON in forms:
            kind, call = self.type_of(forms[JSON], "Answer"), "_value"
        elif LINES in forms:
            kind, call = f"Iterator[{self.type_of(forms[LINES], 'Line')}]", "_lines"
        else:
            kind, call = "bytes", "_bytes"
        place = [f"{p['name']!r}: {python(p['name'])}" for p in parameters if p["in"] == "path"]
        query = [f"{p['name']!r}: {python(p['name'])}" for p in parameters if p["in"] == "query"]
        head = [f"{p['name']!r}: {python(p['name'])}" for p in parameters if p["in"] == "header"]
        self.lines += [
            f"    def {python(operation['operationId'])}({', '.join(['self', *arguments])}) -> {kind!r}:",
            f"        {operation['summary']!r}",
            f"        return self.{call}({method.upper()!r}, {path!r}, {{{', '.join(place)}}}, {{{', '.join(query)}}}, "
            f"{{{', '.join(head)}}}, {'body' if content else 'None'})", ""]

    def write(self):
        for name, schema in self.document["components"]["schemas"].items():
            self.write_schema(name, schema)
        self.lines += [*self.aliases, CLIENT, ""]
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method != "parameters":
                    self.write_operation(method, path, item.get("parameters", []), operation)
        return "\n".join([HEAD, *self.lines])


def python(name):
    """The name as Python writes it: Idempotency-Key is idempotency_key, readDocument read_document."""
    name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()
    if not name.isidentifier():
        raise Unknown(f"the name {name}")
    return name + "_" if keyword.iskeyword(name) else name


HEAD = '''"""Written by openapi_client.py; not to be changed by hand."""
import http.client
import json
import socket
import urllib.parse
from typing import (
    Any, ForwardRef, Iterator, Literal, NotRequired, TypeAlias, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict)
'''

CLIENT = '''
class Refused(Exception):
    """The daemon's error: `status` and the members of its object."""

    def __init__(self, status: int, error: dict[str, Any]):
        super().__init__(error.get("message", ""))
        self.status, self.code, self.error = status, error.get("code"), error


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str):
        super().__init__("repld")
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def misfit(value: Any, kind: Any, place: str = "$") -> str | None:
    """Where a value is not of a type; None: it is."""
    if isinstance(kind, ForwardRef):
        kind = kind.__forward_arg__
    if isinstance(kind, str):
        kind = eval(kind, globals())
    origin = get_origin(kind)
    if kind is Any:
        return None
    if origin is Union:
        found = [misfit(value, part, place) for part in get_args(kind)]
        return None if None in found else "; ".join(str(one) for one in found)
    if origin is Literal:
        return None if value in get_args(kind) else f"{place} is {value!r}, not one of {get_args(kind)}"
    if origin is list:
        if not isinstance(value, list):
            return f"{place} is no list"
        return next(filter(None, (misfit(v, get_args(kind)[0], f"{place}[{i}]") for i, v in enumerate(value))), None)
    if origin is dict:
        if not isinstance(value, dict):
            return f"{place} is no object"
        return next(filter(None, (misfit(v, get_args(kind)[1], f"{place}.{k}") for k, v in value.items())), None)
    if is_typeddict(kind):
        if not isinstance(value, dict):
            return f"{place} is no object"
        hints = get_type_hints(kind, globals(), include_extras=False)
        for name in kind.__required_keys__:
            if name not in value:
                return f"{place} has no {name}"
        return next(filter(None, (misfit(v, hints[k], f"{place}.{k}") for k, v in value.items() if k in hints)), None)
    if kind in (None, type(None)):
        return None if value is None else f"{place} is not null"
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return None
    if isinstance(value, bool) and kind is not bool or not isinstance(value, kind):
        return f"{place} is {value!r}, not {kind.__name__}"
    return None


class Client:
    """A method for each operation; None leaves a parameter out."""

    def __init__(self, socket_path: str):
        self._socket = socket_path

    def _open(self, method, path, place, query, head, body):
        for name, value in place.items():
            path = path.replace("{" + name + "}", urllib.parse.quote(value, safe="/" if name == "key" else ""))
        given = {name: value for name, value in query.items() if value is not None}
        if given:
            texts = {name: json.dumps(value) if isinstance(value, bool) else value for name, value in given.items()}
            path += "?" + urllib.parse.urlencode(texts)
        headers = {name: str(value) for name, value in head.items() if value is not None}
        if isinstance(body, bytes):
            headers["Content-Type"] = "application/octet-stream"
        elif body is not None:
            headers["Content-Type"], body = "application/json", json.dumps(body)
        connection = _Connection(self._socket)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        if answer.status >= 400:
            raise Refused(answer.status, json.loads(answer.read())["error"])
        return connection, answer

    def _bytes(self, *request):
        connection, answer = self._open(*request)
        with connection.sock, answer:
            return answer.read()

    def _value(self, *request):
        return json.loads(self._bytes(*request))

    def _lines(self, *request):
        connection, answer = self._open(*request)
        with connection.sock, answer:
            for line in answer:
                if line.strip():
                    yield json.loads(line)
'''

if __name__ == "__main__":
    print(Generator(json.load(sys.stdin)).write())
