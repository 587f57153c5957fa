# SPDX-License-Identifier: Apache-2.0
"""How sure a permeability is: the rows of its error bar."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import _interface as c
from ._arguments import choice, flag
from ._library import text
from ._values import Reals
from ._words import spoken


@dataclasses.dataclass(frozen=True, eq=False)
class Contribution:
    """One row of an error bar; arrays are of the axes x, y, z, relative, NaN where unknown.

    Attributes
    ----------
    name : str
        'convergence', 'number format', 'shape and voxels', 'domain boundaries', 'segmentation' or 'sample'.
    kind : str
        'bound': the error is at most the half-width. 'estimate': it is estimated.
    state : str
        'known', 'not known' (the note says why) or 'not asked'.
    relative : ndarray, shape (3,)
        (k otherwise - k) / k; NaN where there is no sign.
    half_width : ndarray, shape (3,)
        Of the interval that is due to it, relative to the best estimate.
    note : str
    """

    name: str
    kind: str
    state: str
    relative: Reals
    half_width: Reals
    note: str


@dataclasses.dataclass(frozen=True, eq=False)
class ErrorBar:
    """How far a permeability may be off, with the reason for every part of it.

    Attributes
    ----------
    contributions : list of Contribution
        All rows, in the order of `Contribution.name`. Without ``error_bar`` the first two are known.
    total : ndarray, shape (3,)
        Half-width of the interval around `best_lu` along x, y, z, relative to it: the sum of the bounds that are known, plus the
        root of the sum of the squares of the estimates.
    without_boundaries : ndarray, shape (3,)
        The same without the domain boundaries, a choice.
    best_lu : ndarray, shape (3,)
        Best estimate of k of the shape that the voxels sample, lattice units; without one k of the voxels.
    voxels_lu : ndarray, shape (3,)
        k of the voxels, lattice units.
    staircase_limit_lu, staircase_relative : ndarray, shape (3,)
        k of the steps of the voxels on ever finer grids (``error_bar='fine'``), no estimate of k of the shape, and its relative
        half-width; else NaN.
    off_axis_bound_lu : ndarray, shape (3, 3)
        Bounds on convergence and number format of the entries of a tensor beside the diagonal, lattice units: row is the flow, column
        the force; else NaN. The other rows are not known of them.
    complete : bool
        What was requested is known.
    """

    contributions: list[Contribution]
    total: Reals
    without_boundaries: Reals
    best_lu: Reals
    voxels_lu: Reals
    staircase_limit_lu: Reals
    staircase_relative: Reals
    off_axis_bound_lu: Reals
    complete: bool

    def __getitem__(self, name: str) -> Contribution:
        return next(one for one in self.contributions if one.name == name)


def form_of(error_bar: Any) -> int:
    """Return 0 without further runs, 1 with few, 2 with finer grids."""
    if isinstance(error_bar, str):
        return choice(error_bar, {"fine": 2}, "error_bar")
    return int(flag(error_bar, "error_bar"))


def error_bar_of(out: Any) -> ErrorBar:
    """Return what the library states."""
    states = {c.RILL_ERROR_NOT_ASKED: "not asked", c.RILL_ERROR_UNKNOWN: "not known", c.RILL_ERROR_KNOWN: "known"}
    parts = [Contribution(text(p.name), "bound" if p.bound else "estimate", states[p.state], np.array(p.relative[:]), np.array(p.half_width[:]),
                          spoken(text(p.note))) for p in out.contributions]
    return ErrorBar(parts, np.array(out.total[:]), np.array(out.without_boundaries[:]), np.array(out.best[:]), np.array(out.k[:]),
                    np.array(out.staircase_limit[:]), np.array(out.staircase_relative[:]),
                    np.array([line[:] for line in out.off_axis]), out.complete)
