# SPDX-License-Identifier: Apache-2.0
"""Images that are read part by part: chunked arrays (dask, zarr, datasets of h5py and netCDF4), lists of slices, pyvista.ImageData."""

from __future__ import annotations

import contextlib
import math
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _interface as c
from ._arguments import path_text, shown
from ._arrays import Array, named_order
from ._pore import Cut, ranges_of
from .errors import SystemFailure, UsageError

#: Bytes of a part that is read at a time, about.
PART = 64 * 2**20
PORE, OUTSIDE = 1, 2


def is_chunked(im: Any) -> bool:
    """Return whether an image is an array of three axes that is not in memory."""
    try:
        inner = im.data if hasattr(im, "dims") and hasattr(im, "coords") else im
        return (not isinstance(inner, np.ndarray) and getattr(inner, "chunks", None) is not None and hasattr(inner, "dtype")
                and hasattr(inner, "__getitem__") and len(inner.shape) == 3)
    except Exception:  # of a class of someone else
        return False


def in_memory(im: Any, pore: Any, outside: Any, order: Any) -> tuple[Any, Any, Any, Any]:
    """Return a chunked array as one byte for each voxel, with the pore= and outside= of these, and the order of its axes.

    Any other image, and an image of numbers without pore=, is returned as it is.
    """
    if is_image_data(im):
        return _values_of(im), pore, outside, order
    if not is_chunked(im):
        return im, pore, outside, order
    letters = named_order(im, order)
    inner = im.data if hasattr(im, "dims") and hasattr(im, "coords") else im
    kind = np.dtype(inner.dtype)
    if kind.kind not in "buif" or (pore is None and kind != np.dtype(bool)):
        return im, pore, outside, order
    if isinstance(pore, Cut):
        raise UsageError("threshold= does not go with a chunked array: give the array in memory (numpy.asarray), or pore=.")
    pores = [(1.0, 1.0)] if pore is None else ranges_of(pore, "pore", c.RILL_PORE_RANGES)
    outsides = [] if outside is None else ranges_of(outside, "outside", c.RILL_OUTSIDE_RANGES)
    try:
        codes = np.empty(inner.shape, np.uint8)
    except MemoryError:
        raise SystemFailure(f"There is no memory for the image, {math.prod(inner.shape) / 2**30:.3g} GiB as bytes: give a part of it.") from None
    for at in _parts(inner):
        codes[at] = _coded(np.asarray(inner[at]), pores, outsides)
    return codes, PORE, None if outside is None else OUTSIDE, letters


def _parts(inner: Any) -> Iterator[tuple[slice, slice, slice]]:
    """Yield slices along the first axis: whole chunks, as many as make a part."""
    first = inner.chunks[0]
    thick = max(first) if isinstance(first, (tuple, list)) else int(first)
    plane = np.dtype(inner.dtype).itemsize * max(1, math.prod(inner.shape[1:]))
    step = max(1, thick) * max(1, PART // (plane * max(1, thick)))
    for low in range(0, inner.shape[0], step):
        yield slice(low, min(low + step, inner.shape[0])), slice(None), slice(None)


def _coded(part: Array, pores: list[tuple[float, float]], outsides: list[tuple[float, float]]) -> Array:
    """Return which values are pore, solid or outside of the sample."""
    if part.dtype.kind == "f" and np.isnan(part).any():
        raise UsageError("The image has NaN, which is neither pore nor solid: replace it, or crop it away.")
    values = part.astype(np.uint8) if part.dtype == bool else part
    found = np.zeros(part.shape, np.uint8)
    for number, ranges in ((PORE, pores), (OUTSIDE, outsides)):
        for low, high in ranges:
            within = (values >= low) & (values <= high)
            if number == OUTSIDE and (found[within] == PORE).any():
                raise UsageError(f"Values from {low:g} to {high:g} are pore= and outside= at the same time: give each value once.")
            found[within] = number
    return found


def is_image_data(im: Any) -> bool:
    """Return whether an image is a pyvista.ImageData."""
    return hasattr(im, "dimensions") and hasattr(im, "cell_data") and hasattr(im, "point_data") and hasattr(im, "spacing")


def _values_of(im: Any) -> Array:
    """Return the only or the active array of a pyvista.ImageData, with the axes z, y, x."""
    arrays = {(where, name): data[name] for where, data in (("cell", im.cell_data), ("point", im.point_data)) for name in data.keys()}
    active = im.active_scalars_name
    chosen = [key for key in arrays if key[1] == active] if len(arrays) > 1 else list(arrays)
    if len(chosen) != 1:
        raise UsageError(f"The pyvista.ImageData has {len(arrays)} arrays, and which of them is the image is unknown: call set_active_scalars first.")
    less = 1 if chosen[0][0] == "cell" else 0
    values = np.asarray(arrays[chosen[0]])
    if values.ndim != 1:
        raise UsageError(f"The array {chosen[0][1]!r} of the pyvista.ImageData has {values.shape[-1]} components instead of one.")
    nx, ny, nz = (max(1, int(n) - less) for n in im.dimensions)
    return values.reshape(nz, ny, nx)


def is_slices(im: Any) -> bool:
    """Return whether an image is a list of paths of slices."""
    return isinstance(im, list) and len(im) > 0 and all(isinstance(one, (str, os.PathLike)) for one in im)


@contextlib.contextmanager
def as_file(im: Any) -> Iterator[Any]:
    """Give a list of paths of slices, in its order, as the pattern of a series of files, which the library reads one by one."""
    if not is_slices(im):
        yield im
        return
    paths = [pathlib.Path(path_text(one)).absolute() for one in im]
    suffixes = {path.suffix.lower() for path in paths}
    if len(suffixes) != 1:
        raise UsageError(f"The slices have several formats, {', '.join(sorted(suffixes))}: give files of one format.")
    missing = next((path for path in paths if not path.is_file()), None)
    if missing is not None:
        raise UsageError(f"{missing} is no file: slice {paths.index(missing)} of {len(paths)} cannot be read.")
    suffix = suffixes.pop()
    if len(paths) == 1:
        yield str(paths[0])
        return
    if suffix not in (".tif", ".tiff", ".png"):
        raise UsageError(f"The slices are {shown(suffix)} files: a list of slices is TIFF or PNG.")
    with tempfile.TemporaryDirectory(prefix="rill-") as folder:
        for k, path in enumerate(paths):
            (pathlib.Path(folder) / f"slice-{k:08d}{suffix}").symlink_to(path)
        yield os.path.join(folder, f"slice-%08d{suffix}")
