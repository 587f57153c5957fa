# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments: a wrong one is a `UsageError` with one sentence, never an error from inside of the package."""

from __future__ import annotations

import difflib
import errno
import itertools
import math
import os
import pathlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import UsageError

#: A decimal number in a text, as the program takes it: float() takes "1_000", "nan" and digits of other scripts besides.
DECIMAL = r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
DIMENSIONLESS = ("1", "dimensionless", "")
# What to do where a file cannot be read, as src/core/reading.c says it.
REMEDIES = {errno.ENOTDIR: ": a part of its path is a file: see the path",
            **dict.fromkeys((errno.EACCES, errno.EPERM), ": see who may read it and its directories (ls -ld)"),
            **dict.fromkeys((errno.EMFILE, errno.ENFILE), ": raise the limit of open files (ulimit -n)")}


def shown(value: Any) -> str:
    """Return a value for a sentence: short, on one line, whatever its own repr does."""
    try:
        found = " ".join(repr(value).split())
    except Exception:
        found = f"an object of {type(value).__name__}"
    return found if len(found) <= 80 else found[:60] + " …"


def unreadable(path: pathlib.Path, error: OSError) -> UsageError:
    """Return what to raise where a file cannot be read, with the directory that was looked in and the nearest name there."""
    if not isinstance(error, FileNotFoundError):
        return UsageError(f"{path} cannot be read: {error.strerror}{REMEDIES.get(error.errno or 0, '')}.")
    lacking = path
    while not lacking.parent.exists():
        lacking = lacking.parent
    try:
        with os.scandir(lacking.parent) as entries:
            near = difflib.get_close_matches(lacking.name, [entry.name for entry in itertools.islice(entries, 10000)], 1, 0.8)
    except OSError:
        near = []
    if lacking.is_symlink():
        return UsageError(f"{path} cannot be read: {error.strerror}: it is a link to what is not there.")
    try:
        directory = str(lacking.parent.absolute())
    except OSError:  # the working directory was removed
        directory = "its directory" if lacking.parent == pathlib.Path() else str(lacking.parent)
    where = f"{path} cannot be read: {error.strerror}: {directory} has no {lacking.name}"
    return UsageError(f"{where}: did you mean {near[0]}?" if near else f"{where}: check its name, or put its directory before it.")


def plain(value: Any, unit: str, name: str) -> Any:
    """Return the number of a quantity of pint, astropy or unyt in a unit; any other value as it is."""
    if isinstance(value, (str, bytes, int, float)) or value is None:
        return value
    reader = next((found for method in ("m_as", "to_value") if callable(found := getattr(value, method, None))), None)
    if reader is None and not (hasattr(value, "to") and hasattr(value, "magnitude")):
        return value
    reasons = []
    for form in DIMENSIONLESS[1:] if unit in DIMENSIONLESS else (unit,):
        try:
            return reader(form) if reader else value.to(form).magnitude
        except Exception as error:
            reasons.append(str(error))
    raise UsageError(f"{name} = {shown(value)} has no value in {unit}: {reasons[0]}.")


def real(value: Any, name: str, what: str = "number") -> float:
    """Return a real number: of Python, of NumPy, or an array without axes."""
    try:
        if not isinstance(value, (bool, str, bytes, bytearray)) and type(value).__name__ != "bool_":
            return float(value)
    except Exception:  # of a class of someone else
        pass
    raise UsageError(f"{name} = {shown(value)} is no {what}.")


def positive(value: Any, name: str) -> float:
    """Return a number that is finite and above 0."""
    found = real(value, name, "positive number")
    if not (math.isfinite(found) and found > 0):
        raise UsageError(f"{name} = {shown(value)} is not a positive number.")
    return found


def fraction(value: Any, name: str) -> float:
    """Return a fraction: a number, ``"1 %"``, or a quantity without dimension."""
    if not isinstance(value, str):
        return real(plain(value, "1", name), name, "fraction: give a number such as 0.001, or a text such as '0.1 %'")
    match = re.fullmatch(DECIMAL + r"\s*(%?)", value.strip())
    if not match:
        raise UsageError(f"{name} = {shown(value)} is no fraction: give a number such as 0.001, or a text such as '0.1 %'.")
    return float(match[1]) / (100 if match[2] else 1)


def count(value: Any, name: str, largest: int = 0xFFFFFFFF) -> int:
    """Return a number of C without a sign: ctypes itself would cut it."""
    try:
        found = int(value)
        if not isinstance(value, (bool, str, bytes)) and found == value and 0 <= found <= largest:
            return found
    except Exception:  # None, NaN, a class of someone else
        pass
    raise UsageError(f"{name} = {shown(value)} is no whole number from 0 to {largest}.")


def flag(value: Any, name: str) -> bool:
    """Return a choice between True and False."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise UsageError(f"{name} = {shown(value)} is neither True nor False.")


def choice(value: Any, choices: Mapping[Any, int], name: str) -> int:
    """Return the number of a named choice."""
    if not isinstance(value, str) or value not in choices:
        raise UsageError(f"{name} = {shown(value)} is none of {', '.join(map(repr, choices))}.")
    return choices[value]


def items(value: Any, name: str, what: str) -> list[Any]:
    """Return the members of a collection; a text is none."""
    try:
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
            return list(value)
    except Exception:  # of a class of someone else
        pass
    raise UsageError(f"{name} = {shown(value)} is no {what}.")


def mapping(value: Any, name: str, what: str) -> Mapping[Any, Any]:
    """Return a mapping; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} = {shown(value)} is no {what}.")
    return value


def encoded(value: Any, name: str) -> bytes:
    """Return a text for the C library, whose texts end at NUL."""
    if not isinstance(value, str):
        raise UsageError(f"{name} = {shown(value)} is no text.")
    if "\0" in value:
        raise UsageError(f"{name} = {shown(value)} has the character NUL within it, at which the library would end it: leave it out.")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name} = {shown(value)} is no text in UTF-8.") from None


def path_bytes(path: Any, name: str = "path") -> bytes:
    """Return a path for the C library."""
    try:
        found = os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        raise UsageError(f"{name} = {shown(path)} is no path of a file: give a str or an os.PathLike.") from None
    except Exception as error:  # of a __fspath__ of someone else
        raise UsageError(f"{name} = {shown(path)} is no path of a file: {error}.") from None
    if b"\0" in found:
        raise UsageError(f"{name} = {shown(path)} has the character NUL within it, which no path of a file has: leave it out.")
    if not found:
        raise UsageError(f"{name} = {shown(path)} is empty: name a file.")
    return found


def path_text(path: Any, name: str = "path") -> str:
    """Return a path as a text, checked as for the C library."""
    return os.fsdecode(path_bytes(path, name))
