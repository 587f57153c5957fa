# SPDX-License-Identifier: Apache-2.0
"""A computation of the C library, and what it gives back through functions that it calls."""

from __future__ import annotations

import ctypes
import datetime
import inspect
import pathlib
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _interface as c
from ._geometry import Geometry
from ._library import check, library, text
from ._progress import Watch
from ._report import described
from ._values import pointer
from .errors import Error, NumericsError, SystemFailure


def given(function: Callable[..., Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of a function that differ from their defaults, as JSON has them."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        value = values[name]
        if name == "progress" or value is parameter.default:
            continue
        found[name] = value if isinstance(value, (str, int, float)) else str(value) if isinstance(value, pathlib.PurePath) else described(value)
    return found


def provenance_of(geometry: Geometry, **more: Any) -> dict[str, Any]:
    """Return what a result says of its origin."""
    return {"rill": text(library.rill_version()), "numpy": np.__version__, "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
            "source": geometry.source, "source_hash": text(geometry._g.source_hash), "voxels_crc32": f"{zlib.crc32(geometry.voxels.data):08x}", **more}


class Computation:
    """One computation: what it needs, and what it makes. `order`: axes of the fields; empty: none are kept."""

    def __init__(self, geometry: Geometry, options: Any, letters: str, order: str, provenance: dict[str, Any]) -> None:
        self.geometry, self.options, self.letters, self.order, self.provenance = geometry, options, letters, order, provenance
        self.error: BaseException | None = None

    def let_call(self, member: str, function: Callable[..., int]) -> None:
        """Let the library call a function at this member of the options."""
        setattr(self.options, member, dict(type(self.options)._fields_)[member](function))

    def called(self, work: Callable[[], None]) -> int:
        """Work for the library, to which no exception may pass."""
        try:
            work()
        except Error as error:
            self.error = error
            return error.status
        except MemoryError:
            self.error = SystemFailure(f"There is no memory for the fields of {self.geometry.shape} voxels: leave fields=True out, or crop.")
            return c.RILL_SYSTEM
        except BaseException as error:  # it must not pass through C
            self.error = error
            return c.RILL_SYSTEM
        return c.RILL_OK

    def ended(self, watch: Watch, status: int, so_far: Callable[[], Any]) -> None:
        """Raise what a function raised, or what a status says, with what there is where it did not converge."""
        if self.error is not None:
            raise self.error
        try:
            watch.check(status)
        except NumericsError as error:
            error.result = so_far()
            raise

    def image(self, values: Any, nodes: int, image: Any) -> None:
        """Lay values of the nodes into an image; 0 in the solid."""
        single = np.ascontiguousarray(values, np.float32)
        check(library.rill_geom_image(self.geometry._c, pointer(single, ctypes.c_float), nodes, 0.0, pointer(image, ctypes.c_float)))
