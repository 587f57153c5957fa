# SPDX-License-Identifier: Apache-2.0
"""Images in memory: arrays of NumPy, and of everything that gives its values to NumPy; which of their axes is x, y and z."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._arguments import shown
from .errors import SystemFailure, UsageError

#: Axes of an array, first to last: ``"zyx"`` for ``im[z, y, x]``, as files have it; ``"xyz"`` for ``im[x, y, z]``, as PoreSpy has it.
Order = Literal["zyx", "xyz", "zxy", "xzy", "yzx", "yxz"]
ORDERS = ("zyx", "xyz", "zxy", "xzy", "yzx", "yxz")
Array = npt.NDArray[Any]


def order_of(order: Any) -> str:
    """Return the letters of the axes of an array, first to last; 'zyx' for None."""
    found = "zyx" if order is None else order.lower() if isinstance(order, str) else order
    if not isinstance(found, str) or found not in ORDERS:
        raise UsageError(f"order = {shown(order)} is neither 'zyx' (im[z, y, x], as files have it) nor 'xyz' (im[x, y, z], as PoreSpy "
                         "has it) nor another order of these letters.")
    return str(found)


def named_order(im: Any, order: Any) -> str:
    """Return the letters of the axes of an image: what its dims are called, if it is an xarray.DataArray, else those of `order`."""
    letters = order_of(order)
    names = [str(name).lower() for name in im.dims] if hasattr(im, "dims") and hasattr(im, "coords") else []
    spatial = [name for name in names if name in ("x", "y", "z")]
    if not spatial:
        return letters
    found = "".join(names)
    given = letters if len(names) == 3 else letters.replace("z", "")
    if len(names) != len(spatial) or len(set(names)) != len(names) or len(names) not in (2, 3):
        raise UsageError(f"The dims of the image are {', '.join(names)}, so that which of its axes are x, y and z is unknown: select an "
                         "image with the dims x, y and z, or give its values alone, im.values.")
    if order is not None and found != given:
        raise UsageError(f"order = {shown(order)} contradicts the dims of the image, {', '.join(names)}: leave order= out, or give its values "
                         "alone, im.values.")
    return found


def array_of(im: Any) -> Array:
    """Return an image as an array of NumPy in the byte order of the processor; no copy where none is needed.

    Takes what has __array__ or __array_interface__ (xarray, torch, dask, …), what has __dlpack__, and nested sequences.
    """
    if im is None:
        raise UsageError("The image is None: give an array, a path or a Geometry.")
    if isinstance(im, np.ma.MaskedArray) and np.ma.is_masked(im):
        raise UsageError(f"The image is a masked array in which {int(np.sum(im.mask))} of {im.size} voxels are masked, which does not "
                         "say whether they are pore: give im.filled(value), with a value that is pore or solid.")
    if not isinstance(im, np.ndarray) and hasattr(im, "__cuda_array_interface__"):
        raise UsageError(f"The image is in the memory of a GPU ({type(im).__module__}.{type(im).__name__}): copy it to the host first, "
                         "e.g. tensor.cpu() or cupy.asnumpy(array).")
    offers = [name for name in ("__array__", "__array_interface__") if hasattr(im, name)]
    try:
        array = np.from_dlpack(im) if not offers and hasattr(im, "__dlpack__") else np.asarray(im)
    except Exception as error:  # of NumPy, or of the library that the array is of
        reason = " ".join(str(error).split()).rstrip(".")
        raise UsageError(f"The image, an object of {type(im).__name__}, cannot be read as an array: {reason}.") from None
    if array.dtype.kind in "buif" and not array.dtype.isnative:
        array = copied(array, lambda: array.astype(array.dtype.newbyteorder("=")))
    return array


def copied(array: Array, copy: Callable[[], Array]) -> Array:
    """Return a copy of an image, or say that there is no memory for it."""
    try:
        return copy()
    except MemoryError:
        raise SystemFailure(f"There is no memory for a copy of the image, {array.nbytes / 2**30:.3g} GiB: give a contiguous array in the byte "
                            "order of the processor, which is not copied, or a part of it.") from None
