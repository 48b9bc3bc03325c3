"""Predicts one training iteration of a transformer on a GPU cluster: libstepsim for Python.

>>> import stepsim
>>> job = stepsim.Job("gpt3-175b", "perlmutter", {"training.recompute": "full"})
>>> replay = job.replay()
>>> replay.iteration_s, replay.mfu                                              # doctest: +SKIP
(46.01, 0.461)

A Machine is a platform, with properties that differ from its file; it never changes, and any number of jobs may run on
it. A Job is a workload on a machine; job["parallelism.tp"] reads a knob and job["parallelism.tp"] = 8 sets it, as
``--set`` does. job.estimate(), job.replay(), job.search(), job.sweep() and job.plan() make an Estimate, a Replay, a
Search, a Sweep and a Plan. Estimates and replays have attributes for what people ask first, and are mappings from the names of columns to numbers in SI units
(see columns). What goes wrong is an Error with a code and a message.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import enum
import json
import math
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union, overload


__all__ = ["Candidate", "Column", "Error", "Estimate", "Job", "Knob", "Machine", "Plan", "Property", "Replay", "Search", "Stage",
           "Status", "Sweep", "columns", "knobs", "platforms", "properties", "version", "workloads"]

Value = Union[str, int, float, bool]
Path_ = Union[str, "os.PathLike[str]"]
One = Union[Value, "os.PathLike[str]"]
Option = Union[One, Sequence[One]]


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
    STOPPED = 10


class Error(Exception):
    """What the library refuses or could not do; ``status`` says which of the two, the text what is allowed."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


class Knob(NamedTuple):
    """What can be set of a job: ELEMENT.ATTRIBUTE of a workload."""

    name: str
    help: str


class Property(NamedTuple):
    """What can be given of a machine."""

    name: str
    help: str


class Column(NamedTuple):
    """A number of a prediction, with its unit: "s", "bytes", ..., or "1" of shares, counts and answers."""

    name: str
    unit: str
    help: str


class Stage(NamedTuple):
    """What a stage of the pipeline does in a replay, in seconds: passes with the communication in them, the optimizer
    step, and standing still for other stages and for data parallelism."""

    passes_s: float
    optimizer_s: float
    wait_stages_s: float
    wait_data_s: float


class _ErrorStructure(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 3600)]


_ABI = 0
_handle = ctypes.c_void_p
_text = ctypes.c_char_p
_out = ctypes.POINTER(ctypes.c_void_p)
_error = ctypes.POINTER(_ErrorStructure)
_options = ctypes.POINTER(ctypes.c_char_p)

_create = (ctypes.c_int, [_handle, _options, _out, _error])
_destroy = (None, [_handle])
_of_text = (_text, [ctypes.c_int64])
_number = (ctypes.c_double, [_handle])
_size = (ctypes.c_int64, [_handle])
_at = (ctypes.c_double, [_handle, ctypes.c_int64])
_kind = (ctypes.c_double, [_handle, ctypes.c_int])

# What estimates and replays both say.
_BOTH = ("iteration_s", "low_s", "high_s", "mfu", "hfu", "tokens_per_s", "days", "iteration_dollars", "run_dollars")

# Result and arguments of each function of stepsim.h.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "version": (_text, []),
    "list": (ctypes.c_int, [_text, _out, _error]),
    "text_free": _destroy,
    "machine_create": (ctypes.c_int, [_text, _options, _out, _error]),
    "machine_vary": (ctypes.c_int, [_handle, _options, _out, _error]),
    "machine_destroy": _destroy,
    "machine_get": (ctypes.c_int, [_handle, _text, _text, ctypes.c_size_t, _error]),
    "machine_property_count": (ctypes.c_int64, []),
    "machine_property_name": _of_text,
    "machine_property_help": _of_text,
    "machine_name": (_text, [_handle]),
    "machine_gpus": _size,
    "machine_domain_gpus": _size,
    "machine_nodes": _size,
    "machine_memory_bytes": _number,
    "machine_flop_per_s": _kind,
    "machine_bytes_per_s": _kind,
    "job_create": (ctypes.c_int, [_text, _handle, _out, _error]),
    "job_import": (ctypes.c_int, [_options, _options, _handle, _out, _out, _error]),
    "job_copy": (ctypes.c_int, [_handle, _out, _error]),
    "job_destroy": _destroy,
    "job_move": (ctypes.c_int, [_handle, _handle, _error]),
    "job_machine": (_handle, [_handle]),
    "job_set": (ctypes.c_int, [_handle, _text, _text, _error]),
    "job_get": (ctypes.c_int, [_handle, _text, _text, ctypes.c_size_t, _error]),
    "job_save": (ctypes.c_int, [_handle, _text, _error]),
    "job_emit": (ctypes.c_int, [_handle, _text, _out, _error]),
    "job_stop_by": (None, [_handle, ctypes.POINTER(ctypes.c_int)]),
    "job_knob_count": (ctypes.c_int64, []),
    "job_knob_name": _of_text,
    "job_knob_help": _of_text,
    "column_count": (ctypes.c_int64, []),
    "column_name": _of_text,
    "column_unit": _of_text,
    "column_help": _of_text,
    "estimate_create": _create,
    "estimate_destroy": _destroy,
    "estimate_gpus": _size,
    "estimate_parameters": _number,
    "estimate_stages": _size,
    "estimate_memory_bytes": (ctypes.c_double, [_handle, ctypes.c_int64, ctypes.c_int]),
    "estimate_fits": (ctypes.c_int, [_handle]),
    "replay_create": _create,
    "replay_destroy": _destroy,
    "replay_estimate": (_handle, [_handle]),
    "replay_stage_s": (ctypes.c_double, [_handle, ctypes.c_int64, ctypes.c_int]),
    "search_create": _create,
    "search_destroy": _destroy,
    "search_count": _size,
    "search_estimate": (_handle, [_handle, ctypes.c_int64]),
    "search_replay": (_handle, [_handle, ctypes.c_int64]),
    "search_setting_count": _size,
    "search_setting_name": (_text, [_handle, ctypes.c_int64]),
    "search_setting": (_text, [_handle, ctypes.c_int64, ctypes.c_int64]),
    "search_job": (ctypes.c_int, [_handle, ctypes.c_int64, _out, _error]),
    "search_json": (_text, [_handle]),
    "sweep_create": _create,
    "sweep_destroy": _destroy,
    "sweep_count": _size,
    "sweep_json": (_text, [_handle]),
    "plan_create": _create,
    "plan_destroy": _destroy,
    "plan_json": (_text, [_handle]),
    **{f"plan_{name}": _number for name in ("total_s", "work_s", "energy_j", "dollars")},
    **{f"{kind}_{name}": _number for kind in ("estimate", "replay") for name in _BOTH},
    **{f"{kind}_part_s": _kind for kind in ("estimate", "replay")},
    **{f"{kind}_number": _at for kind in ("estimate", "replay")},
    **{f"{kind}_json": (_text, [_handle]) for kind in ("estimate", "replay")},
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


def _encode(text: Any) -> bytes:
    """A text as the library takes it: yes and no of answers, digits of numbers, of which whole ones have no point."""
    if hasattr(text, "item"): # of numpy
        text = text.item()
    if isinstance(text, bool):
        return b"yes" if text else b"no"
    if isinstance(text, float) and text.is_integer():
        text = int(text)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
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
    return _taken(names).split()


def _taken(text: ctypes.c_void_p) -> str:
    """A text that the library has made, which is given back."""
    try:
        return (ctypes.string_at(text.value) if text.value else b"").decode(errors="replace")
    finally:
        _library.stepsim_text_free(text)


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
    """All knobs of jobs."""
    return [Knob(*row) for row in _table("job_knob", "name", "help")]


def properties() -> list[Property]:
    """All properties of machines."""
    return [Property(*row) for row in _table("machine_property", "name", "help")]


def columns() -> list[Column]:
    """The columns of all estimates and replays."""
    return [Column(*row) for row in _table("column", "name", "unit", "help")]


_NUMBER = {column.name: at for at, column in enumerate(columns())}
_FORMATS = ("16-bit", "fp8", "mxfp8", "nvfp4")
_PATHS = ("memory", "domain", "fabric")
_PARTS = ("compute", "memory", "tensor_parallel", "context_parallel", "expert_parallel", "data_parallel", "pipeline_parallel",
          "bubble", "optimizer", "offload", "host", "other")
_MEMORY = ("weights", "gradients", "optimizer", "activations", "total")


def _texts(texts: Iterable[bytes]) -> Any:
    """An array with None behind the last."""
    listed = list(texts)
    return (ctypes.c_char_p * (len(listed) + 1))(*listed, None)


def _option_list(options: Mapping[str, Option]) -> Any:
    """NAME=VALUE of each option: a flag is True, a list has commas, but those of traces and axes, which are options each."""
    texts = []
    for name, value in options.items():
        if value is True:
            texts.append(_encode(name))
        elif value is not False:
            single = isinstance(value, (str, bytes)) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0
            listed: Any = [value] if single else value
            values = map(_encode, listed) if name in ("trace", "vary") else [b",".join(map(_encode, listed))]
            texts += [_encode(name) + b"=" + one for one in values]
    return _texts(texts)


def _made(function: str, *arguments: Any) -> ctypes.c_void_p:
    """What a function makes that takes where to put it, and an error."""
    handle = ctypes.c_void_p()
    _call(function, *arguments, ctypes.byref(handle))
    return handle


def _value(function: str, handle: Any, name: str) -> str:
    value = ctypes.create_string_buffer(4096)
    _call(function, handle, _encode(name), value, len(value))
    return value.value.decode()


class _Object:
    """What the library has made, which is given back with the last reference to it; or what another object lends."""

    _destroy = ""

    def __init__(self, handle: Any, lender: object = None) -> None:
        self._handle, self._lender = handle, lender

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and self._lender is None and _library is not None:
            getattr(_library, self._destroy)(self._handle)

    # It never changes, but for jobs, which have copies of their own: a copy is itself, and is given back once.

    def __copy__(self) -> _Object:
        return self

    def __deepcopy__(self, memo: object) -> _Object:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} cannot be pickled; its json() can, and the job that it is of")

    def _get(self, function: str, *arguments: Any) -> Any:
        return getattr(_library, "stepsim_" + function)(self._handle, *arguments)


def _from_anywhere(platform: Path_) -> Path_:
    """A file by its whole path, so that a process in another folder finds what was pickled here; else the name."""
    path = os.fspath(platform)
    return os.path.abspath(path) if os.path.isfile(path) or os.path.isfile(path + ".xml") else path


class Machine(_Object):
    """A platform, the name of a shipped file or a path, with properties that differ from the file. It never changes.

    A pickle has the name or path, and the properties."""

    _destroy = "stepsim_machine_destroy"

    def __init__(self, platform: Path_, properties: Mapping[str, Value] | None = None) -> None:
        super().__init__(_made("machine_create", _encode(platform), _assignments(properties)))
        self._recipe: Any = (Machine, (_from_anywhere(platform), dict(properties or {})))

    @classmethod
    def _of(cls, handle: Any, recipe: Any, lender: object = None) -> Machine:
        machine = cls.__new__(cls)
        _Object.__init__(machine, handle, lender)
        machine._recipe = recipe
        return machine

    def __reduce__(self) -> Any:
        return self._recipe

    def vary(self, properties: Mapping[str, Value]) -> Machine:
        """Another machine with these properties."""
        recipe = (Machine.vary, (self, dict(properties)))
        return Machine._of(_made("machine_vary", self._handle, _assignments(properties)), recipe)

    def __iter__(self) -> Iterator[str]:
        """The names of all properties."""
        return iter(self.keys())

    def keys(self) -> list[str]:
        """The same, so that dict(machine) has all values."""
        return [row[0] for row in _table("machine_property", "name")]

    def __getitem__(self, name: str) -> str:
        """The value of a property as a file has it."""
        return _value("machine_get", self._handle, name)

    @property
    def name(self) -> str:
        """The name of the platform."""
        return str(self._get("machine_name").decode())

    @property
    def gpus(self) -> int:
        """How many GPUs it has."""
        return int(self._get("machine_gpus"))

    @property
    def domain_gpus(self) -> int:
        """How many GPUs are joined by fast links."""
        return int(self._get("machine_domain_gpus"))

    @property
    def nodes(self) -> int:
        """How many nodes it has."""
        return int(self._get("machine_nodes"))

    @property
    def memory_bytes(self) -> float:
        """The memory of a GPU."""
        return float(self._get("machine_memory_bytes"))

    @property
    def flop_per_s(self) -> dict[str, float]:
        """The peaks of a GPU for products of matrices by format: "16-bit", and "fp8", "mxfp8", "nvfp4" where it has them."""
        peaks = {name: float(self._get("machine_flop_per_s", at)) for at, name in enumerate(_FORMATS)}
        return {name: peak for name, peak in peaks.items() if not math.isnan(peak)}

    @property
    def bytes_per_s(self) -> dict[str, float]:
        """The bandwidths of a GPU: to its "memory", inside its "domain" and, its share of the NICs, on the "fabric"."""
        return {name: float(self._get("machine_bytes_per_s", at)) for at, name in enumerate(_PATHS)}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} of {self.gpus} GPUs>"


def _assignments(values: Mapping[str, Value] | None) -> Any:
    """NAME=VALUE of each property or knob."""
    return _texts(_encode(name) + b"=" + _encode(value) for name, value in (values or {}).items())


class _Prediction(_Object, Mapping[str, float]):
    """What estimates and replays both say, by attribute and by column; columns that there are not are left out."""

    _what = ""

    def _column(self, name: str) -> float:
        return float(self._get(self._what + "_number", _NUMBER[name]))

    def __getitem__(self, name: str) -> float:
        value = self._column(name)
        if math.isnan(value):
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name in _NUMBER if not math.isnan(self._column(name)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.iteration_s:.4g} s>"

    def _both(self, name: str) -> float:
        return float(self._get(f"{self._what}_{name}"))

    @property
    def iteration_s(self) -> float:
        """The time of an iteration."""
        return self._both("iteration_s")

    @property
    def interval_s(self) -> tuple[float, float]:
        """What 80 % of measured iterations of jobs like it take; NaN with the costs of a paper (cost="sc24")."""
        return self._both("low_s"), self._both("high_s")

    @property
    def parts_s(self) -> dict[str, float]:
        """What the time is made of, on the rank that takes longest; the parts add up to it."""
        return {name: float(self._get(self._what + "_part_s", at)) for at, name in enumerate(_PARTS)}

    @property
    def mfu(self) -> float:
        """Share of the 16-bit matrix peak that forward and backward of the model are, nothing counted twice."""
        return self._both("mfu")

    @property
    def hfu(self) -> float:
        """The same of all flop that run."""
        return self._both("hfu")

    @property
    def tokens_per_s(self) -> float:
        """Tokens in a second, over all GPUs."""
        return self._both("tokens_per_s")

    @property
    def days(self) -> float:
        """Days of the whole training run; NaN where its tokens are unknown (training.tokens)."""
        return self._both("days")

    @property
    def iteration_dollars(self) -> float:
        """What the GPUs cost for an iteration; NaN where the machine has no prices."""
        return self._both("iteration_dollars")

    @property
    def run_dollars(self) -> float:
        """The same for the whole training run; NaN where its tokens are unknown, too."""
        return self._both("run_dollars")

    def json(self) -> Any:
        """All of it, as ``--json`` of the program has it."""
        return json.loads(self._get(self._what + "_json"))


class Estimate(_Prediction):
    """What the closed form says of an iteration."""

    _destroy, _what = "stepsim_estimate_destroy", "estimate"

    @property
    def gpus(self) -> int:
        """GPUs of the job."""
        return int(self._get("estimate_gpus"))

    @property
    def parameters(self) -> float:
        """Parameters of the model."""
        return float(self._get("estimate_parameters"))

    @property
    def fits(self) -> bool:
        """Whether each stage fits in memory."""
        return bool(self._get("estimate_fits"))

    def _memory(self, stage: int) -> dict[str, float]:
        return {name: float(self._get("estimate_memory_bytes", stage, at)) for at, name in enumerate(_MEMORY)}

    @property
    def memory_bytes(self) -> dict[str, float]:
        """What is in the memory of a GPU of the fullest stage, and its "total"."""
        return self._memory(-1)

    @property
    def stages_memory_bytes(self) -> list[dict[str, float]]:
        """The same of each stage."""
        return [self._memory(stage) for stage in range(int(self._get("estimate_stages")))]


class Replay(_Prediction):
    """What a replay says of an iteration."""

    _destroy, _what = "stepsim_replay_destroy", "replay"

    @property
    def estimate(self) -> Estimate:
        """The closed form of the same job, with its memory."""
        return Estimate(self._get("replay_estimate"), self)

    @property
    def stages(self) -> list[Stage]:
        """What each stage does of the replica of the model that finishes last; empty where a search made the replay."""
        stages = range(len(self.estimate.stages_memory_bytes))
        rows = [Stage(*(float(self._get("replay_stage_s", stage, part)) for part in range(len(Stage._fields))))
                for stage in stages]
        return [row for row in rows if not math.isnan(row.passes_s)]


class Candidate:
    """A strategy that a search has kept."""

    def __init__(self, search: Search, rank: int) -> None:
        self._search, self.rank = search, rank

    @property
    def settings(self) -> dict[str, str]:
        """The sizes of its groups, and other knobs in which a candidate differs from the job that was searched for."""
        names = range(int(self._search._get("search_setting_count")))
        return {self._search._get("search_setting_name", at).decode():
                self._search._get("search_setting", self.rank, at).decode() for at in names}

    @property
    def estimate(self) -> Estimate:
        """Its closed form."""
        return Estimate(self._search._get("search_estimate", self.rank), self._search)

    @property
    def replay(self) -> Replay | None:
        """Its replay; None where it has not been replayed."""
        handle = self._search._get("search_replay", self.rank)
        return Replay(handle, self._search) if handle is not None else None

    def job(self) -> Job:
        """A job of its own with this strategy."""
        return Job._of(_made("search_job", self._search._handle, self.rank), self._search._on)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.rank}: {(self.replay or self.estimate).iteration_s:.4g} s with {self.settings}>"


class Search(_Object, Sequence[Candidate]):
    """The best strategies, the best one first, for each number of GPUs in turn."""

    _destroy = "stepsim_search_destroy"
    _on: Machine

    def __len__(self) -> int:
        return int(self._get("search_count"))

    @overload
    def __getitem__(self, at: int) -> Candidate: ...
    @overload
    def __getitem__(self, at: slice) -> list[Candidate]: ...
    def __getitem__(self, at: int | slice) -> Candidate | list[Candidate]:
        if isinstance(at, slice):
            return [Candidate(self, rank) for rank in range(len(self))[at]]
        return Candidate(self, range(len(self))[at])

    def column(self, name: str) -> list[float]:
        """A number of each candidate, by its replay where it has one; NaN where it has none. numpy.array takes it."""
        return [(candidate.replay or candidate.estimate)._column(name) for candidate in self]

    def json(self) -> Any:
        """All of it, as ``--json`` of the program has it, with what the search went through."""
        return json.loads(self._get("search_json"))

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each candidate: its settings, and the columns that one of them has; its attrs
        have the units of these."""
        import pandas  # type: ignore[import]

        settings = pandas.DataFrame([candidate.settings for candidate in self])
        numbers = pandas.DataFrame([dict(candidate.replay or candidate.estimate) for candidate in self])
        frame = pandas.concat([settings, numbers], axis="columns")
        frame.attrs["units"] = {column.name: column.unit for column in columns() if column.name in numbers.columns}
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} candidates>"


def _axis(name: str, values: Option) -> str:
    """NAME=LIST, as ``--vary`` takes it: a text is one already; values that have commas are divided by semicolons."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        return f"{name}={_encode(values).decode()}"
    texts = [_encode(value).decode() for value in values]
    return f"{name}=" + (";" if any("," in text for text in texts) else ",").join(texts)


class Sweep(_Object, Sequence[Mapping[str, Any]]):
    """Points of a sweep, as ``--json`` of the program has them: "values" of what is varied, "estimate", perhaps
    "simulation", "memory" and more, in SI units; or, of a point that is refused, "refused" with why."""

    _destroy = "stepsim_sweep_destroy"
    _all: Any = None

    def __len__(self) -> int:
        return int(self._get("sweep_count"))

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> list[Mapping[str, Any]]: ...
    def __getitem__(self, at: int | slice) -> Mapping[str, Any] | list[Mapping[str, Any]]:
        points: Any = self._parsed()["points"][at]
        return points # type: ignore[no-any-return]

    def _parsed(self) -> Any:
        if self._all is None:
            self._all = self.json()
        return self._all

    @property
    def axes(self) -> list[Mapping[str, Any]]:
        """What is varied: the "name", "unit" and "values" of each axis."""
        return list(self._parsed()["axes"])

    @property
    def non_convex(self) -> list[Mapping[str, Any]]:
        """The local minima and maxima of the time inside an axis, and the part of the iteration that drives each."""
        return list(self._parsed()["non_convex"])

    def column(self, name: str) -> list[float]:
        """A number of each point by its path, such as "estimate.iteration_s" or "memory.total_bytes"; NaN where a point
        has none."""
        def number(point: Any) -> float:
            for part in name.split("."):
                point = point.get(part) if isinstance(point, dict) else None
            return float(point) if isinstance(point, (int, float)) else math.nan
        return [number(point) for point in self]

    def json(self) -> Any:
        """All of it, as ``--json`` of the program has it."""
        return json.loads(self._get("sweep_json"))

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each point: what is varied, and all numbers by their path."""
        import pandas

        rows = pandas.json_normalize(list(self))
        return rows.rename(columns=lambda name: name[len("values."):] if name.startswith("values.") else name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} points>"


class Plan(_Object):
    """A whole run: how long it takes in the mean of what breaks in it, and what it costs."""

    _destroy = "stepsim_plan_destroy"

    @property
    def total_s(self) -> float:
        """The time of the run, in closed form."""
        return float(self._get("plan_total_s"))

    @property
    def work_s(self) -> float:
        """What of that is work that is not lost."""
        return float(self._get("plan_work_s"))

    @property
    def energy_j(self) -> float:
        """What it draws at the meter; NaN where the machine has no gpu-power."""
        return float(self._get("plan_energy_j"))

    @property
    def dollars(self) -> float:
        """What it costs; NaN where the machine has no prices."""
        return float(self._get("plan_dollars"))

    def json(self) -> Any:
        """All of it, as ``--json`` of the program has it: phases, trials with failures, measures and what they are worth."""
        return json.loads(self._get("plan_json"))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.total_s / 86400:.4g} days>"


def _machine(machine: Machine | Path_) -> Machine:
    return machine if isinstance(machine, Machine) else Machine(machine)


def _unpickled(workload: bytes, machine: Machine, notes: str) -> Job:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "workload.xml")
        path.write_bytes(workload)
        job = Job(path, machine)
    job.notes = notes
    return job


class Job(_Object):
    """A workload, the name of a shipped file or a path, on a machine, with knobs that differ from the file.

    A pickle has the workload, as of ``save``, and the machine."""

    _destroy = "stepsim_job_destroy"
    notes = ""
    """Of a job from files of other programs: what was chosen, left out and not understood, each kind on a line."""

    def __init__(self, workload: Path_, machine: Machine | Path_, knobs: Mapping[str, Value] | None = None) -> None:
        self._on = _machine(machine)
        super().__init__(_made("job_create", _encode(workload), self._on._handle))
        self._listen()
        self.set(knobs or {})

    @classmethod
    def _of(cls, handle: Any, on: Machine) -> Job:
        job = cls.__new__(cls)
        _Object.__init__(job, handle)
        job._on = on
        job._listen()
        return job

    def _listen(self) -> None:
        self._stop = ctypes.c_int(0)
        _library.stepsim_job_stop_by(self._handle, ctypes.byref(self._stop))

    def _made_in_time(self, function: str, options: Mapping[str, Option]) -> Any:
        """What a function makes that takes long. Ctrl-C, which only the main thread hears of, stops it."""
        listed = _option_list(options)
        if threading.current_thread() is not threading.main_thread():
            return _made(function, self._handle, listed)
        made: list[Any] = []

        def make() -> None:
            try:
                made.append(_made(function, self._handle, listed))
            except BaseException as failure: # raised again below
                made.append(failure)

        self._stop.value = 0
        thread = threading.Thread(target=make, daemon=True)
        try:
            thread.start()
            thread.join()
        except BaseException:
            self._stop.value = 1
            if thread.is_alive():
                thread.join()
            raise
        if isinstance(made[0], BaseException):
            raise made[0]
        return made[0]

    @classmethod
    def imported(cls, files: Iterable[Path_] | Path_, machine: Machine | Path_, knobs: Mapping[str, Value] | None = None) -> Job:
        """A job of files of other programs, as of ``stepsim import``: config.json, launch scripts, YAML or TOML.

        Later files go over earlier ones, and knobs over all of them. Its ``notes`` say what was left out."""
        on = _machine(machine)
        listed = [files] if isinstance(files, (str, bytes, os.PathLike)) else files
        paths = _texts(_encode(Path(os.fsdecode(file))) for file in listed)
        notes = ctypes.c_void_p()
        handle = ctypes.c_void_p()
        _call("job_import", paths, _assignments(knobs), on._handle, ctypes.byref(handle), ctypes.byref(notes))
        job = cls._of(handle, on)
        job.notes = _taken(notes)
        return job

    def copy(self) -> Job:
        """A job of its own with the same knobs."""
        job = Job._of(_made("job_copy", self._handle), self._on)
        job.notes = self.notes
        return job

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Job:
        return self.copy()

    def __reduce__(self) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "workload.xml")
            self.save(path)
            return _unpickled, (path.read_bytes(), self._on, self.notes)

    def on(self, machine: Machine | Path_) -> Job:
        """A job of its own with the same knobs on another machine."""
        job = self.copy()
        job._on = _machine(machine)
        _call("job_move", job._handle, job._on._handle)
        return job

    @property
    def machine(self) -> Machine:
        """What it runs on."""
        return Machine._of(self._get("job_machine"), self._on._recipe, self)

    def __iter__(self) -> Iterator[str]:
        """The names of all knobs."""
        return iter(self.keys())

    def keys(self) -> list[str]:
        """The same, so that dict(job) has all values."""
        return [row[0] for row in _table("job_knob", "name")]

    def __getitem__(self, name: str) -> str:
        """The value of a knob as a file has it: what was set, what the file says, or what follows."""
        return _value("job_get", self._handle, name)

    def __setitem__(self, name: str, value: Value) -> None:
        """Sets a knob; what goes together is checked by the predictions."""
        _call("job_set", self._handle, _encode(name), _encode(value))

    def set(self, knobs: Mapping[str, Value]) -> Job:
        """Sets several knobs, and returns the job."""
        for name, value in knobs.items():
            self[name] = value
        return self

    def save(self, path: Path_) -> None:
        """Writes the workload, with what was set, as a workload file."""
        _call("job_save", self._handle, _encode(Path(path)))

    def estimate(self, **options: Option) -> Estimate:
        """The closed form. Options: cost, as of ``stepsim estimate``."""
        return Estimate(_made("estimate_create", self._handle, _option_list(options)))

    def replay(self, **options: Option) -> Replay:
        """Closed form and replay, in a child process; other threads of Python go on meanwhile.

        Options, as of ``stepsim run``: cost, flows, fold, seed, max_seconds, max_memory, beside, trials, and the files that
        it writes: trace, trace_ranks, trace_micro_batches, links."""
        return Replay(_made("replay_create", self._handle, _option_list(options)))

    def search(self, **options: Option) -> Search:
        """The best strategies and placements, as candidates with predictions and jobs of their own.

        Options, as of ``stepsim search``: cost, gpus, budget, tensor, knobs, objective, top, pareto (True), replay, flows,
        fold, max_seconds, max_memory. Ctrl-C ends it with KeyboardInterrupt."""
        search = Search(self._made_in_time("search_create", options))
        search._on = self._on
        return search

    def sweep(self, vary: Mapping[str, Option], **options: Option) -> Sweep:
        """Predictions at every value of one or two knobs, or properties "platform.NAME", or of "gpus" or "platform".

        Values are lists, or texts such as "1..16*2", as of ``--vary`` of ``stepsim sweep``. Options, as there: cost, best,
        fewer, gpus, budget, tensor, knobs, objective, replay (1, or more with best), flows, fold, max_seconds, max_memory.
        Ctrl-C ends it with KeyboardInterrupt."""
        return Sweep(self._made_in_time("sweep_create", {"vary": [_axis(*axis) for axis in vary.items()], **options}))

    def plan(self, **options: Option) -> Plan:
        """The whole run of training.tokens, with what breaks in it.

        Options, as of ``stepsim plan``: cost, trials, seed, simgrid_trials, best ("strategy"), gpus, budget, tensor, knobs,
        objective, replay (1), flows, fold, max_seconds, max_memory. Ctrl-C ends it with KeyboardInterrupt."""
        return Plan(self._made_in_time("plan_create", options))

    def emit(self, framework: str) -> str:
        """The settings that start it: "megatron", a command line, "nemo", YAML of Megatron-Bridge, or "torchtitan", TOML."""
        text = ctypes.c_void_p()
        _call("job_emit", self._handle, _encode(framework), ctypes.byref(text))
        return _taken(text)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self['model.name']} on {self.machine.name}>"
