# SPDX-License-Identifier: Apache-2.0
"""The error bar of a vessel: the same case on three grids, and what they extrapolate to."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy as np

from . import _interface as c
from ._library import check, library, text
from ._values import Floats, pointer
from .errors import UsageError


@dataclasses.dataclass(frozen=True)
class VesselQuantity:
    """One number of the runs on three grids, SI units.

    Attributes
    ----------
    key : str
        'tawss_mean_pa', 'tawss_max_pa', 'osi_mean', 'pressure_pa' or 'flow_m3_per_s', as in `summary.json`.
    opening : str or None
        Name of the opening; None: of the whole vessel.
    values : tuple of float
        On the three grids, the coarsest first.
    values_uncertainty : tuple of float
        How far each of them may be from the periodic or steady state.
    order : float
        Observed order; NaN where there is none.
    order_used : bool
        False: the limit is the value of the finest grid.
    limit, uncertainty : float
        Extrapolated value and its uncertainty, absolute.
    """

    key: str
    opening: str | None
    values: tuple[float, float, float]
    values_uncertainty: tuple[float, float, float]
    order: float
    order_used: bool
    limit: float
    uncertainty: float


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class VesselErrorBar:
    """What three grids say of a run, see docs/vessels.md.

    Attributes
    ----------
    spacing : tuple of float
        Edges of the voxels, m, the coarsest grid first.
    quantities : list of VesselQuantity
        Mean and largest TAWSS, mean OSI of a pulsatile run, and the pressures and flows that the case does not give.
    tawss : tuple of ndarray or None
        TAWSS of each grid on the triangles of the surface, Pa; None unless the case requests wall shear.
    tawss_limit, tawss_uncertainty : ndarray or None
        Extrapolated triangle by triangle, Pa, NaN where one of the grids has none.
    converged : tuple of bool
        Whether the run on each grid became periodic or steady.
    seconds : float
        Of all runs.
    """

    spacing: tuple[float, float, float]
    quantities: list[VesselQuantity]
    tawss: tuple[Floats, Floats, Floats] | None
    tawss_limit: Floats | None
    tawss_uncertainty: Floats | None
    converged: tuple[bool, bool, bool]
    seconds: float

    def __repr__(self) -> str:
        shown = ", ".join(f"{q.key}{f' of {q.opening}' if q.opening else ''} {q.limit:.5g} ± {q.uncertainty:.2g}" for q in self.quantities)
        return f"<rill.VesselErrorBar: {shown}>"

    def __getitem__(self, key: str | tuple[str, str]) -> VesselQuantity:
        """Return a quantity: `bar["tawss_mean_pa"]`, `bar["pressure_pa", "inlet"]`."""
        name, opening = (key, None) if isinstance(key, str) else key
        for q in self.quantities:
            if q.key == name and q.opening == opening:
                return q
        known = ", ".join(q.key + (f" of {q.opening}" if q.opening else "") for q in self.quantities)
        raise UsageError(f"The error bar has no {name}{f' of {opening}' if opening else ''}: it has {known}.")


def spacings(finest: float) -> tuple[float, float, float]:
    """Return the edges of the voxels of all grids, m, the coarsest first."""
    a, b, d = (finest * library.rill_grids_spacing(k) for k in range(c.RILL_GRIDS))
    return a, b, d


def _three(values: Any) -> tuple[float, float, float]:
    a, b, d = (float(v) for v in values)
    return a, b, d


def tawss_of(vessel: Any, geometry: Any) -> Floats | None:
    """Return TAWSS of a run that ended; None unless the case requests it."""
    out = np.empty(geometry._g.surface.contents.triangle_count, np.float32)
    if library.rill_vessel_wall_shear(vessel, pointer(out, ctypes.c_float), None) == c.RILL_USAGE:
        return None
    return out


def extrapolate(fine: Any, finest: float, results: Any, tawss: list[Floats | None]) -> VesselErrorBar:
    """Return the error bar of a vessel of the finest grid, with [3] rill_run_result."""
    spacing = spacings(finest)
    given = (ctypes.c_double * c.RILL_GRIDS)(*spacing)
    out = (c.rill_grids_quantity * c.RILL_GRIDS_QUANTITIES)()
    count = library.rill_grids_extrapolate(fine, given, results, out)
    quantities = [VesselQuantity(text(q.key), text(q.name) or None, _three(q.value), _three(q.noise), q.order, q.order_used, q.limit,
                                 q.uncertainty) for q in out[:count]]
    a, b, d = tawss
    walls = limit = uncertainty = None
    if a is not None and b is not None and d is not None:
        walls, limit, uncertainty = (a, b, d), np.empty_like(a), np.empty_like(a)
        library.rill_grids_wall(given, _pointers(walls), len(a), pointer(limit, ctypes.c_float), pointer(uncertainty, ctypes.c_float))
    x, y, z = (r.end == c.RILL_RUN_REPEATS for r in results)
    return VesselErrorBar(spacing, quantities, walls, limit, uncertainty, (x, y, z), float(sum(r.seconds for r in results)))


def write(bar: VesselErrorBar, geometry: Any, result: Any, path: bytes) -> None:
    """Write error-bar.vtkhdf."""
    if bar.tawss is not None:
        given = (ctypes.c_double * c.RILL_GRIDS)(*bar.spacing)
        check(library.rill_grids_wall_write(geometry._c, given, _pointers(bar.tawss), result.steps, result.time, b"rill.run", path))


def _pointers(arrays: tuple[Floats, ...]) -> Any:
    return (ctypes.POINTER(ctypes.c_float) * len(arrays))(*(pointer(a, ctypes.c_float) for a in arrays))
