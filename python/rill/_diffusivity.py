# SPDX-License-Identifier: Apache-2.0
"""The effective diffusivity of an image or a geometry."""

from __future__ import annotations

import copy
import ctypes
import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from . import _interface as c, _report
from ._arguments import choice, count, flag, fraction, real
from ._arrays import Array, Order, order_of
from ._batch import Batch, Images, _batch_options, cut, many, pairs_of
from ._computation import Computation, given, provenance_of
from ._field import ordered, points_of
from ._geometry import Geometry, Porosity, Source, as_geometry, axis_of, is_path, labelled, porosity_of
from ._library import library, need, notes, text, warn
from ._permeability import AXES, Axis, set_checkpoint
from ._pore import Pore, ranges_of
from ._progress import Progress, Watch, logger, one_bar, percent
from ._sample import Core, Where, takes_image
from ._values import Device, Floats, Length, Quantity, Reals, Sides, pointer
from .errors import NumericsError, SystemFailure, UsageError

DiffusionDrive = Literal["gradient", "outside", "inside"]
DRIVES: dict[DiffusionDrive, int] = {"gradient": c.RILL_DIFFUSION_GRADIENT, "outside": c.RILL_DIFFUSION_OUTSIDE, "inside": c.RILL_DIFFUSION_INSIDE}


@dataclasses.dataclass(frozen=True, eq=False)
class DiffusionRun:
    """The run with the gradient along one axis.

    Attributes
    ----------
    axis : str
        'x', 'y' or 'z'.
    converged : bool
        The bounds are within the tolerance.
    iterations : int
        Of conjugate gradients.
    lower, upper : float
        D_eff along the axis over D0 is between them.
    seconds : float
        Wall-clock time, s.
    """

    axis: str
    converged: bool
    iterations: int
    lower: float
    upper: float
    seconds: float


@dataclasses.dataclass(frozen=True)
class DiffusionBar:
    """How D_eff / D0 along an axis changes with the voxels: an estimate.

    Attributes
    ----------
    values : tuple of float
        With voxels 1, 2 and 4 times as large, as far as those conduct.
    extrapolated, half_width : float
        For voxels of 0; NaN with one value.
    """

    values: tuple[float, ...]
    extrapolated: float
    half_width: float


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class DiffusionField:
    """Concentration and flux of the run along one axis; 0 in the solid.

    Attributes
    ----------
    axis : str
        Axis of the gradient.
    array_axes : str
        Axes of the arrays, those of the array that was given.
    concentration : ndarray of float32, shape image.shape
        It falls by 1 along the axis from one face of the box to the other.
    flux : ndarray of float32, shape (3, *image.shape)
        Components along x, y, z at the centres of voxels, D0 over the edge of a voxel.
    """

    axis: str
    array_axes: str
    concentration: Floats
    flux: Floats
    _geometry: Geometry

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.concentration.shape))
        return f"<rill.DiffusionField of the gradient along {self.axis}: concentration and flux of {shape} voxels along {', '.join(self.array_axes)}>"

    def to_xarray(self) -> Any:
        """Return an xarray.Dataset with 'concentration' (z, y, x), 'flux' (component, z, y, x) and coordinates in metres. Needs xarray."""
        xarray = need("xarray", "to_xarray()")
        values = {"concentration": ordered(self.concentration, self.array_axes, "zyx"), "flux": ordered(self.flux, self.array_axes, "zyx")}
        return xarray.Dataset({name: labelled(xarray, self._geometry, value, name, "1") for name, value in values.items()}, attrs={"axis": self.axis})

    def to_pyvista(self) -> Any:
        """Return a pyvista.ImageData with 'concentration' and 'flux' at its points, the centres of the voxels. Needs pyvista."""
        values = {"concentration": ordered(self.concentration, self.array_axes, "zyx"), "flux": ordered(self.flux, self.array_axes, "zyx")}
        return points_of(self._geometry, values)


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Diffusivity:
    """The effective diffusivity of a sample.

    Attributes
    ----------
    tensor : ndarray, shape (3, 3)
        D_eff / D0: row is the flux, column the gradient, order x, y, z; NaN where it was not computed.
    formation_factor : ndarray, shape (3, 3)
        Inverse of the tensor; D0 / D_eff of one axis. NaN where there is none.
    tortuosity_factor : ndarray, shape (3,)
        tau = phi D0 / D_eff along x, y, z, phi the total porosity. This is a factor: the hydraulic tortuosity of a permeability is
        another number (`Run.tortuosity`).
    axes : str
        Axes that were computed, e.g. 'xyz'.
    array_axes : str
        Axes of the array that was given, first to last.
    voxel_size : float or None
        m.
    uncertainty : float
        Of D_eff on these voxels, relative: a bound.
    principal : ndarray, shape (3,)
        Eigenvalues of the symmetric part of the tensor, largest first; NaN without a tensor.
    principal_axes : ndarray, shape (3, 3)
        Row i: the direction of ``principal[i]``, a vector x, y, z of length 1.
    porosity : Porosity
        Connected through faces of voxels, by which diffusion conducts.
    flow_percolating : tuple of float
        Pore fractions that conduct along x, y, z through faces and edges, as flow does; NaN where unknown.
    converged : bool
    runs : list of DiffusionRun
    fields : dict of DiffusionField
        By axis; empty unless ``fields=True``.
    error_bar : dict of DiffusionBar
        By axis; empty unless ``error_bar=True``.
    drive : str
        'gradient', 'outside' or 'inside'.
    nodes : int
        Voxels that took part.
    backend, device : str
    notes : tuple of str
        Sentences that change or qualify a value; each was also a warning (`RillWarning`).
    """

    tensor: Reals
    formation_factor: Reals
    tortuosity_factor: Reals
    axes: str
    array_axes: str
    voxel_size: float | None
    uncertainty: float
    principal: Reals
    principal_axes: Reals
    porosity: Porosity
    flow_percolating: tuple[float, float, float]
    converged: bool
    runs: list[DiffusionRun]
    fields: dict[str, DiffusionField]
    error_bar: dict[str, DiffusionBar]
    drive: str
    nodes: int
    backend: str
    device: str
    notes: tuple[str, ...]
    _voxels: tuple[int, ...]
    _provenance: dict[str, Any]
    _slice: Array

    @property
    def d(self) -> float:
        """D_eff / D0: along the axis, or the mean of the diagonal of the tensor."""
        return float(np.mean([self.tensor["xyz".index(a), "xyz".index(a)] for a in self.axes]))

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the result is from: versions, source, the keywords that were given, device and date."""
        return copy.deepcopy(self._provenance)

    def to_dict(self) -> dict[str, Any]:
        """Return all but fields as numbers, texts, lists and dicts that JSON has; unknown numbers are None."""
        found: dict[str, Any] = _report.plain({
            "diffusivity": self.tensor, "formation_factor": self.formation_factor, "tortuosity_factor": dict(zip("xyz", self.tortuosity_factor)),
            "tortuosity_definition": "phi D0 / D_eff", "axes": self.axes, "array_axes": self.array_axes, "voxel_size_m": self.voxel_size, "voxels": self._voxels,
            "uncertainty": self.uncertainty, "principal": self.principal, "principal_axes": self.principal_axes, "converged": self.converged,
            "porosity": {"total": self.porosity.total, "connected": self.porosity.connected, "percolating": dict(zip("xyz", self.porosity.percolating)),
                         "flow_percolating": dict(zip("xyz", self.flow_percolating))},
            "runs": [vars(run) for run in self.runs], "error_bar": {a: vars(bar) for a, bar in self.error_bar.items()}, "drive": self.drive, "nodes": self.nodes, "backend": self.backend, "device": self.device, "notes": self.notes,
            "provenance": self.provenance})
        return found

    def to_dataframe(self) -> Any:
        """Return a pandas.DataFrame with a row for each axis of the gradient. Needs pandas."""
        return need("pandas", "to_dataframe()").DataFrame(self._rows()).set_index("axis")

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the result: ``.json`` has what `to_dict` returns, ``.csv`` the rows of `to_dataframe`, ``.npz`` the tensor and the fields.

        `open` reads the first two. A file that exists is refused unless ``overwrite=True``.
        """
        arrays: dict[str, Any] = {"diffusivity": self.tensor, "voxel_size_m": np.float64(self.voxel_size or math.nan)}
        for axis, field in self.fields.items():
            arrays |= {f"concentration_{axis}": field.concentration, f"flux_{axis}": field.flux}
        _report.save(path, overwrite, self.to_dict(), self._rows(), arrays)

    def _repr_html_(self) -> str:
        return _report.html_of_diffusivity(self)

    def _rows(self) -> list[dict[str, Any]]:
        """Return a row for each axis of the gradient."""
        rows = []
        for axis in self.axes:
            a = "xyz".index(axis)
            run = next((one for one in self.runs if one.axis == axis), None)  # without a run nothing conducts along the axis
            rows.append({"axis": axis, "diffusivity": self.tensor[a, a], "formation_factor": self.formation_factor[a, a],
                         "tortuosity_factor": self.tortuosity_factor[a], "uncertainty": self.uncertainty, "lower": run.lower if run else 0.0,
                         "upper": run.upper if run else 0.0, "converged": run.converged if run else True, "porosity": self.porosity.total,
                         "porosity_percolating": self.porosity.percolating[a], "iterations": run.iterations if run else 0, "seconds": run.seconds if run else 0.0})
        return rows

    def __repr__(self) -> str:
        known = f"{percent(self.uncertainty)}" if self.converged else "NOT CONVERGED"
        return f"<rill.Diffusivity D_eff/D0 = {self.d:.6g} ({known}), {self.axes}, porosity {self.porosity.total:.4f}, {self.device or self.backend}>"


@takes_image
def diffusivity(
    im: Source | Geometry,
    voxel_size: Length | None = None,
    axis: Axis | int = "auto",
    *,
    pore: Pore = None,
    phases: Mapping[Any, float] | None = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides | None = None,
    drive: DiffusionDrive = "gradient",
    tolerance: float | str | Quantity = 1e-3,
    max_iterations: int = 10_000,
    error_bar: bool = False,
    fields: bool = False,
    checkpoint: Any = None,
    resume: bool = False,
    allow_outside: bool = False,
    device: str = "auto",
    progress: Progress = None,
) -> Diffusivity:
    """Compute the effective diffusivity of a sample, its formation factor and its tortuosity factor.

    Steady diffusion through the faces of the voxels that are pore, with no flux into the solid: the finite-volume equations of TauFactor and PoreSpy.

    Parameters
    ----------
    im : array_like, path or Geometry
        The image, shape (nz, ny, nx), or (ny, nx) of one slice: bool with True = pore, or numbers with `pore` or `phases`. A path: an image or a `*.geom.h5` file.
    voxel_size : float or str, optional
        Edge of a voxel, with its unit (``"5.7 um"``) or in m. D_eff / D0 does not depend on it.
    axis : {'auto', 'x', 'y', 'z', 'xyz', 'xy', 'xz', 'yz'} or int
        Axis of the gradient, or several: the tensor of these axes, by a run along each. As for `permeability`.
    {image}
    phases : mapping, optional
        In place of `pore`: several conducting phases, grey value or range to diffusivity over D0: ``{0: 1, 128: 0.05}``, ratios of 1e-6 to 1e6.
    sides : str or sequence of three str, optional
        Domain boundaries normal to x, y, z: 'periodic' (default), 'mirror' (for images of rocks) or 'wall'.
    drive : {'gradient', 'outside', 'inside'}
        A mean gradient; or values at two faces, half a voxel outside of the end slices as in TauFactor, or in these slices as in PoreSpy.
    tolerance : float or str
        Relative half-width of the bounds of D_eff at which a run ends (``"0.1 %"``).
    max_iterations : int
        Along each axis, at most.
    error_bar : bool
        Estimate D of the shape from images with voxels 2 and 4 times as large: `Diffusivity.error_bar`.
    fields : bool
        Keep concentration and flux of each run: 16 bytes a voxel and axis.
    checkpoint : path, optional
        File that is written every 10 minutes and when the computation is cancelled, and that `resume` continues from. It is removed at the end.
    resume : bool
        Continue from `checkpoint`, with the same options and image, to the same bits.
    device : str
        'auto', 'cpu', or 'cuda', 'cuda:1', … as for `permeability`. A GPU gives the same numbers as processors.
    progress : optional
        See `Progress`.

    Returns
    -------
    Diffusivity

    Raises
    ------
    UsageError, NumericsError, SystemFailure, Cancelled
        With the sentence of the C library. Where nothing conducts, or a run did not converge, it is a NumericsError; its `result` has
        the last values of such a run.

    Examples
    --------
    Half of a box conducts, straight through: the tortuosity factor is 1.

    >>> import numpy, rill
    >>> im = numpy.ones((8, 8, 8), bool)
    >>> im[:4] = False
    >>> result = rill.diffusivity(im, axis="x", device="cpu")
    >>> round(result.d, 6), round(float(result.tortuosity_factor[0]), 6)
    (0.5, 1.0)
    """
    keywords = given(diffusivity, locals())
    made, found = _options_of(drive, tolerance, max_iterations, pore, phases)
    chosen = Device(device)
    made.error_bar = flag(error_bar, "error_bar")
    set_checkpoint(made, checkpoint, flag(resume, "resume"), made.error_bar, flag(fields, "fields"))
    where = Where(outside, mask, mask_inside, core, allow_outside, found)
    with one_bar(progress) as shown_by:
        geometry, letters = as_geometry(im, voxel_size, pore, order, sides, shown_by, where)
        made.axis = axis_of(axis, letters, AXES)
        field_axes = order_of(order) if is_path(im) or isinstance(im, Geometry) else letters
        provenance = provenance_of(geometry, keywords=keywords, axes=letters, sides=list(geometry.sides))
        with chosen as opened, Watch(shown_by) as watch:
            made.on.device, made.on.backend, made.progress = opened.c, opened.kind, watch.c
            return _Computation(geometry, made, letters, field_axes if flag(fields, "fields") else "", provenance, drive).run(watch)


def _options_of(drive: Any, tolerance: Any, max_iterations: Any, pore: Any, phases: Any) -> tuple[Any, list[Any]]:
    """Return the options, and the phases."""
    made, found = library.rill_diffusivity_options_default(), _phases(phases)
    made.drive, made.tolerance = choice(drive, DRIVES, "drive"), fraction(tolerance, "tolerance")
    made.max_iterations = count(max_iterations, "max_iterations", 2**63)
    if found and pore is not None:
        raise UsageError("pore= and phases= both say what conducts: leave one of them out.")
    for i, phase in enumerate(found):
        made.ratio[i] = phase.ratio
    made.phase_count = len(found)
    return made, found


def _batch_of(drive: Any, tolerance: Any, max_iterations: Any, pore: Any, phases: Any, at_once: int, csv: Any, resume: bool, device: str) -> tuple[Any, list[Any], Any]:
    """Return the options of a batch, its phases, and what both point to."""
    made, found = _options_of(drive, tolerance, max_iterations, pore, phases)
    o, kept = _batch_options(library.rill_permeability_options_default(), None, at_once, csv, resume, device)
    o.diffusivity = ctypes.pointer(made)
    given = (c.rill_phase * max(1, len(found)))(*found)
    if found:
        o.phases = given
    return o, found, (made, given, kept)


@takes_image
def diffusivity_many(
    images: Images,
    voxel_size: Length | None = None,
    axis: Axis | int = "auto",
    *,
    pore: Pore = None,
    phases: Mapping[Any, float] | None = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides | None = None,
    drive: DiffusionDrive = "gradient",
    tolerance: float | str | Quantity = 1e-3,
    max_iterations: int = 10_000,
    at_once: int = 0,
    csv: str | os.PathLike[str] | None = None,
    resume: bool = False,
    allow_outside: bool = False,
    device: str = "auto",
    progress: Progress = None,
) -> Batch:
    """Compute the diffusivities of many images, several at the same time. An image without a result does not end it.

    Parameters
    ----------
    images, at_once, csv, resume
        As in `permeability_many`.
    {image}
    voxel_size, axis, phases, sides, drive, tolerance, max_iterations, device, progress
        As in `diffusivity`.

    Returns
    -------
    Batch
        Its rows have `Row.d` and `Row.diffusivity` in the place of a permeability.

    Examples
    --------
    >>> import numpy, rill
    >>> half = numpy.ones((8, 8, 8), bool)
    >>> half[:, :4] = False
    >>> [round(row.d, 6) for row in rill.diffusivity_many([half, half[:, 2:]], axis="z", device="cpu").rows]
    [0.5, 0.666667]
    """
    pairs = pairs_of(images, "diffusivity()")
    o, found, _kept = _batch_of(drive, tolerance, max_iterations, pore, phases, at_once, csv, resume, device)
    return many(pairs, o, voxel_size, axis, pore, order, sides, Where(outside, mask, mask_inside, core, allow_outside, found), progress)


@takes_image
def diffusivity_blocks(
    im: Source | Geometry,
    edges: Any,
    voxel_size: Length | None = None,
    axis: Axis | int = "xyz",
    *,
    pore: Pore = None,
    phases: Mapping[Any, float] | None = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides = "mirror",
    drive: DiffusionDrive = "gradient",
    tolerance: float | str | Quantity = 1e-3,
    max_iterations: int = 10_000,
    at_once: int = 0,
    csv: str | os.PathLike[str] | None = None,
    resume: bool = False,
    allow_outside: bool = False,
    device: str = "auto",
    progress: Progress = None,
) -> Batch:
    """Compute the diffusivities of the blocks of an image: cubes on a regular grid from voxel 0 on.

    Parameters
    ----------
    edges, sides
        As in `blocks`.
    {image}
    im, voxel_size, axis, phases, drive, tolerance, max_iterations, at_once, csv, resume, device, progress
        As in `diffusivity_many`.

    Returns
    -------
    Batch
        `Grid.d` has the values of the blocks of each size as an array.

    Examples
    --------
    >>> import numpy, rill
    >>> im = numpy.ones((16, 16, 16), bool)
    >>> im[:, :4] = False
    >>> grid = rill.diffusivity_blocks(im, 8, axis="z", device="cpu").grids[0]
    >>> float(grid.d[0, 0, 0].round(6)), float(grid.d[0, 1, 0].round(6))
    (0.5, 1.0)
    """
    o, found, _kept = _batch_of(drive, tolerance, max_iterations, pore, phases, at_once, csv, resume, device)
    return cut(im, edges, o, voxel_size, axis, pore, order, sides, Where(outside, mask, mask_inside, core, allow_outside, found), progress)


def _phases(phases: Any) -> list[Any]:
    """Return a rill_phase for each range of grey values."""
    if phases is None:
        return []
    if not isinstance(phases, Mapping) or not phases:
        raise UsageError("phases= is no mapping of grey values to diffusivities over D0: {0: 1, 128: 0.05}.")
    found = []
    for grey, ratio in phases.items():
        value = real(ratio, "phases")
        for low, high in ranges_of(grey, "phases", c.RILL_PHASES):
            phase = c.rill_phase(ratio=value)
            phase.grey[:] = low, high
            found.append(phase)
    if len(found) > c.RILL_PHASES:
        raise UsageError(f"phases= has {len(found)} ranges of grey values, above {c.RILL_PHASES}: join phases of the same diffusivity.")
    return found


class _Computation(Computation):
    def __init__(self, geometry: Geometry, options: Any, letters: str, order: str, provenance: dict[str, Any], drive: str) -> None:
        super().__init__(geometry, options, letters, order, provenance)
        self.drive, self.out = drive, c.rill_diffusivity()
        self.fields: dict[str, DiffusionField] = {}
        if order:
            self.let_call("finished", lambda _context, field: self.called(lambda: self._keep(field.contents)))

    def run(self, watch: Watch) -> Diffusivity:
        try:
            warn(self.geometry.notes)
            status = library.rill_diffusivity_compute(self.geometry._c, self.options, self.out)
            warn(note for note in notes(self.out.notes) if note not in self.geometry.notes)
            self.ended(watch, status, lambda: self._result() if self.out.run_count else None)
            result = self._result()
        finally:
            library.rill_diffusivity_free(self.out)
        logger.info("%r", result)
        return result

    def _keep(self, field: Any) -> None:
        axis, nodes, images = "xyz"[field.axis], field.nodes, np.empty((4, *self.geometry.shape), np.float32)
        flux = np.empty((3, nodes))
        field.flux(ctypes.pointer(field), 0, nodes, pointer(flux, ctypes.c_double))
        values = [np.ctypeslib.as_array(field.concentration, (nodes,)), *flux]
        for value, image in zip(values, images):
            self.image(value, nodes, image)
        self.fields[axis] = DiffusionField(axis, self.order, ordered(images[0], "zyx", self.order), ordered(images[1:], "zyx", self.order),
                                           self.geometry)

    def _bars(self) -> dict[str, DiffusionBar]:
        return {a: DiffusionBar(tuple(bar.values[: bar.grids]), bar.extrapolated, bar.half_width) for a, bar in zip("xyz", self.out.bar) if bar.grids}

    def _result(self) -> Diffusivity:
        r = self.out
        runs = [DiffusionRun("xyz"[run.axis], run.converged, run.iterations, run.bound[0], run.bound[1], run.seconds) for run in r.runs[: r.run_count]]
        tensor = np.array([row[:] for row in r.d])
        flow = [v if v >= 0 else math.nan for v in r.flow_percolating]
        return Diffusivity(
            tensor=tensor, formation_factor=np.array([row[:] for row in r.formation]), tortuosity_factor=np.array(r.tortuosity[:]),
            axes="".join(a for k, a in enumerate("xyz") if not math.isnan(tensor[k, k])), array_axes=self.letters, voxel_size=self.geometry.voxel_size,
            uncertainty=r.uncertainty, principal=np.array(r.principal[:]), principal_axes=np.array([row[:] for row in r.principal_axes]),
            porosity=porosity_of(r.porosity), flow_percolating=(flow[0], flow[1], flow[2]), converged=r.converged, runs=runs, fields=self.fields, error_bar=self._bars(), drive=self.drive,
            nodes=r.nodes, backend=text(r.backend), device=text(r.device), notes=tuple(dict.fromkeys(self.geometry.notes + notes(r.notes))),
            _voxels=self.geometry.shape[::-1], _slice=self.geometry.voxels[self.geometry.shape[0] // 2].copy(), _provenance={**self.provenance, "backend": text(r.backend), "device": text(r.device)})
