# SPDX-License-Identifier: Apache-2.0
"""The sample in a picture: grey values outside of it, a mask, or a cylindrical core."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from . import _interface as c
from ._arguments import choice, mapping, path_bytes, positive, shown
from ._arrays import Array, array_of
from ._pore import Pore, set_pore
from .errors import UsageError

#: ``"inscribed"``, or the place in voxels: ``{"x": 250, "y": 248, "d": 480}``, and ``"axis"``.
Core = Union[None, str, Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Where:
    """Where the sample is in a picture, as it was given."""

    outside: Pore = None
    mask: Any = None
    core: Core = None

    def given(self) -> bool:
        """Return whether anything was given."""
        return self.outside is not None or self.mask is not None or self.core is not None


def is_path(value: Any) -> bool:
    """Return whether a mask is a file."""
    return isinstance(value, (str, os.PathLike))


def sample_options(where: Where, o: Any, image: Array | None, turned: bool) -> Any:
    """Set the options of the sample. `image`: the array as it was given, None for a file; `turned`: the library reads its transpose.

    Returns what the options point to.
    """
    if where.outside is not None:
        ranges = c.rill_voxelize_options()
        set_pore(where.outside, ranges)
        if ranges.pore_count > c.RILL_OUTSIDE_RANGES:
            raise UsageError(f"outside = {shown(where.outside)} has {ranges.pore_count} ranges: at most {c.RILL_OUTSIDE_RANGES} are possible.")
        o.outside_count = ranges.pore_count
        for k in range(ranges.pore_count):
            o.outside[k][:] = ranges.pore[k][:]
    if where.core is not None:
        _core(where.core, o.core)
    if where.mask is None:
        return None
    if is_path(where.mask) != (image is None):
        raise UsageError("mask= is a file where the image is a file, and an array where it is an array: give both in the same way.")
    if image is None:
        o.mask = path_bytes(where.mask)
        return o.mask
    found = array_of(where.mask)
    if found.dtype != np.dtype(bool):
        raise UsageError(f"mask= has the type {found.dtype}, so that which of its values are inside of the sample is unknown: give a bool array.")
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
