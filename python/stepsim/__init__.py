"""Predicts one training iteration of a transformer on a GPU cluster: libstepsim for Python.

>>> import stepsim
>>> job = stepsim.Job("gpt3-175b", "perlmutter", {"training.recompute": "full"})
>>> result = job.replay()
>>> result["simulation.iteration_s"]                                            # doctest: +SKIP
46.01

A job is a workload on a platform; job["parallelism.tp"] reads a knob and job["parallelism.tp"] = 8 sets it, as ``--set``
does. estimate, replay and search predict it and make a Result: a sequence of rows, each a mapping from the names of
columns to numbers in SI units (see columns). What goes wrong is an Error with a code and a message.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import enum
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union, overload


__all__ = ["Column", "Error", "Job", "Knob", "Result", "Row", "Status", "columns", "knobs", "platforms", "version", "workloads"]

Value = Union[str, int, float, bool]
Option = Union[Value, Sequence[Value]]


class Status(enum.IntEnum):
    """What went wrong: the codes of stepsim_status."""

    OK = 0
    MEMORY = 1
    INPUT = 2
    OUTPUT = 3
    DEADLOCK = 4
    ENGINE = 5
    BUDGET = 6
    PROCESS = 7
    MODULE = 8
    USE = 9


class Error(Exception):
    """What the library refuses or could not do; ``status`` says which of the two, the text what is allowed."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


class Knob(NamedTuple):
    """What can be set: ELEMENT.ATTRIBUTE of a workload, or platform.PROPERTY."""

    name: str
    help: str


class Column(NamedTuple):
    """A number of a result, with its unit: "s", "bytes", ..., or "1" of shares, counts and answers."""

    name: str
    unit: str
    help: str


class _ErrorStructure(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 2064)]


_ABI = 0
_handle = ctypes.c_void_p
_text = ctypes.c_char_p
_out = ctypes.POINTER(ctypes.c_void_p)
_error = ctypes.POINTER(_ErrorStructure)
_options = ctypes.POINTER(ctypes.c_char_p)

# Result and arguments of each function of stepsim.h.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "version": (_text, []),
    "list": (ctypes.c_int, [_text, _out, _error]),
    "text_free": (None, [_handle]),
    "job_create": (ctypes.c_int, [_text, _text, _out, _error]),
    "job_copy": (ctypes.c_int, [_handle, _out, _error]),
    "job_destroy": (None, [_handle]),
    "job_set": (ctypes.c_int, [_handle, _text, _text, _error]),
    "job_get": (ctypes.c_int, [_handle, _text, _text, ctypes.c_size_t, _error]),
    "job_save": (ctypes.c_int, [_handle, _text, _error]),
    "knob_count": (ctypes.c_int64, []),
    "knob_name": (_text, [ctypes.c_int64]),
    "knob_help": (_text, [ctypes.c_int64]),
    "estimate": (ctypes.c_int, [_handle, _options, _out, _error]),
    "replay": (ctypes.c_int, [_handle, _options, _out, _error]),
    "search": (ctypes.c_int, [_handle, _options, _out, _error]),
    "column_count": (ctypes.c_int64, []),
    "column_name": (_text, [ctypes.c_int64]),
    "column_unit": (_text, [ctypes.c_int64]),
    "column_help": (_text, [ctypes.c_int64]),
    "result_rows": (ctypes.c_int64, [_handle]),
    "result_value": (ctypes.c_double, [_handle, ctypes.c_int64, ctypes.c_int64]),
    "result_json": (_text, [_handle]),
    "result_job": (ctypes.c_int, [_handle, ctypes.c_int64, _out, _error]),
    "result_destroy": (None, [_handle]),
}


def _candidates() -> Iterator[str]:
    """Where the library may be: as the environment says, in an installation that this file is part of, where
    libraries are, or where a checkout that this file is part of builds them."""
    name = f"libstepsim.so.{_ABI}"
    if "STEPSIM_LIBRARY" in os.environ:
        yield os.environ["STEPSIM_LIBRARY"]
        return
    for prefix in Path(__file__).resolve().parents[2:6]:
        yield from (str(path) for path in sorted(prefix.glob(f"lib*/{name}")) + sorted(prefix.glob(f"lib/*/{name}")))
    yield name
    for preset in ("release", "test"):
        yield str(Path(__file__).resolve().parents[2] / "build" / preset / name)


def _load() -> ctypes.CDLL:
    failures = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as failure:
            failures.append(str(failure))
            continue
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, "stepsim_" + name)
            function.restype, function.argtypes = result, arguments
        return library
    raise ImportError(f"libstepsim cannot be loaded ({'; '.join(failures)}): build and install stepsim, "
                      "or let STEPSIM_LIBRARY name the file libstepsim.so of a build folder")


_library = _load()


def _call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status and takes an error last."""
    error = _ErrorStructure()
    status = getattr(_library, "stepsim_" + name)(*arguments, ctypes.byref(error))
    if status != Status.OK:
        raise Error(Status(status), error.message.decode(errors="replace"))


def _encode(text: Value | os.PathLike[str]) -> bytes:
    """A text as the library takes it: yes and no of answers, digits of numbers."""
    if isinstance(text, bool):
        return b"yes" if text else b"no"
    encoded = os.fsencode(os.fspath(text)) if isinstance(text, os.PathLike) else str(text).encode()
    if b"\0" in encoded:
        raise Error(Status.USE, f"{text!r} has a character 0")
    return encoded


def _table(kind: str, *fields: str) -> Iterator[list[str]]:
    for at in range(getattr(_library, f"stepsim_{kind}_count")()):
        yield [getattr(_library, f"stepsim_{kind}_{field}")(at).decode() for field in fields]


def _list(kind: str) -> list[str]:
    names = ctypes.c_void_p()
    _call("list", kind.encode(), ctypes.byref(names))
    try:
        return (ctypes.string_at(names.value) if names.value else b"").decode().split()
    finally:
        _library.stepsim_text_free(names)


def version() -> str:
    """The version of the library."""
    return str(_library.stepsim_version().decode())


def workloads() -> list[str]:
    """The names of workloads that are found without a path."""
    return _list("workloads")


def platforms() -> list[str]:
    """The names of platforms that are found without a path."""
    return _list("platforms")


def knobs() -> list[Knob]:
    """All knobs."""
    return [Knob(*row) for row in _table("knob", "name", "help")]


def columns() -> list[Column]:
    """The columns of all results."""
    return [Column(*row) for row in _table("column", "name", "unit", "help")]


_NUMBER = {column.name: at for at, column in enumerate(columns())}


def _option_list(options: Mapping[str, Option]) -> Any:
    """NAME=VALUE of each option, with None behind the last: a flag is True, a list has commas."""
    texts = []
    for name, value in options.items():
        if value is True:
            texts.append(_encode(name))
        elif value is not False:
            values = [value] if isinstance(value, (str, int, float)) else list(value)
            texts.append(_encode(name) + b"=" + b",".join(_encode(one) for one in values))
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


class Row(Mapping[str, float]):
    """The numbers of a row, by the names of their columns; those that it does not have are left out."""

    def __init__(self, result: Result, number: int) -> None:
        self._result, self._number = result, number

    def _value(self, name: str) -> float:
        return float(_library.stepsim_result_value(self._result._handle, self._number, _NUMBER[name]))

    def __getitem__(self, name: str) -> float:
        value = self._value(name)
        if math.isnan(value):
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name in _NUMBER if not math.isnan(self._value(name)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"

    def job(self) -> Job:
        """The job of this row: of a search, with its strategy."""
        handle = ctypes.c_void_p()
        _call("result_job", self._result._handle, self._number, ctypes.byref(handle))
        return Job._of(handle)


class Result(Sequence[Row]):
    """What an estimate, a replay or a search came to: a sequence of rows, the best one first.

    result["metrics.mfu"] is short for result[0]["metrics.mfu"]."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle

    def __del__(self) -> None:
        if _library is not None:
            _library.stepsim_result_destroy(self._handle)

    def __len__(self) -> int:
        return int(_library.stepsim_result_rows(self._handle))

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    @overload
    def __getitem__(self, at: str) -> float: ...
    def __getitem__(self, at: int | slice | str) -> Row | list[Row] | float:
        if isinstance(at, str):
            return self[0][at]
        if isinstance(at, slice):
            return [Row(self, number) for number in range(len(self))[at]]
        return Row(self, range(len(self))[at])

    def column(self, name: str) -> list[float]:
        """The numbers of a column, one of each row; NaN where a row has none. numpy.array takes it as it is."""
        return [Row(self, number)._value(name) for number in range(len(self))]

    def job(self) -> Job:
        """The job of the first row: of a search, with the best strategy."""
        return self[0].job()

    def json(self) -> Any:
        """The whole result, as ``--json`` of the program has it: of a search also what it went through."""
        return json.loads(_library.stepsim_result_json(self._handle))

    def to_frame(self) -> Any:
        """A pandas.DataFrame of the rows, with the columns that one of them has; its attrs have their units."""
        import pandas  # type: ignore[import]

        frame = pandas.DataFrame({name: self.column(name) for name in _NUMBER}).dropna(axis="columns", how="all")
        frame.attrs["units"] = {column.name: column.unit for column in columns() if column.name in frame.columns}
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} rows>"


class Job:
    """A workload on a platform, each the name of a shipped file or a path, with knobs that differ from the files."""

    def __init__(self, workload: str | os.PathLike[str], platform: str | os.PathLike[str],
                 knobs: Mapping[str, Value] | None = None) -> None:
        self._handle = ctypes.c_void_p()
        _call("job_create", _encode(workload), _encode(platform), ctypes.byref(self._handle))
        self.set(knobs or {})

    @classmethod
    def _of(cls, handle: ctypes.c_void_p) -> Job:
        job = cls.__new__(cls)
        job._handle = handle
        return job

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None and _library is not None:
            _library.stepsim_job_destroy(handle)

    def copy(self) -> Job:
        """A job of its own with the same knobs."""
        handle = ctypes.c_void_p()
        _call("job_copy", self._handle, ctypes.byref(handle))
        return Job._of(handle)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Job:
        return self.copy()

    def __getitem__(self, name: str) -> str:
        """The value of a knob as a file has it: what was set, what the files say, or what follows."""
        value = ctypes.create_string_buffer(4096)
        _call("job_get", self._handle, _encode(name), value, len(value))
        return value.value.decode()

    def __setitem__(self, name: str, value: Value) -> None:
        """Sets a knob; what goes together is checked by the predictions."""
        _call("job_set", self._handle, _encode(name), _encode(value))

    def set(self, knobs: Mapping[str, Value]) -> Job:
        """Sets several knobs, and returns the job."""
        for name, value in knobs.items():
            self[name] = value
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the workload, with what was set, as a workload file."""
        _call("job_save", self._handle, _encode(Path(path)))

    def _predict(self, function: str, options: Mapping[str, Option]) -> Result:
        handle = ctypes.c_void_p()
        _call(function, self._handle, _option_list(options), ctypes.byref(handle))
        return Result(handle)

    def estimate(self, **options: Option) -> Result:
        """The closed form. Options: cost, as of ``stepsim estimate``."""
        return self._predict("estimate", options)

    def replay(self, **options: Option) -> Result:
        """Closed form and replay, in a child process; other threads of Python go on meanwhile.

        Options, as of ``stepsim run``: cost, flows, fold, seed, max_seconds, max_memory, beside, trials."""
        return self._predict("replay", options)

    def search(self, **options: Option) -> Result:
        """The best strategies and placements, as rows with jobs of their own.

        Options, as of ``stepsim search``: cost, gpus, budget, tensor, knobs, objective, top, pareto (True), replay, flows,
        fold, max_seconds, max_memory."""
        return self._predict("search", options)
