# SPDX-License-Identifier: Apache-2.0
"""Arguments of Python as values of the C interface: quantities, names of choices, axes, arrays."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any, Literal, Protocol, Union

import numpy as np
import numpy.typing as npt

from . import _interface as c
from ._arguments import choice, encoded, items, plain, real, shown
from ._arrays import Array, array_of, copied, named_order
from ._library import check, library
from .errors import UsageError


class Quantity(Protocol):
    """A number with its unit: pint.Quantity, or an object like it."""

    @property
    def magnitude(self) -> Any: ...

    def to(self, unit: str, /) -> Any: ...


#: A length: metres, a text with its unit, ``"5.7 um"``, or a quantity of pint.
Length = Union[float, str, Quantity]
#: Domain boundaries: ``"periodic"``, ``"mirror"`` or ``"wall"`` for all axes, or three of them for x, y, z.
Side = Literal["periodic", "mirror", "wall"]
Sides = Union[Side, Sequence[Side]]
Reals = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]

SIDES: dict[Side, int] = {"periodic": c.RILL_PERIODIC, "mirror": c.RILL_MIRROR, "wall": c.RILL_WALL}
GREYS = {np.dtype(t): v for t, v in (
    ("bool", c.RILL_GREY_BOOL), ("u1", c.RILL_GREY_U8), ("i1", c.RILL_GREY_I8), ("u2", c.RILL_GREY_U16),
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
    check(library.rill_units_parse(encoded(text, "text"), encoded(unit, "unit"), ctypes.byref(value)))
    return value.value


def metres(value: Any, name: str) -> float:
    """Return a length in metres; 0 for None."""
    if value is None:
        return 0.0
    value = plain(value, "m", name)
    found = quantity(value, "m") if isinstance(value, str) else real(value, name, "length: give metres, or a text such as '5.7 um'")
    if not (math.isfinite(found) and found > 0):
        raise UsageError(f"{name} = {shown(value)} is not a positive length: give metres, or a text such as '5.7 um'.")
    return found


def edge(value: Any, name: str) -> float:
    """Return the edge of a voxel in metres; 0 for None. A number without a unit is refused if no voxel of pores has that size."""
    found = metres(value, name)
    bare = not isinstance(value, str) and plain(value, "m", name) is value
    if value is not None and bare and not c.RILL_VOXEL_SIZE_LEAST <= found * (1 + 1e-9) <= c.RILL_VOXEL_SIZE_MOST * (1 + 2e-9):
        number = f"{found:g}"
        raise UsageError(f"{name} = {shown(value)} is {number} m, since a number without a unit is in metres, and voxels of pores have 1 nm to "
                         f"1 mm: write {name}='{number} um' for micrometres, or {name}='{number} m' if it is right.")
    return found


def sides(value: Any, out: Any) -> None:
    """Set three domain boundaries."""
    three = [value] * 3 if isinstance(value, str) else items(value, "sides", "name of a domain boundary, nor three of them, for x, y and z")
    if len(three) != 3:
        raise UsageError(f"sides = {shown(value)} is neither one name nor three, for x, y and z.")
    for axis, name in enumerate(three):
        out[axis] = choice(name, SIDES, "sides")


def image(im: Any, order: Any) -> tuple[Array, tuple[int, int, int], str]:
    """Return an image as the library reads it, where its axes go, the fastest one first, and their letters, first to last.

    One slice of two axes gets its third one, of one voxel, behind them.

    Arrays that are contiguous in either order are not copied.
    """
    if isinstance(im, (list, tuple)) and not im:
        raise UsageError("The list of slices is empty: name their files with their folder, or give arrays.")
    letters, array = named_order(im, order), array_of(im)
    if array.dtype not in GREYS:
        raise UsageError(f"The image has the type {array.dtype}, which is no type of grey values: convert it with astype.")
    if array.ndim == 2:
        across = letters.replace("z", "") if len(letters) == 3 else letters
        array, letters = array[:, :, np.newaxis], across + next(a for a in "zyx" if a not in across)
    if array.ndim != 3:
        raise UsageError(f"The image has {array.ndim} axes instead of 3, or of 2 of one slice.")
    x, y, z = (("xyz".index(a)) for a in reversed(letters))
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return array.T, (z, y, x), letters
    return copied(array, lambda: np.ascontiguousarray(array)), (x, y, z), letters


class Device:
    """A device of the library, opened for one call, as a context."""

    def __init__(self, name: Any) -> None:
        if not isinstance(name, str):
            raise UsageError(f"device = {shown(name)} is none of 'auto', 'cpu', 'cuda', 'cuda:0', 'cuda:1', …")
        kind, _, ordinal = name.partition(":")
        kinds = {"auto": c.RILL_BACKEND_AUTO, "cpu": c.RILL_BACKEND_CPU, "cuda": c.RILL_BACKEND_CUDA}
        self.kind, self.ordinal = choice(kind, kinds, "device"), 0
        if ordinal:
            if not (ordinal.isascii() and ordinal.isdecimal()) or kind != "cuda" or len(ordinal) > 4:
                raise UsageError(f"device = {shown(name)} is none of 'auto', 'cpu', 'cuda', 'cuda:0', 'cuda:1', …")
            self.ordinal = int(ordinal)
        self.c = ctypes.POINTER(c.rill_device)()
        library.uses_cuda(self.kind != c.RILL_BACKEND_CPU)

    def __enter__(self) -> Device:
        check(library.rill_device_create(self.kind, self.ordinal, ctypes.byref(self.c)))
        return self

    def __exit__(self, *_: object) -> None:
        library.rill_device_destroy(self.c)


def devices_of(device: Any, devices: Any) -> list[Device]:
    """Return the devices of a call, each once for each part."""
    if devices is None:
        return [Device(device)]
    if device != "auto":
        raise UsageError(f"device = {shown(device)} and devices = {shown(devices)} do not go together: give one of them.")
    names = items(devices, "devices", "list of devices such as ['cuda:0', 'cuda:1']")
    if not names:
        raise UsageError("devices = [] names no device: leave it out, or name one or more.")
    opened = {name: Device(name) for name in names if isinstance(name, str)}
    return [opened[name] if isinstance(name, str) else Device(name) for name in names]


class Devices:
    """Several devices, opened for one call, as a context; the same object twice is opened once."""

    def __init__(self, devices: list[Device]) -> None:
        self.devices = devices

    def __enter__(self) -> list[Device]:
        self.opened: list[Device] = []
        try:
            for device in dict.fromkeys(self.devices):
                self.opened.append(device.__enter__())
        except BaseException:
            self.__exit__()
            raise
        return self.devices

    def __exit__(self, *_: object) -> None:
        for device in self.opened:
            device.__exit__()


def pointer(array: Array, kind: Any) -> Any:
    """Return the data of a contiguous array as a pointer of C."""
    return array.ctypes.data_as(ctypes.POINTER(kind))
