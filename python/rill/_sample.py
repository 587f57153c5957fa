# SPDX-License-Identifier: Apache-2.0
"""What all functions that take an image share: the sample in a picture, files outside its directory, and their documentation."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, Union

import numpy as np

from . import _interface as c
from ._arguments import choice, flag, mapping, path_bytes, positive, shown
from ._arrays import Array, array_of
from ._pore import Pore, ranges_of
from .errors import UsageError

#: ``"inscribed"``, or the place in voxels: ``{"x": 250, "y": 248, "d": 480}``, and ``"axis"``.
Core = Union[None, str, Mapping[str, Any]]


PARAMETERS = """\
    pore : number, str, range, or a list or set of these, optional
        Grey values that are pore: ``0``, ``[0, 2]``, ``"0-99,255"`` with both ends included, ``range(0, 100)`` from 0 to 99; in a
        list a pair (low, high) is a range, too. Default: True of bool, in arrays and files; images of numbers need it.
    outside : number, str, range, or a list or set of these, optional
        Grey values outside of the sample, as those around a core in a picture: solid for the flow, and counted neither in porosities
        nor in k.
    mask : array_like or path, optional
        True in the sample, of the shape of the image; for a file a file with the same order of axes.
    mask_inside : number, str or range, optional
        Grey value of a mask of numbers that is inside of the sample, or a range: ``"1-255"``. Default: True of bool.
    core : 'inscribed' or mapping, optional
        The sample is a cylinder along z, as large as fits into the picture, or ``{"x": 250, "y": 248, "d": 480}``: centre and diameter in
        voxels of the part that is used; ``"axis": "x"`` for another axis.
    order : {'zyx', 'xyz'} or another order of these letters
        Axes of an array, first to last: ``im[z, y, x]`` as files have it (default), or ``im[x, y, z]`` as PoreSpy has it. The dims
        x, y and z of an xarray.DataArray are its order. Arrays in the result have the same order.
    allow_outside : bool
        Read data that an MHD, NRRD or HDF5 file has outside its own directory, too.
"""
Function = TypeVar("Function", bound=Callable[..., Any])


def takes_image(function: Function) -> Function:
    """Put the documentation of the parameters that all functions of images share where the docstring says ``{image}``."""
    if function.__doc__ is not None:
        function.__doc__ = function.__doc__.replace("    {image}\n", PARAMETERS)
    return function


@dataclasses.dataclass(frozen=True)
class Where:
    """Where the sample is in a picture, and which files may hold it, as it was given."""

    outside: Pore = None
    mask: Any = None
    mask_inside: Pore = None
    core: Core = None
    allow_outside: bool = False
    phases: Any = None  # list of rill_phase, of a diffusivity; None or empty: pore and solid

    def given(self) -> bool:
        """Return whether anything was given of the sample."""
        return any(value is not None for value in (self.outside, self.mask, self.mask_inside, self.core))


def is_path(value: Any) -> bool:
    """Return whether a mask is a file."""
    return isinstance(value, (str, os.PathLike))


def sample_options(where: Where, o: Any, image: Array | None, turned: bool) -> Any:
    """Set the options of the sample. `image`: the array as it was given, None for a file; `turned`: the library reads its transpose.

    Returns what the options point to.
    """
    o.image.allow_outside = flag(where.allow_outside, "allow_outside")
    if where.outside is not None:
        ranges = ranges_of(where.outside, "outside", c.RILL_OUTSIDE_RANGES)
        o.outside_count = len(ranges)
        for k, ends in enumerate(ranges):
            o.outside[k][:] = ends
    if where.core is not None:
        _core(where.core, o.core)
    if where.mask is None:
        if where.mask_inside is not None:
            raise UsageError("mask_inside= belongs to mask=: give it, or leave both out.")
        return None
    inside = None if where.mask_inside is None else ranges_of(where.mask_inside, "mask_inside", 1)[0]
    if is_path(where.mask) != (image is None):
        raise UsageError("mask= is a file where the image is a file, and an array where it is an array: give both in the same way.")
    if image is None:
        o.mask = path_bytes(where.mask)
        o.mask_inside_given = inside is not None
        o.mask_inside[:] = inside or (0, 0)
        return o.mask
    found = array_of(where.mask)
    if inside is not None and found.dtype.kind in "buif":
        found = (found >= inside[0]) & (found <= inside[1])
    if found.dtype != np.dtype(bool):
        raise UsageError(f"mask= has the type {found.dtype}, so that which of its values are inside of the sample is unknown: give a bool array, or mask_inside=.")
    if found.shape != image.shape:
        raise UsageError(f"mask= has the shape {found.shape}, and the image {image.shape}: give a mask of the shape of the image.")
    if found.ndim == 2:  # one slice
        found = found[:, :, np.newaxis]
    kept = np.ascontiguousarray(found.T if turned else found, np.uint8)
    o.mask_array = kept.ctypes.data_as(type(o.mask_array))
    return kept


def _core(core: Any, out: Any) -> None:
    place = {} if isinstance(core, str) and core == "inscribed" else mapping(core, "core", "core: 'inscribed', or a mapping {'x': …, 'y': …, 'd': …}")
    out.given = True
    for name, value in place.items():
        if name == "axis":
            out.axis = choice(value, {"x": 0, "y": 1, "z": 2}, "core['axis']")
        elif name == "d":
            out.diameter = positive(value, "core['d']")
        elif name in ("x", "y", "z"):
            out.centre["xyz".index(name)] = positive(value, f"core[{name!r}]")
        else:
            raise UsageError(f"core = {shown(core)} has the key {name!r}: 'x', 'y', 'z', 'd' and 'axis' are possible.")
