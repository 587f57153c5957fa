# SPDX-License-Identifier: Apache-2.0
"""Which grey values of an image are pore: pore= as ranges of the C interface, and the refusal of an image that needs it."""

from __future__ import annotations

import dataclasses
import math
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any, Tuple, Union

import numpy as np

from . import _interface as c
from ._arguments import DECIMAL, shown
from ._values import GREYS
from .errors import UsageError

#: Grey values that are pore: one value, a text as the program takes it (``"0-99,255"``), a range of integers (``range(0, 100)``,
#: which ends with 99), or a list, set or array of these and of pairs (low, high), inclusive.
Pore = Union[None, float, str, range, Iterable[Union[float, str, range, tuple[float, float]]]]

PART = re.compile(rf"\s*{DECIMAL}(?:[-:]{DECIMAL})?\s*")
CUT = re.compile(rf"([<>]?){DECIMAL}(?:(?:\+-|\+/-|\u00b1){DECIMAL})?")


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that a double can hold."""
    try:
        return (isinstance(value, (numbers.Real, np.bool_)) or (isinstance(value, np.ndarray) and value.ndim == 0)) and float(value) is not None
    except Exception:  # too large; an array of something else; a class of someone else
        return False


def _of_text(value: str, name: str) -> list[tuple[float, float]]:
    """Read "0-99,255" or "-5:-1", as the program does."""
    found = [PART.fullmatch(part) for part in value.split(",")]
    if not all(found):
        raise UsageError(f"{name} = {shown(value)} is not understood: give numbers and ranges such as \"0\" or \"0-99,255\".")
    return [(float(m[1]), float(m[2] or m[1])) for m in found if m]


def _of_item(value: Any, name: str) -> list[tuple[float, float]] | None:
    """Return the ranges of a value, a text or a range of integers; None for anything else."""
    if isinstance(value, str):
        return _of_text(value, name)
    if _is_number(value):
        return [(float(value), float(value))]
    if isinstance(value, range):
        if value and not (_is_number(value[0]) and _is_number(value[-1])):
            return None
        if value.step != 1 and value[c.RILL_PORE_RANGES :]:
            raise UsageError(f"{name} = {shown(value)} has more than {c.RILL_PORE_RANGES} values that are no neighbours: give ranges of neighbouring values.")
        return [(value[0], value[-1])] if value.step == 1 and value else [(v, v) for v in value]
    return None


def ranges_of(value: Any, name: str, most: int) -> list[tuple[float, float]]:
    """Return 1 to `most` ranges of grey values, both ends included. `name`: the argument, for messages."""
    ranges = _ranges(value, name)
    if not 0 < len(ranges) <= most:
        possible = f"1 to {most} are" if most > 1 else "1 is"
        raise UsageError(f"{name} = {shown(value)} has {len(ranges)} ranges: {possible} possible. Give neighbouring values as one range, "
                         f"such as {name}=\"0-127\".")
    for low, high in ranges:
        if not low <= high:
            raise UsageError(f"{name} = {shown(value)}: {low:g} to {high:g} is no range: give the lower end first.")
    return ranges


def _ranges(value: Any, name: str) -> list[tuple[float, float]]:
    found = _of_item(value, name)
    if found is not None:
        return found
    if isinstance(value, tuple) and len(value) == 2 and all(map(_is_number, value)):
        low, high = value
        raise UsageError(f"{name} = {shown(value)} may be two values or a range: give {name}=[{low}, {high}] for the two values, or "
                         f"{name}=\"{low}:{high}\" for the range with both ends.")
    if isinstance(value, np.ndarray) and value.dtype == bool:
        instead = "as the image" if name == "pore" else "as mask="
        raise UsageError(f"{name}= takes grey values, not a mask: give the mask, where True is {'pore' if name == 'pore' else 'in the sample'}, "
                         f"{instead}.")
    ranges = []
    try:
        listed = list(value) if isinstance(value, Iterable) and not isinstance(value, (tuple, bytes, Mapping)) else [None]
    except Exception:  # of a class of someone else
        listed = [None]
    for item in listed:
        if isinstance(item, tuple) and len(item) == 2 and all(map(_is_number, item)):
            found = [(float(item[0]), float(item[1]))]
        else:
            found = _of_item(item, name)
        if found is None:
            raise UsageError(f"{name} = {shown(value)} is not understood: give one value ({name}=0), a list of values ({name}=[0, 2]), or "
                             f"a range with both ends ({name}=\"0-127\").")
        ranges += found
    return ranges


@dataclasses.dataclass(frozen=True)
class Cut:
    """A threshold between pore and solid, in place of pore=."""

    value: float
    width: float
    above: bool


#: A grey value, a value and its width, or a text as the program takes it (``"112+-4"``, ``">112+-4"``).
Threshold = Union[None, float, Tuple[float, float], str]


def threshold_of(value: Any) -> Cut | None:
    """Return what threshold= says."""
    if value is None:
        return None
    found = value
    if isinstance(value, str):
        match = CUT.fullmatch(value.strip())
        if match:
            cut = Cut(float(match[2]), float(match[3] or 0), match[1] == ">")
            if math.isfinite(cut.value) and (match[3] is None or 0 < cut.width < math.inf):
                return cut
    elif _is_number(value):
        found = (value, 0)
    if isinstance(found, tuple) and len(found) == 2 and all(map(_is_number, found)) and math.isfinite(found[0]) and 0 <= found[1] < math.inf:
        return Cut(float(found[0]), float(found[1]), False)
    raise UsageError(f"threshold = {shown(value)} is not understood: give a grey value below which voxels are pore (threshold=112), the value and "
                     "how far it is uncertain (threshold=(112, 4)), or a text (threshold=\">112+-4\" where pores are above it).")


def pore_of(pore: Any, threshold: Any) -> Any:
    """Return what is pore, of two arguments of which one may say it."""
    cut = threshold_of(threshold)
    if cut is not None and pore is not None:
        raise UsageError("pore= and threshold= both say what is pore: leave one of them out.")
    return pore if cut is None else cut


def set_pore(value: Any, options: Any) -> None:
    """Set which grey values are pore; None: True of bool, and the library refuses an image of numbers."""
    if value is None:
        return
    if isinstance(value, Cut):
        options.threshold_given, options.threshold_above = True, value.above
        options.threshold, options.threshold_width = value.value, value.width
        return
    ranges = ranges_of(value, "pore", c.RILL_PORE_RANGES)
    for k, ends in enumerate(ranges):
        options.pore[k][:] = ends
    options.pore_count = len(ranges)


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def refusal(report: Any, file: str) -> str:
    """Return the sentence that refuses an image of numbers without pore=, from the report of the library. `file`: "" for an array."""
    kind = next((t.name for t, v in GREYS.items() if v == report.type), "numbers")
    shown = report.grey[: min(report.greys, len(report.grey))]
    values = [_plain(g.value) for g in shown]
    listed = ", ".join(f"{value} ({100 * g.fraction:.4g} %)" for value, g in zip(values, shown))
    if not report.greys:
        listed = f"more than 1000 values from {report.grey_min:g} to {report.grey_max:g}"
    elif report.greys > len(shown):
        listed += f" and {report.greys - len(shown)} others"
    if not values or report.greys > len(shown):
        ways = f"pore=\"{_plain(report.grey_min)}:T\" or pore=\"T:{_plain(report.grey_max)}\", with a threshold T"
    elif len(values) > 2:
        ways = f"pore={values[0]} or pore=[{', '.join(values[1:])}]"
    else:
        ways = " or ".join(f"pore={value}" for value in values)
    if not file:
        return (f"The image does not say which of its values ({kind}) are pore: {listed}. Give {ways}, or a bool array, where True is "
                "pore.")
    return (f"{file}: The image does not say which of its values ({kind}) are pore: {listed}. Give {ways}. Former versions took 0 as "
            "pore: pore=0 gives their result.")
