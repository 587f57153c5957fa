# SPDX-License-Identifier: Apache-2.0
"""The kernels: every combination of lattice, collision, streaming scheme, addressing and number format."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

from . import _interface as c
from ._arguments import flag, real, shown
from ._library import library, text
from .errors import UsageError


@dataclasses.dataclass(frozen=True)
class Variant:
    """A kernel.

    Attributes
    ----------
    name : str
        What `permeability` takes: lattice, collision, equilibrium, streaming scheme, addressing and number format.
    stored : float
        Bytes for each fluid node: populations and index words.
    moved : float
        Bytes read and written in an update, words that neighbours read as well counted once.
    """

    name: str
    stored: float
    moved: float


def variants(all: bool = False, porosity: float = 1.0) -> list[Variant]:
    """List the variants of the node update.

    Parameters
    ----------
    all : bool
        All that exist; else those whose CUDA kernels are built ahead of time. The CPU runs every one, and CUDA compiles the
        others when they are first used.
    porosity : float
        Fluid fraction of the box, on which the bytes of dense and bitmap addressing depend, above 0.

    Returns
    -------
    list of Variant

    Examples
    --------
    >>> import rill
    >>> next(v for v in rill.variants() if v.name == "d3q19-trt-stokes-aa-list-fp32").stored
    148.0
    """
    porosity = real(porosity, "porosity")
    if not 0 < porosity <= 1:
        raise UsageError(f"porosity = {shown(porosity)} is not above 0 and at most 1.")
    if not flag(all, "all"):
        return [_described(library.rill_variant_at(k), porosity) for k in range(library.rill_variant_count())]
    found, cursor, variant = [], ctypes.c_uint64(0), c.rill_variant()
    while library.rill_variant_next(ctypes.byref(cursor), ctypes.byref(variant)):
        found.append(_described(variant, porosity))
    return found


def _described(variant: Any, porosity: float) -> Variant:
    name = ctypes.create_string_buffer(96)
    library.rill_variant_name(variant, name, len(name))
    size = library.rill_variant_bytes(variant, porosity)
    return Variant(text(name.value), size.populations + size.index, size.cached)
