# SPDX-License-Identifier: Apache-2.0
"""Arguments of Python as values of the C interface: quantities, names of choices, axes, arrays."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _interface as c
from ._library import check, library
from .errors import UsageError

#: A length: metres, or a text with its unit, ``"5.7 um"``.
Length = Union[float, str]
#: Grey values that are pore: one value, or a sequence of values and of pairs (low, high), inclusive.
Pore = Union[None, float, Sequence[Union[float, tuple[float, float]]]]
#: Domain boundaries: ``"periodic"``, ``"mirror"`` or ``"wall"`` for all axes, or three of them for x, y, z.
Sides = Union[str, Sequence[str]]
Array = npt.NDArray[Any]
Reals = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]

SIDES = {"periodic": c.RILL_PERIODIC, "mirror": c.RILL_MIRROR, "wall": c.RILL_WALL}
GREYS = {np.dtype(t): v for t, v in (
    ("bool", c.RILL_GREY_U8), ("u1", c.RILL_GREY_U8), ("i1", c.RILL_GREY_I8), ("u2", c.RILL_GREY_U16),
    ("i2", c.RILL_GREY_I16), ("u4", c.RILL_GREY_U32), ("i4", c.RILL_GREY_I32), ("u8", c.RILL_GREY_U64),
    ("i8", c.RILL_GREY_I64), ("f2", c.RILL_GREY_F16), ("f4", c.RILL_GREY_F32), ("f8", c.RILL_GREY_F64))}


def quantity(text: str, unit: str) -> float:
    """Read a quantity with its unit.

    Parameters
    ----------
    text : str
        A number and a unit: ``"5.7 um"``, ``"120 mL/min"``, ``"3.5 mPa.s"``, ``"250 mD"``.
    unit : str
        The required unit.

    Returns
    -------
    float
        The value in `unit`.

    Raises
    ------
    UsageError
        The unit is missing or of another dimension.

    Examples
    --------
    >>> import rill
    >>> round(rill.quantity("0.25 mm", "um"), 9)
    250.0
    >>> rill.quantity("1 darcy", "m2")
    9.869233e-13
    """
    value = ctypes.c_double()
    check(library.rill_units_parse(text.encode(), unit.encode(), ctypes.byref(value)))
    return value.value


def metres(value: Length | None, name: str) -> float:
    """Return a length in metres; 0 for None."""
    if value is None:
        return 0.0
    found = quantity(value, "m") if isinstance(value, str) else float(value)
    if not (math.isfinite(found) and found > 0):
        raise UsageError(f"{name} = {value!r} is not a positive length: give metres, or a text such as '5.7 um'.")
    return found


def count(value: int, name: str, largest: int = 0xFFFFFFFF) -> int:
    """Return a number of C without a sign: ctypes itself would cut it."""
    if isinstance(value, bool) or int(value) != value or not 0 <= value <= largest:
        raise UsageError(f"{name} = {value!r} is no whole number from 0 to {largest}.")
    return int(value)


def choice(value: str, choices: Mapping[str, int], name: str) -> int:
    """Return the number of a named choice."""
    if value not in choices:
        raise UsageError(f"{name} = {value!r} is none of {', '.join(map(repr, choices))}.")
    return choices[value]


def sides(value: Sides, out: Any) -> None:
    """Set three domain boundaries."""
    three = [value] * 3 if isinstance(value, str) else list(value)
    if len(three) != 3:
        raise UsageError(f"sides = {value!r} is neither one name nor three, for x, y and z.")
    for axis, name in enumerate(three):
        out[axis] = choice(name, SIDES, "sides")


def pore(value: Pore, dtype: np.dtype[Any] | None, options: Any) -> None:
    """Set which grey values are pore. `dtype` is that of an array, None for a file."""
    if value is None:
        if dtype is None:
            return
        if dtype != np.dtype(bool):
            raise UsageError(
                f"The image has the type {dtype}, so that which of its values are pore is unknown: give pore=, e.g. pore=0, "
                "or a bool array where True is pore."
            )
        value = 1
    items = list(value) if isinstance(value, Sequence) else [value]
    if not 0 < len(items) <= c.RILL_PORE_RANGES:
        raise UsageError(f"pore = {value!r} has {len(items)} ranges: 1 to {c.RILL_PORE_RANGES} are possible.")
    for k, item in enumerate(items):
        low, high = item if isinstance(item, tuple) else (item, item)
        options.pore[k][0], options.pore[k][1] = float(low), float(high)
    options.pore_count = len(items)


def image(im: npt.ArrayLike, order: str) -> tuple[Array, tuple[int, int, int]]:
    """Return an image of three axes as the library reads it, and where its axes go, the fastest one first.

    Arrays that are contiguous in either order are not copied.
    """
    array = np.asarray(im)
    if array.dtype not in GREYS:
        raise UsageError(f"The image has the type {array.dtype}, which is no type of grey values: convert it with astype.")
    if array.ndim != 3:
        raise UsageError(f"The image has {array.ndim} axes instead of 3: an image of one slice is im[numpy.newaxis].")
    if order not in ("zyx", "xyz"):
        raise UsageError(f"order = {order!r} is neither 'zyx' (im[z, y, x], as files have it) nor 'xyz' (im[x, y, z]).")
    where = (0, 1, 2) if order == "zyx" else (2, 1, 0)  # of the axes, last one first
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return array.T, (where[2], where[1], where[0])
    return np.ascontiguousarray(array), where


class Device:
    """A device of the library, opened for one call, as a context."""

    def __init__(self, name: str) -> None:
        kind, _, ordinal = name.partition(":")
        kinds = {"auto": c.RILL_BACKEND_AUTO, "cpu": c.RILL_BACKEND_CPU, "cuda": c.RILL_BACKEND_CUDA}
        self.kind, self.ordinal = choice(kind, kinds, "device"), 0
        if ordinal:
            if not ordinal.isdecimal() or kind != "cuda":
                raise UsageError(f"device = {name!r} is none of 'auto', 'cpu', 'cuda', 'cuda:0', 'cuda:1', …")
            self.ordinal = int(ordinal)
        self.c = ctypes.POINTER(c.rill_device)()

    def __enter__(self) -> Device:
        check(library.rill_device_create(self.kind, self.ordinal, ctypes.byref(self.c)))
        return self

    def __exit__(self, *_: object) -> None:
        library.rill_device_destroy(self.c)


def pointer(array: Array, kind: Any) -> Any:
    """Return the data of a contiguous array as a pointer of C."""
    return array.ctypes.data_as(ctypes.POINTER(kind))
