# SPDX-License-Identifier: Apache-2.0
"""The C library: where it is, and its functions with their types.

It is searched for in this order: the file that the environment variable RILL_LIBRARY names, the library that this package
carries, the library in the prefix of Python (conda environments), the library that the system's linker finds.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import pathlib
import re
import sys
import warnings
from collections.abc import Iterable
from typing import Any

from . import _interface as c
from ._fork import Library, Lock
from ._words import spoken
from .errors import RillWarning, SystemFailure, of_status

PACKAGE = pathlib.Path(__file__).resolve().parent
NAME = f"librill.so.{c.RILL_VERSION_MAJOR}"


def _path() -> str:
    given = os.environ.get("RILL_LIBRARY")
    near = (PACKAGE / "lib" / NAME, pathlib.Path(sys.prefix) / "lib" / NAME)
    return given or next((str(path) for path in near if path.exists()), NAME)


def lacks(cpuinfo: str) -> bool:
    """Return whether /proc/cpuinfo is that of an x86-64 processor without the instructions that the library uses."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return flags is not None and not {"sse4_2", "popcnt"} <= set(flags[1].split())


def _load() -> Library:
    path = _path()
    try:
        old = lacks(pathlib.Path("/proc/cpuinfo").read_text(errors="replace"))
    except OSError:
        old = False
    if old:
        raise ImportError("This processor lacks x86-64-v2 (SSE 4.2 and POPCNT), which processors have since 2008 and rill needs.")
    try:
        library = ctypes.CDLL(path)
        for name, (result, arguments) in c.FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"The C library of rill cannot be used: {error}. Install the wheel of rill, or let RILL_LIBRARY name a "
            f"{NAME} of version {c.RILL_VERSION_MAJOR}.{c.RILL_VERSION_MINOR}."
        ) from None
    return Library(library)


library: Any = _load()
files = Lock()  # one thread at a time may be in HDF5


def version() -> str:
    """Return the version of the C library, with the git revision that it was built from if it is known.

    Examples
    --------
    >>> import rill
    >>> rill.version().split(".")[0]
    '0'
    """
    return text(library.rill_version())


def text(value: bytes | None) -> str:
    """Return a text of C; "" for NULL."""
    return (value or b"").decode("utf-8", "replace")


def check(status: int) -> None:
    """Raise the exception of a status of the library, unless it is RILL_OK."""
    if status != c.RILL_OK:
        raise of_status(status, spoken(text(library.rill_error_message())) or "The C library gave no reason.")


def notes(value: bytes | None) -> tuple[str, ...]:
    """Return the sentences of notes of C."""
    return tuple(spoken(note) for note in text(value).splitlines())


def warn(sentences: Iterable[str]) -> None:
    """Warn of notes, at the line outside of this package that called it."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and pathlib.Path(frame.f_code.co_filename).parent == PACKAGE:
        frame, level = frame.f_back, level + 1
    for sentence in sentences:
        warnings.warn(sentence, RillWarning, stacklevel=level)


def beside(program: str) -> str:
    """Return the path of a program that was installed with the library, else its name for the search path."""
    given = os.environ.get("RILL_PROGRAM")
    near = pathlib.Path(_path()).resolve().parent
    for path in (PACKAGE / "bin" / program, near.parent / "bin" / program, near / program):
        if not given and path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return given or program


def need(module: str, what: str, package: str = "") -> Any:
    """Import an optional module, or raise the sentence that names its package."""
    package = package or module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError:
        raise SystemFailure(f"{what} needs the package {package}: install it with pip install {package}.") from None
