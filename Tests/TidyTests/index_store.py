"""Reads the compiler's index store: which file defines what, and which file calls what.

A debug build writes it (.build/debug/index/store). It is read with the toolchain's own libIndexStore, through its C
interface, so that nothing has to be installed. Only what shape.py asks is here: main files, symbols, occurrences and
their relations.
"""

import ctypes
import os
import shutil
from collections import namedtuple
from ctypes import CFUNCTYPE, POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

# Roles of an occurrence, and of a relation (indexstore.h).
DEFINITION, CALL, IMPLICIT = 1 << 1, 1 << 5, 1 << 8
CHILD_OF, BASE_OF, EXTENDED_BY, ACCESSOR_OF = 1 << 9, 1 << 10, 1 << 14, 1 << 15
# Kinds of symbols.
ENUM, STRUCT, CLASS, PROTOCOL, EXTENSION, ENUM_CASE = 5, 6, 7, 8, 9, 15
FUNCTION, INSTANCE_METHOD, CLASS_METHOD, STATIC_METHOD, INSTANCE_PROPERTY = 12, 16, 17, 18, 19
INITIALIZER, DEINITIALIZER = 22, 23
FUNCTIONS = {FUNCTION, INSTANCE_METHOD, CLASS_METHOD, STATIC_METHOD, INITIALIZER, DEINITIALIZER}

Occurrence = namedtuple("Occurrence", "file line column name usr kind roles relations")
Relation = namedtuple("Relation", "name usr kind roles")


class IndexMissing(Exception):
    """There is no index, or none that fits the sources; its text says what to do."""


class _Text(ctypes.Structure):
    _fields_ = [("bytes", c_void_p), ("count", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.bytes, self.count).decode() if self.count else ""


def library():
    """The toolchain's libIndexStore.so, beside its compiler."""
    compiler = shutil.which("swiftc")
    if compiler:
        usr = os.path.dirname(os.path.dirname(os.path.realpath(compiler)))
        for name in ("lib/libIndexStore.so", "lib/libIndexStore.dylib"):
            if os.path.exists(os.path.join(usr, name)):
                return os.path.join(usr, name)
    raise IndexMissing("no libIndexStore beside swiftc")


_EACH_TEXT = CFUNCTYPE(c_bool, c_void_p, _Text)
_EACH = CFUNCTYPE(c_bool, c_void_p, c_void_p)
_SIGNATURES = {
    "store_create": (c_void_p, c_char_p, POINTER(c_void_p)),
    "store_units_apply_f": (c_bool, c_void_p, c_uint, c_void_p, _EACH_TEXT),
    "unit_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
    "unit_reader_dispose": (None, c_void_p),
    "unit_reader_get_modification_time": (None, c_void_p, POINTER(c_uint64), POINTER(c_uint64)),
    "unit_reader_get_main_file": (_Text, c_void_p),
    "unit_reader_get_working_dir": (_Text, c_void_p),
    "unit_reader_dependencies_apply_f": (c_bool, c_void_p, c_void_p, _EACH),
    "unit_dependency_get_kind": (c_int, c_void_p),
    "unit_dependency_get_name": (_Text, c_void_p),
    "unit_dependency_get_filepath": (_Text, c_void_p),
    "record_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
    "record_reader_dispose": (None, c_void_p),
    "record_reader_occurrences_apply_f": (c_bool, c_void_p, c_void_p, _EACH),
    "occurrence_get_symbol": (c_void_p, c_void_p),
    "occurrence_get_roles": (c_uint64, c_void_p),
    "occurrence_get_line_col": (None, c_void_p, POINTER(c_uint), POINTER(c_uint)),
    "occurrence_relations_apply_f": (c_bool, c_void_p, c_void_p, _EACH),
    "symbol_relation_get_roles": (c_uint64, c_void_p),
    "symbol_relation_get_symbol": (c_void_p, c_void_p),
    "symbol_get_usr": (_Text, c_void_p),
    "symbol_get_name": (_Text, c_void_p),
    "symbol_get_kind": (c_int, c_void_p),
}
_RECORD = 2


class IndexStore:
    """An index store; `root` is the project as it is now, wherever it was built."""

    def __init__(self, path, root):
        if not os.path.isdir(path):
            raise IndexMissing(f"no index store at {path}: run swift build")
        self.root = root
        library_of_toolchain = ctypes.CDLL(library())
        self.call = {}
        for name, (result, *arguments) in _SIGNATURES.items():
            function = getattr(library_of_toolchain, "indexstore_" + name)
            function.restype, function.argtypes = result, arguments
            self.call[name] = function
        self.store = self.call["store_create"](path.encode(), byref(c_void_p()))
        if not self.store:
            raise IndexMissing(f"the index store at {path} cannot be read")

    def records(self, folder):
        """The newest record of each Swift file below a folder of the project, by path."""
        names = []
        each = _EACH_TEXT(lambda _, name: names.append(str(name)) or True)
        self.call["store_units_apply_f"](self.store, 0, None, each)
        newest = {}
        for name in names:
            # A unit is named for its object file; others are those of system modules.
            if ".o-" not in name:
                continue
            unit = self.call["unit_reader_create"](self.store, name.encode(), byref(c_void_p()))
            if not unit:
                continue
            main = str(self.call["unit_reader_get_main_file"](unit))
            path = os.path.relpath(main, str(self.call["unit_reader_get_working_dir"](unit)))
            if path.startswith(folder + "/") and os.path.exists(os.path.join(self.root, path)):
                seconds, rest = c_uint64(), c_uint64()
                self.call["unit_reader_get_modification_time"](unit, byref(seconds), byref(rest))
                moment = (seconds.value, rest.value)
                if moment > newest.get(path, ((0, 0), ""))[0]:
                    newest[path] = (moment, self._record(unit, main))
            self.call["unit_reader_dispose"](unit)
        return {path: record for path, (_, record) in newest.items() if record}

    def _record(self, unit, main):
        found = []

        def each(_, dependency):
            if (self.call["unit_dependency_get_kind"](dependency) == _RECORD
                    and str(self.call["unit_dependency_get_filepath"](dependency)) == main):
                found.append(str(self.call["unit_dependency_get_name"](dependency)))
            return True

        self.call["unit_reader_dependencies_apply_f"](unit, None, _EACH(each))
        return found[0] if found else None

    def occurrences(self, file, record):
        """Everything that the compiler noted in a file."""
        reader = self.call["record_reader_create"](self.store, record.encode(), byref(c_void_p()))
        if not reader:
            raise IndexMissing(f"the index has no record of {file}: run swift build")
        found = []

        def each(_, occurrence):
            symbol = self.call["occurrence_get_symbol"](occurrence)
            line, column = c_uint(), c_uint()
            self.call["occurrence_get_line_col"](occurrence, byref(line), byref(column))
            relations = []

            def each_relation(_, relation):
                other = self.call["symbol_relation_get_symbol"](relation)
                roles = self.call["symbol_relation_get_roles"](relation)
                relations.append(Relation(*self._symbol(other), roles))
                return True

            self.call["occurrence_relations_apply_f"](occurrence, None, _EACH(each_relation))
            roles = self.call["occurrence_get_roles"](occurrence)
            found.append(
                Occurrence(file, line.value, column.value, *self._symbol(symbol), roles, relations))
            return True

        self.call["record_reader_occurrences_apply_f"](reader, None, _EACH(each))
        self.call["record_reader_dispose"](reader)
        return found

    def _symbol(self, symbol):
        name = str(self.call["symbol_get_name"](symbol))
        return name, str(self.call["symbol_get_usr"](symbol)), self.call["symbol_get_kind"](symbol)
