# SPDX-License-Identifier: Apache-2.0
"""How a solute spreads in the flow through an image or a geometry."""

from __future__ import annotations

import copy
import ctypes
import dataclasses
import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _interface as c, _report
from ._arguments import count, flag, fraction, items, path_bytes, path_text, positive, real, shown
from ._arrays import Array, Order, order_of
from ._computation import Computation, given, provenance_of
from ._field import ordered, points_of
from ._geometry import Geometry, Source, as_geometry, axis_of, is_path, labelled
from ._library import check, files, library, need, notes, warn
from ._pore import Pore
from ._progress import Progress, Watch, logger, one_bar
from ._sample import Core, Where, takes_image
from ._values import Device, Floats, Length, Quantity, Reals, Sides, metres
from .errors import NumericsError, SystemFailure, UsageError

#: The flow is along one axis.
ONE_AXIS = {"auto": c.RILL_AXIS_AUTO, "x": 0, "y": 1, "z": 2}
PECLET = "U L / D0: U is the mean velocity in the conducting pores along the axis of the flow"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class DispersionField:
    """Closure field and velocity at one Péclet number; 0 in the solid.

    Attributes
    ----------
    peclet : float
    array_axes : str
        Axes of the arrays, those of the array that was given.
    closure : ndarray of float32, shape (3, *image.shape)
        b_x, b_y, b_z in voxels, with the mean 0 in the pores; 0 where not computed.
    velocity : ndarray of float32, shape image.shape
        Velocity along the axis of the flow over its mean in the pores.
    """

    peclet: float
    array_axes: str
    closure: Floats
    velocity: Floats
    _geometry: Geometry

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.velocity.shape))
        return f"<rill.DispersionField at Péclet number {self.peclet:g}: closure and velocity of {shape} voxels along {', '.join(self.array_axes)}>"

    def to_xarray(self) -> Any:
        """Return an xarray.Dataset with 'closure' (component, z, y, x), 'velocity' (z, y, x) and coordinates in metres. Needs xarray."""
        xarray = need("xarray", "to_xarray()")
        units = {"closure": "voxels", "velocity": "1"}
        return xarray.Dataset({name: labelled(xarray, self._geometry, value, name, units[name]) for name, value in self._of_files().items()},
                              attrs={"peclet": self.peclet})

    def to_pyvista(self) -> Any:
        """Return a pyvista.ImageData with 'closure' and 'velocity' at its points, the centres of the voxels. Needs pyvista."""
        return points_of(self._geometry, self._of_files())

    def _of_files(self) -> dict[str, Floats]:
        """Return the arrays with the axes z, y, x."""
        return {"closure": ordered(self.closure, self.array_axes, "zyx"), "velocity": ordered(self.velocity, self.array_axes, "zyx")}


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Breakthrough:
    """A solute on its way from the face where the flow comes in to the opposite one, in time, at one Péclet number.

    Attributes
    ----------
    peclet : float
    release : str
        'pulse' or 'step'.
    time : ndarray, shape (n,)
        Pore volumes that have flowed in.
    outlet : ndarray, shape (n,)
        Concentration of what flows out; of a pulse, whose mean in the pores is 1 at first.
    mass : ndarray, shape (n,)
        Mean concentration in the pores.
    position, position_variance : ndarray, shape (n,)
        Mean distance of the solute from the inlet in voxels, and its variance; NaN without solute.
    mean, variance : float
        Of the times of passage, pore volumes.
    recovered : float
        Part of the solute that has come out; of a step: concentration at the outlet at the end.
    dispersion : float
        D / D0 of a uniform column of this length with that variance; NaN while less than 99.9 % have come out.
    least, most : float
        Concentrations in all samples.
    concentrations : list of ndarray of float32
        At each of the `times`, with the axes of the array that was given; 0 in the solid. Empty unless ``fields=True``.
    """

    peclet: float
    release: str
    time: Reals
    outlet: Reals
    mass: Reals
    position: Reals
    position_variance: Reals
    mean: float
    variance: float
    recovered: float
    dispersion: float
    least: float
    most: float
    concentrations: list[Floats]

    def __repr__(self) -> str:
        return f"<rill.Breakthrough of a {self.release} at Péclet number {self.peclet:g}: mean {self.mean:.4g}, variance {self.variance:.4g} pore volumes>"

    def to_dataframe(self) -> Any:
        """Return a pandas.DataFrame with a row for each sample. Needs pandas."""
        names = ("time", "outlet", "mass", "position", "position_variance")
        return need("pandas", "to_dataframe()").DataFrame({name: getattr(self, name) for name in names}).set_index("time")


#: How a solute comes into the box.
RELEASES = {None: c.RILL_RELEASE_NONE, "pulse": c.RILL_RELEASE_PULSE, "step": c.RILL_RELEASE_STEP}


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Dispersion:
    """Dispersion tensors of the flow through a sample.

    Attributes
    ----------
    peclet : ndarray, shape (n,)
        U L / D0: U is the mean velocity in the conducting pores along the axis of the flow, L is `length`.
    tensor : ndarray, shape (n, 3, 3)
        D / D0 per pore volume, symmetric part, order x, y, z; NaN where the box is not periodic. Times `porosity` it is that of the sample.
    bound : ndarray, shape (n, 3, 3)
        Of the tensor, absolute: what the iterations left of the linear equations is at most this.
    cell_peclet : ndarray, shape (n,)
        Largest |u| dx / D0.
    axis : str
        Of the flow.
    array_axes : str
        Axes of the array that was given, first to last.
    length : float
        L in voxels; without `length=` the hydraulic diameter, 4 pore volume / wall area, with 2/3 of the voxel faces.
    voxel_size : float or None
        m.
    porosity : float
        Part of the sample that the solute goes through.
    divergence, correction, left : float
        Root mean square of the net flow out of a voxel as the velocities were given, root mean square of the correction that takes it away, and the
        largest net flow after it, relative to the velocities.
    converged : bool
    iterations : list of int
        For each Péclet number, of all axes.
    fields : list of DispersionField
        Empty unless ``fields=True``.
    runs : list of Breakthrough
        One for each Péclet number; empty without ``release=``.
    nodes : int
        Voxels that the solute goes through.
    notes : tuple of str
        Sentences that change or qualify a value; each was also a warning (`RillWarning`).
    """

    peclet: Reals
    tensor: Reals
    bound: Reals
    cell_peclet: Reals
    axis: str
    array_axes: str
    length: float
    voxel_size: float | None
    porosity: float
    divergence: float
    correction: float
    left: float
    converged: bool
    iterations: list[int]
    fields: list[DispersionField]
    runs: list[Breakthrough]
    nodes: int
    notes: tuple[str, ...]
    _voxels: tuple[int, ...]
    _provenance: dict[str, Any]
    _slice: Array

    @property
    def longitudinal(self) -> Reals:
        """D / D0 along the axis of the flow, for each Péclet number."""
        a = "xyz".index(self.axis)
        return self.tensor[:, a, a]

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the result is from: versions, source, the keywords that were given, and date."""
        return copy.deepcopy(self._provenance)

    def to_dict(self) -> dict[str, Any]:
        """Return all but fields as numbers, texts, lists and dicts that JSON has; unknown numbers are None."""
        names = ("peclet", "tensor", "bound", "cell_peclet", "axis", "array_axes", "length", "voxel_size", "porosity", "divergence", "correction", "left",
                 "converged", "iterations", "nodes", "notes", "provenance")
        curves = [{key: value for key, value in vars(run).items() if key != "concentrations"} for run in self.runs]
        found: dict[str, Any] = _report.plain({name: getattr(self, name) for name in names} | {"peclet_definition": PECLET, "runs": curves})
        return found

    def to_dataframe(self) -> Any:
        """Return a pandas.DataFrame with a row for each Péclet number. Needs pandas."""
        return need("pandas", "to_dataframe()").DataFrame(self._rows()).set_index("peclet")

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the result: ``.json`` has what `to_dict` returns, ``.csv`` the rows of `to_dataframe`, ``.npz`` the tensors and the fields.

        `open` reads the first two. A file that exists is refused unless ``overwrite=True``.
        """
        arrays: dict[str, Any] = {"peclet": self.peclet, "tensor": self.tensor, "bound": self.bound, "voxel_size_m": np.float64(self.voxel_size or math.nan)}
        for i, field in enumerate(self.fields):
            arrays |= {f"closure_{i}": field.closure, f"velocity_{i}": field.velocity}
        _report.save(path, overwrite, self.to_dict(), self._rows(), arrays)

    def _repr_html_(self) -> str:
        return _report.html_of_dispersion(self)

    def _rows(self) -> list[dict[str, Any]]:
        """Return a row for each Péclet number."""
        return [{"peclet": pe, "cell_peclet": cell, **{f"D_{a}{b}": d["xyz".index(a), "xyz".index(b)] for a in "xyz" for b in "xyz"}}
                for pe, cell, d in zip(self.peclet, self.cell_peclet, self.tensor)]

    def __repr__(self) -> str:
        shown = ", ".join(f"{d:.6g} (Pe {pe:g})" for pe, d in zip(self.peclet, self.longitudinal))
        return f"<rill.Dispersion D/D0 along {self.axis} = {shown}{'' if self.converged else ', NOT CONVERGED'}>"


@takes_image
def dispersion(
    im: Source | Geometry,
    peclet: float | Sequence[float],
    voxel_size: Length | None = None,
    axis: str | int = "auto",
    *,
    length: float | str | Quantity | None = None,
    pore: Pore = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides | None = None,
    tolerance: float | str | Quantity = 1e-3,
    flow_tolerance: float | str | Quantity = 1e-4,
    max_iterations: int = 2000,
    release: str | None = None,
    duration: float | None = None,
    times: Sequence[float] = (0.5, 1.0),
    fields: bool = False,
    allow_outside: bool = False,
    device: str = "auto",
    progress: Progress = None,
) -> Dispersion:
    """Compute how a solute spreads in the steady flow through a periodic box, by the closure problem.

    Parameters
    ----------
    im : array_like, path or Geometry
        The image, shape (nz, ny, nx), or (ny, nx) of one slice: bool with True = pore, or numbers with `pore`. A path: an image, a `*.geom.h5` file, or the
        field file `*.vtkhdf` of ``rill permeability --fields image``, whose flow is used.
    peclet : float or sequence of float
        Péclet numbers U L / D0 with the mean velocity U in the conducting pores along the axis and the length L.
    voxel_size : float or str, optional
        Edge of a voxel, with its unit (``"5.7 um"``) or in m.
    axis : {'auto', 'x', 'y', 'z'} or int
        Axis of the flow; 'auto': z, and x of one slice.
    length : float or str, optional
        L in voxels, or with a unit (``"100 um"``). Default: the hydraulic diameter.
    {image}
    sides : str or sequence of three str, optional
        Domain boundaries normal to x, y, z: 'periodic' (default, required along the axis), 'mirror' or 'wall'.
    tolerance : float or str
        Relative half-width of the bounds of the diagonal of the tensor at which iterations end.
    flow_tolerance : float or str
        Of the permeability, where the flow is computed.
    max_iterations : int
        For each Péclet number and axis, at most.
    release : {None, 'pulse', 'step'}
        Compute the solute on its way through the box in time, too (`Dispersion.runs`): 'pulse': all of it comes in through the first face at once, with the
        flow; 'step': what flows in has the concentration 1 from time 0 on.
    duration : float, optional
        Of such a run, in pore volumes that have flowed in. Default: until 99.99 % have come out, at most 100.
    times : sequence of float
        Pore volumes after which ``fields=True`` keeps its concentrations: 4 bytes a voxel each.
    fields : bool
        Keep the closure field of each Péclet number: 16 bytes a voxel.
    device : str
        Where the flow is computed, as for `permeability`; the dispersion is computed on processors.
    progress : optional
        See `Progress`.

    Returns
    -------
    Dispersion

    Raises
    ------
    UsageError, NumericsError, SystemFailure, Cancelled
        With the sentence of the C library. A cell Péclet number above 100 is a UsageError. Where a value did not converge, it is a NumericsError
        whose `result` has the values.

    Examples
    --------
    Between plates 1 + 2/105 Pe^2 with half of their distance (Taylor, Aris):

    >>> import numpy, rill
    >>> im = numpy.ones((3, 1, 33), bool)
    >>> im[:, :, 0] = False
    >>> result = rill.dispersion(im, [0, 10], axis="z", length=16, device="cpu")
    >>> [round(float(d), 2) for d in result.longitudinal]
    [1.0, 2.9]
    """
    keywords = given(dispersion, locals())
    made = library.rill_dispersion_options_default()
    chosen = Device(device)
    listed = [real(one, "peclet") for one in (items(peclet, "peclet", "list of numbers") if isinstance(peclet, (Sequence, np.ndarray)) else [peclet])]
    if not 1 <= len(listed) <= c.RILL_PECLETS:
        raise UsageError(f"peclet = {len(listed)} numbers: give 1 to {c.RILL_PECLETS}.")
    made.peclet[: len(listed)] = listed
    made.peclet_count = len(listed)
    made.tolerance, within = fraction(tolerance, "tolerance"), fraction(flow_tolerance, "flow_tolerance")
    made.max_iterations = count(max_iterations, "max_iterations", 2**63)
    if release is not None and not isinstance(release, str) or release not in RELEASES:
        raise UsageError(f"release = {shown(release)}: give 'pulse', 'step' or None.")
    made.release = RELEASES[release]
    if duration is not None:
        if made.release == c.RILL_RELEASE_NONE:
            raise UsageError("duration= is of a run in time: add release='pulse' or 'step'.")
        made.duration = positive(duration, "duration")
    moments = [real(one, "times") for one in items(times, "times", "list of numbers")]
    if len(moments) > c.RILL_BREAKTHROUGH_TIMES:
        raise UsageError(f"times = {len(moments)} numbers: give up to {c.RILL_BREAKTHROUGH_TIMES}.")
    made.times[: len(moments)] = moments
    made.time_count = len(moments)
    where = Where(outside, mask, mask_inside, core, allow_outside)
    u = ctypes.POINTER(ctypes.c_float)()
    with one_bar(progress) as shown_by:
        read = is_path(im) and path_text(im).endswith(".vtkhdf")
        if read:
            if where.given() or pore is not None or sides is not None:
                raise UsageError("The source is a field file, which has the flow: keywords of images and sides= do not apply.")
            geometry, letters = _fields_read(im, u)
        else:
            geometry, letters = as_geometry(im, voxel_size, pore, order, sides, shown_by, where)
        if read and voxel_size is not None:
            geometry._g.spacing = metres(voxel_size, "voxel_size")
        try:
            made.axis = axis_of(axis, letters, ONE_AXIS)
            if made.axis == c.RILL_AXIS_AUTO:
                made.axis = 0 if geometry.shape[0] == 1 else 2
            made.length = _length(length, geometry.voxel_size)
            field_axes = order_of(order) if is_path(im) or isinstance(im, Geometry) else letters
            provenance = provenance_of(geometry, keywords=keywords, axes=letters, sides=list(geometry.sides), flow_tolerance=None if read else within)
            with chosen as opened, Watch(shown_by) as watch:
                made.progress = watch.c
                if not read:
                    watch.check(library.rill_pore_velocities_compute(geometry._c, made.axis, within, opened.kind, watch.c, ctypes.byref(u)))
                return _Computation(geometry, u, made, letters, field_axes if flag(fields, "fields") else "", provenance).run(watch)
        finally:
            library.rill_pore_velocities_free(u)


def _fields_read(path: Any, u: Any) -> tuple[Geometry, str]:
    """Return the geometry of a field file, and the axes of its arrays; the velocities go to `u`."""
    out = ctypes.POINTER(c.rill_geom)()
    with files:
        check(library.rill_pore_velocities_read(path_bytes(path), ctypes.byref(out), ctypes.byref(u)))
    return Geometry(out), "zyx"


def _length(length: Any, voxel_size: float | None) -> float:
    """Return the length of Péclet numbers in voxels; 0: the default."""
    if length is None:
        return 0.0
    if not isinstance(length, str) and not hasattr(length, "units"):
        return positive(length, "length")
    if voxel_size is None:
        raise UsageError(f"length = {shown(length)}: the voxel size is unknown: give voxel_size=, or the length in voxels.")
    return positive(metres(length, "length") / voxel_size, "length")


class _Computation(Computation):
    def __init__(self, geometry: Geometry, u: Any, options: Any, letters: str, order: str, provenance: dict[str, Any]) -> None:
        super().__init__(geometry, options, letters, order, provenance)
        self.u, self.out = u, c.rill_dispersion()
        self.fields: list[DispersionField] = []
        self.concentrations: list[list[Floats]] = [[] for _ in range(options.peclet_count)]
        if order:
            self.let_call("finished", lambda _context, field: self.called(lambda: self._keep(field.contents)))
            self.let_call("moment", lambda _context, field: self.called(lambda: self._keep_moment(field.contents)))

    def run(self, watch: Watch) -> Dispersion:
        try:
            warn(self.geometry.notes)
            status = library.rill_dispersion_compute(self.geometry._c, self.u, self.options, self.out)
            warn(note for note in notes(self.out.notes) if note not in self.geometry.notes)
            self.ended(watch, status, lambda: self._result() if self.out.point_count else None)
            result = self._result()
        finally:
            library.rill_dispersion_free(self.out)
        logger.info("%r", result)
        return result

    def _keep(self, field: Any) -> None:
        nodes, images = field.nodes, np.zeros((4, *self.geometry.shape), np.float32)
        for values, image in zip([field.velocity, *field.b], images):
            if values:
                self.image(np.ctypeslib.as_array(values, (nodes,)), nodes, image)
        self.fields.append(DispersionField(field.peclet, self.order, ordered(images[1:], "zyx", self.order), ordered(images[0], "zyx", self.order), self.geometry))

    def _keep_moment(self, field: Any) -> None:
        image = np.zeros(self.geometry.shape, np.float32)
        self.image(np.ctypeslib.as_array(field.concentration, (field.nodes,)), field.nodes, image)
        self.concentrations[field.point].append(ordered(image, "zyx", self.order))

    def _run(self, index: int) -> Breakthrough:
        run = self.out.runs[index]
        samples = np.ctypeslib.as_array(run.samples, (run.count, c.RILL_BREAKTHROUGH_COLUMNS)).copy()
        name = "pulse" if self.options.release == c.RILL_RELEASE_PULSE else "step"
        time, outlet, mass, position, position_variance = samples.T
        return Breakthrough(run.peclet, name, time, outlet, mass, position, position_variance, run.mean, run.variance, run.recovered, run.dispersion,
                            run.least, run.most, self.concentrations[index])

    def _result(self) -> Dispersion:
        r = self.out
        points = r.points[: r.point_count]
        return Dispersion(
            peclet=np.array([p.peclet for p in points]), tensor=np.array([[row[:] for row in p.d] for p in points]),
            bound=np.array([[row[:] for row in p.bound] for p in points]), cell_peclet=np.array([p.cell_peclet for p in points]),
            axis="xyz"[self.options.axis], array_axes=self.letters, length=r.length, voxel_size=self.geometry.voxel_size, porosity=r.porosity,
            divergence=r.divergence, correction=r.correction, left=r.left, converged=r.converged, iterations=[p.iterations for p in points],
            fields=self.fields, runs=[self._run(k) for k in range(r.point_count)] if r.runs else [], nodes=r.nodes, notes=tuple(dict.fromkeys(self.geometry.notes + notes(r.notes))), _voxels=self.geometry.shape[::-1],
            _slice=self.geometry.voxels[self.geometry.shape[0] // 2].copy(), _provenance=self.provenance)
