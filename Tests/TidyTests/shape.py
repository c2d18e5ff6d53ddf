#!/usr/bin/env python3
"""Prints the shape of the code, and holds it to bounds.

    Tests/TidyTests/shape.py [--files] [--index PATH] | --self-test

Machines and the state that each owns; machines that name each other; components of files that call each other in
circles; cases of Input and Effect; long functions and files; assertions and comments by floor. What is called where
comes from the compiler's index store of the debug build, everything else from the text. `--files` also names the files
of the greatest circle of Node. `--self-test` compiles a small module with known circles and machines, and measures it.

Exit codes: 0 all bounds hold, 1 one does not, 2 there is no index of these sources (run `swift build` first).
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

from index_store import (
    ACCESSOR_OF, BASE_OF, CALL, CHILD_OF, CLASS, DEFINITION, ENUM_CASE, EXTENDED_BY, FUNCTIONS, IMPLICIT,
    INSTANCE_PROPERTY, STRUCT, IndexMissing, IndexStore)

# What is held. A bound is lowered by whoever makes the number smaller, and never raised; `goal` is where it ends.
BOUNDS = {
    "files of Node in one circle of calls": (3, 6),
    "cases of Input": (15, 15),
    "cases of Effect": (11, 15),
    "machines that name another": (0, 0),
    "functions over 60 lines": (0, 0),
    "files over 400 lines": (0, 0),
}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORE = sorted(name for name in os.listdir(os.path.join(ROOT, "Sources/Core")) if name != "Node") + ["Node"]


class Source:
    """A Swift file as text."""

    def __init__(self, path, root=ROOT):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        if self.lines and self.lines[-1] == "":
            self.lines.pop()

    def length(self, start):
        """Lines of the declaration that begins at a line (from 0); `swift format` lays them out."""
        indent = len(self.lines[start]) - len(self.lines[start].lstrip())
        hasBody = False
        for number in range(start, len(self.lines)):
            line = self.lines[number]
            # A requirement of a protocol ends where its signature does.
            hasBody = hasBody or "{" in line
            if not hasBody and not line.strip():
                return number - start
            if number > start and line.startswith(" " * indent + ")") and line.rstrip().endswith("}"):
                return number - start + 1
            if number > start and line.startswith(" " * indent + "}"):
                return number - start + 1
            if line.rstrip().endswith("}") and number == start:
                return 1
            if number > start and line.strip() and len(line) - len(line.lstrip()) < indent:
                return number - start
        return len(self.lines) - start


def sources(folder, root=ROOT):
    paths = glob.glob(os.path.join(root, folder, "**", "*.swift"), recursive=True)
    return [Source(os.path.relpath(path, root), root) for path in sorted(paths)]


FUNCTION = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*(?:func\s|init[(<?]|subscript[(<])")
ASSERTION = re.compile(r"\b(?:precondition|preconditionFailure|assert|assertionFailure)\(|(?<!func )\bcheckInvariants\(")


def is_comment(line):
    return line.lstrip().startswith("//")


def floor_figures(files):
    """Functions, assertions in a hundred of them, and comments among the lines that are not blank."""
    lines = [line for file in files for line in file.lines if line.strip()]
    code = [line for line in lines if not is_comment(line)]
    functions = sum(1 for line in code if FUNCTION.match(line))
    assertions = sum(len(ASSERTION.findall(line)) for line in code)
    return functions, 100 * assertions / max(1, functions), 100 * (len(lines) - len(code)) / max(1, len(lines))


def long_functions(files):
    return [(file.path, number + 1, file.length(number))
            for file in files for number, line in enumerate(file.lines)
            if not is_comment(line) and FUNCTION.match(line) and "{" in "".join(file.lines[number:number + 12])
            and file.length(number) > 60]


def components(edges, nodes):
    """Strongly connected components, greatest first (Tarjan 1972, without recursion)."""
    order, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in nodes:
        if start in order:
            continue
        order[start] = low[start] = len(order)
        stack.append(start)
        on_stack.add(start)
        work = [(start, iter(sorted(edges[start])))]
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    place = stack.index(node)
                    found.append(sorted(stack[place:]))
                    on_stack.difference_update(stack[place:])
                    del stack[place:]
    return sorted(found, key=len, reverse=True)


class Index:
    """What the compiler knows of Core."""

    def __init__(self, path, files, root=ROOT):
        store = IndexStore(path, root)
        records = store.records("Sources/Core")
        missing = [file.path for file in files if file.path not in records]
        if missing:
            raise IndexMissing(f"{len(missing)} files are not in the index, {missing[0]} first: run swift build")
        self.occurrences = [found for file in files for found in store.occurrences(file.path, records[file.path])]
        self.definitions = {found.usr: found for found in self.occurrences if found.roles & DEFINITION}
        texts = {file.path: file.lines for file in files}
        for found in self.definitions.values():
            name = found.name.split("(")[0]
            if found.roles & IMPLICIT or not name.isidentifier() or found.kind not in FUNCTIONS | {STRUCT, ENUM_CASE}:
                continue
            lines = texts[found.file]
            if found.line > len(lines) or not lines[found.line - 1].encode()[found.column - 1:].decode(
                    errors="replace").lstrip("`").startswith((name, "init", "subscript")):
                raise IndexMissing(f"{found.file}:{found.line} is not what was indexed: run swift build")

    def calls(self, files, counts_properties=True):
        """Which of these files call which: functions, and properties that are computed."""
        edges, files = defaultdict(set), set(files)
        for found in self.occurrences:
            target = self.definitions.get(found.usr)
            if not found.roles & CALL or not target or found.file == target.file or found.kind not in FUNCTIONS:
                continue
            # An accessor is called without being written; of a stored property it is written nowhere either. Nor is
            # the initialiser that a struct has by itself.
            is_ours = not target.roles & IMPLICIT if counts_properties else not found.roles & IMPLICIT
            if is_ours and found.file in files and target.file in files:
                edges[found.file].add(target.file)
        return edges

    def machines(self):
        """Types that conform to StateMachine: usr, name, file and stored properties, by name."""
        kinds = (STRUCT, CLASS)
        found = {}
        for occurrence in self.occurrences:
            if occurrence.name != "StateMachine" or occurrence.roles & DEFINITION:
                continue
            for relation in occurrence.relations:
                target = self.definitions.get(relation.usr)
                # An extension's conformance is told of the extension.
                if relation.roles & BASE_OF and target and target.kind in kinds:
                    found[relation.name] = target
                elif relation.roles & BASE_OF:
                    found.update({name: self.definitions[usr] for name, usr in self._extended(relation.usr)})
        return found

    def _extended(self, extension):
        for occurrence in self.occurrences:
            for relation in occurrence.relations:
                if relation.usr == extension and relation.roles & EXTENDED_BY and occurrence.usr in self.definitions:
                    yield occurrence.name, occurrence.usr

    def stored_properties(self, machine):
        """In order of their lines. A property whose getter is written is computed."""
        computed = {relation.usr for found in self.definitions.values() for relation in found.relations
                    if found.name.startswith("getter:") and not found.roles & IMPLICIT
                    and relation.roles & ACCESSOR_OF}
        return [name for _, name in sorted(
            (found.line, found.name) for found in self.definitions.values()
            if found.kind == INSTANCE_PROPERTY and found.usr not in computed
            and any(relation.usr == machine.usr and relation.roles & CHILD_OF for relation in found.relations))]

    def homes(self, machine):
        """The files that are a machine's own: its definition and extensions."""
        files = {machine.file}
        for found in self.occurrences:
            if found.usr == machine.usr and any(relation.roles & EXTENDED_BY for relation in found.relations):
                files.add(found.file)
        return files


def cases(index, name):
    enum = [found for found in index.definitions.values()
            if found.name == name and found.file.startswith("Sources/Core/Node/") and found.kind != ENUM_CASE]
    if len(enum) != 1:
        sys.exit(f"{len(enum)} types of Sources/Core/Node are called {name}")
    return sum(1 for found in index.definitions.values() if found.kind == ENUM_CASE and any(
        relation.usr == enum[0].usr and relation.roles & CHILD_OF for relation in found.relations))


def print_machines(index):
    """Machines with what they own; pairs of which one names the other."""
    machines = index.machines()
    homes = {name: index.homes(machine) for name, machine in machines.items()}
    print(f"machines: {len(machines)}")
    for name in sorted(machines):
        properties = index.stored_properties(machines[name])
        print(f"  {name:24} {machines[name].file}  owns {len(properties)}: {', '.join(properties)}")
    shared = [(a, b) for a in machines for b in machines if a < b and homes[a] & homes[b]]
    for a, b in shared:
        print(f"  {a} and {b} stand in one file: {sorted(homes[a] & homes[b])[0]}")
    names = {machine.usr: name for name, machine in machines.items()}
    naming = set()
    for found in index.occurrences:
        other = names.get(found.usr)
        for name in machines:
            if other and other != name and found.file in homes[name] and found.file not in homes[other]:
                naming.add((name, other, f"{found.file}:{found.line}"))
    for name, other, place in sorted(naming):
        print(f"  {name} names {other}: {place}")
    return len({(name, other) for name, other, _ in naming}) + len(shared)


def print_circles(index, files, names_files):
    """Components of files by calls; the size of Node's greatest."""
    node = [file.path for file in files if file.path.startswith("Sources/Core/Node/")]
    own = [path for path in node if re.match(r"Node(\+\w+)?\.swift$", os.path.basename(path))]
    counted = components(index.calls(own, counts_properties=False), own)
    print(f"circles of calls: {len(counted[0])} of the {len(own)} files of Node's own, as issue 12 counted them "
          "(then 42 of 49: functions only)")
    greatest = []
    for floor in CORE:
        paths = [file.path for file in files if file.path.startswith(f"Sources/Core/{floor}/")]
        found = components(index.calls(paths), paths)
        sizes = [str(len(component)) for component in found if len(component) > 1]
        print(f"  {floor:12} {len(paths):4} files, circles of {', '.join(sizes) or 'none'}")
        greatest = found[0]
    if names_files:
        for path in greatest:
            print(f"    {path}")
    return len(greatest)


def self_test():
    """Measures a module whose circles, machines and long functions are known."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "Sources/Core/Node")
        os.makedirs(folder)
        texts = {
            "StateMachine": "protocol StateMachine { func check() }",
            "Node": "struct Node { var book = Book()\n  mutating func first() { second() } }",
            "Node+A": "extension Node { mutating func second() { _ = third }\n  func fifth() {} }",
            "Node+B": "extension Node {\n  var third: Int { fourth() } }",
            "Node+C": "extension Node { func fourth() -> Int { fifth()\n    return book.pages } }",
            # Storing and reading what is stored calls nobody.
            "Book": "struct Book {\n  var pages = 1\n  var last: Int { pages }\n"
                    "  var read: Int = 0 { didSet { pages = 2 } }\n}\nextension Book: StateMachine { func check() {} }",
            "Shelf": "struct Shelf: StateMachine {\n  let book: Book\n  func check() {} }",
            "Long": "func long() {\n" + "  print(1)\n" * 59 + "}\nfunc short() {\n" + "  print(1)\n" * 58 + "}",
            "Input": "enum Input {\n  case one, two\n  case three(Int) }",
        }
        for name, text in texts.items():
            with open(os.path.join(folder, name + ".swift"), "w", encoding="utf-8") as file:
                file.write(text + "\n")
        files = sources("Sources", root)
        index_path = os.path.join(root, "index")
        subprocess.run(
            ["swiftc", "-c", "-parse-as-library", "-module-name", "Node", "-index-store-path", index_path]
            + [file.path for file in files], cwd=root, check=True)
        index = Index(index_path, files, root)
        paths = [file.path for file in files]
        names = [[os.path.basename(path).removesuffix(".swift") for path in circle]
                 for circle in components(index.calls(paths), paths) if len(circle) > 1]
        assert names == [["Node+A", "Node+B", "Node+C"]], names
        assert not any(len(circle) > 1 for circle in components(index.calls(paths, False), paths))
        assert sorted(index.machines()) == ["Book", "Shelf"], index.machines()
        assert index.stored_properties(index.machines()["Book"]) == ["pages", "read"]
        assert print_machines(index) == 1
        assert cases(index, "Input") == 3
        assert [length for _, _, length in long_functions(files)] == [61]
        with open(os.path.join(root, files[0].path), "w", encoding="utf-8") as file:
            file.write("\n\n" + texts["Book"])
        try:
            Index(index_path, sources("Sources", root), root)
            assert False, "sources that changed since were not noticed"
        except IndexMissing:
            pass


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--self-test", action="store_true")
    arguments.add_argument("--files", action="store_true")
    arguments.add_argument("--index", default=os.path.join(ROOT, ".build/debug/index/store"))
    options = arguments.parse_args()
    if options.self_test:
        return self_test()
    core, everything = sources("Sources/Core"), sources("Sources")
    try:
        index = Index(options.index, core)
    except IndexMissing as missing:
        print(f"shape.py: {missing}", file=sys.stderr)
        sys.exit(2)
    measured = {}
    measured["machines that name another"] = print_machines(index)
    measured["files of Node in one circle of calls"] = print_circles(index, core, options.files)
    measured["cases of Input"] = cases(index, "Input")
    measured["cases of Effect"] = cases(index, "Effect")
    long = long_functions(everything)
    for path, line, length in long:
        print(f"function of {length} lines: {path}:{line}")
    measured["functions over 60 lines"] = len(long)
    large = [file for file in everything if len(file.lines) > 400]
    for file in large:
        print(f"file of {len(file.lines)} lines: {file.path}")
    measured["files over 400 lines"] = len(large)
    print("floor            files  functions  assertions/100  comments")
    folders = [f"Sources/Core/{floor}" for floor in CORE] + ["Sources/Core", "Sources/Shell", "Sources/Simulation",
                                                              "Sources/Client", "Sources/Programs"]
    for folder in folders:
        files = [file for file in everything if file.path.startswith(folder + "/")]
        functions, assertions, comments = floor_figures(files)
        name = folder.removeprefix("Sources/").removeprefix("Core/")
        print(f"{name:16} {len(files):5} {functions:10} {assertions:15.0f} {comments:8.0f} %")
    print("held:")
    is_held = True
    for name, (bound, goal) in BOUNDS.items():
        verdict = "" if measured[name] <= bound else "  NOT HELD"
        is_held = is_held and not verdict
        lower = "  (lower the bound)" if measured[name] < bound and bound > goal else ""
        print(f"  {name}: {measured[name]}, at most {bound}, goal {goal}{verdict}{lower}")
    sys.exit(0 if is_held else 1)


if __name__ == "__main__":
    main()
