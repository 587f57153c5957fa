# SPDX-License-Identifier: Apache-2.0
"""The permeability of an image or a geometry."""

from __future__ import annotations

import copy
import ctypes
import dataclasses
import math
import os
import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from . import _interface as c, _report
from ._arguments import choice, count, encoded, flag, fraction, path_bytes, path_text, positive
from ._arrays import Array, Order, order_of
from ._geometry import Geometry, Porosity, Source, as_geometry, axis_of, is_path, porosity_of
from ._library import check, library, need, notes, text, warn
from ._pore import Pore, Threshold, pore_of
from ._error_bar import ErrorBar, error_bar_of, form_of
from ._computation import Computation, given, provenance_of
from ._field import Field, ordered, si_quantity
from ._sample import Core, Where, takes_image
from ._progress import Bar, Progress, Watch, logger, one_bar, percent
from ._values import Device, Devices, devices_of, Length, Quantity, Reals, Sides, pointer, quantity
from ._words import spoken
from .errors import NumericsError, RillWarning, SystemFailure, UsageError

Axis = Literal["auto", "x", "y", "z", "xyz", "xy", "xz", "yz"]
Drive = Literal["force", "pressure"]
Acceleration = Literal["auto", "none", "network"]
Start = Literal["auto", "rest"]
AXES: dict[Axis, int] = {"auto": c.RILL_AXIS_AUTO, "x": 0, "y": 1, "z": 2, "xyz": c.RILL_AXES_XYZ, "xy": c.RILL_AXES_XY,
                         "xz": c.RILL_AXES_XZ, "yz": c.RILL_AXES_YZ}
DRIVES: dict[Drive, int] = {"force": c.RILL_DRIVE_FORCE, "pressure": c.RILL_DRIVE_PRESSURE}
ACCELERATIONS: dict[Acceleration, int] = {"auto": c.RILL_ACCELERATION_AUTO, "none": c.RILL_ACCELERATION_NONE, "network": c.RILL_ACCELERATION_NETWORK}
STARTS: dict[Start, int] = {"auto": c.RILL_START_AUTO, "rest": c.RILL_START_REST}
DARCY = c.RILL_DARCY


@dataclasses.dataclass(frozen=True, eq=False)
class Walls:
    """How the permeability along an axis depends on its walls: the first derivative, from the flow itself.

    Attributes
    ----------
    per_voxel : float
        Relative change of k for each voxel that all walls move along their normals, away from the pores.
    voxels : int
        Fluid voxels at walls.
    boxes : list of dict
        Ten boxes of voxels whose walls decide most, where a scan at a higher resolution pays: 'voxel', the one that decides most, 'first' and 'size', each
        (x, y, z), and 'share'.
    threshold, threshold_width : float
        Of the image, grey values; nan without a width.
    threshold_narrow : float
        Part of that interval that walls of pores of one or two voxels decide, where the derivative is good for a factor of about two; nan without a width.
    k_lu : tuple of two floats
        k for the threshold that leaves fewer pores, and for the one that leaves more, lattice units; nan without a width. Noise of the
        image and connections that open or close are not in it, but see `network`.
    network : tuple of two floats
        What the pore network conducts at these two thresholds over what it does at the threshold itself: connections that close or open are in it; nan where it is
        not known.
    """

    per_voxel: float
    voxels: int
    boxes: list[dict[str, Any]]
    threshold: float
    threshold_width: float
    threshold_narrow: float
    k_lu: tuple[float, float]
    network: tuple[float, float]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The run whose flow was driven along one axis.

    Attributes
    ----------
    axis : str
        'x', 'y' or 'z'.
    converged : bool
    reason : str
        Why it did not converge; empty if it did.
    last_lu : float
        Permeability along the axis at the last step, lattice units: no result if the run did not converge.
    steps : int
        Time steps.
    coarse_lu : float
        Permeability along the axis on the grid of voxels twice as large that the run started from, lattice units of this grid; nan
        from rest.
    tortuosity : float
        Hydraulic tortuosity, mean speed over mean velocity along the axis; nan while it is not known to a half.
    tortuosity_uncertainty : float
        Absolute; inf while unknown.
    reynolds, mach : float
    edge_share : float
        Largest share of the flow that links through edges or corners alone carry across a plane of the image: 0 without such links,
        nan if the run did not converge.
    seconds : float
        Wall-clock time of the steps, s.
    mlups : float
        Million node updates per second.
    series : dict of ndarray, each of shape (samples,)
        'step'; 'k', the permeability along the axis, 'predicted', its final value, and 'uncertainty' of that, lattice units;
        'tortuosity', of the reservoirs, too.
    walls : Walls or None
        With ``sensitivity=True`` or a threshold with a width: how k along the axis depends on its walls.
    """

    axis: str
    converged: bool
    reason: str
    last_lu: float
    steps: int
    coarse_lu: float
    tortuosity: float
    tortuosity_uncertainty: float
    reynolds: float
    mach: float
    edge_share: float
    seconds: float
    mlups: float
    series: dict[str, Array]
    walls: Walls | None = None

    def __repr__(self) -> str:
        state = "converged" if self.converged else "NOT CONVERGED"
        return f"<rill.Run along {self.axis}: {state}, {self.steps} steps in {self.seconds:.3g} s, k {self.last_lu:.6g} lu at the last>"

    def to_dataframe(self) -> Any:
        """Return the series as a pandas.DataFrame with the index 'step'. Needs pandas."""
        return need("pandas", "to_dataframe()").DataFrame(self.series).set_index("step")


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Permeability:
    """The permeability of a sample.

    Attributes
    ----------
    tensor_lu : ndarray, shape (3, 3)
        k in lattice units (voxel²): row is the flow, column the force, order x, y, z; NaN where it was not computed, or where its
        uncertainty is not known; 0 in row and column of an axis along which nothing conducts.
    axes : str
        Axes of the permeability, e.g. 'xyz'.
    array_axes : str
        Axes of the array that was given, first to last: 'zyx' for ``im[z, y, x]``. Of a file, in its order: the fastest axis first for
        raw files and TIFF.
    voxel_size : float or None
        m.
    uncertainty : float
        Of the final value, relative: convergence and rounding of the flow on this lattice. `error_bar` has all that is known.
    principal_lu : ndarray, shape (3,)
        Eigenvalues of the symmetric part of the tensor, largest first, lattice units; NaN without a tensor.
    principal_axes : ndarray, shape (3, 3)
        Row i: the direction of ``principal_lu[i]``, a vector x, y, z of length 1.
    reciprocity : float
        Largest ``|k_ab - k_ba|`` over the largest diagonal entry; NaN of one axis.
    porosity : Porosity
    converged : bool
    runs : list of Run
    fields : dict of Field
        By axis; empty unless ``fields=True``.
    error_bar : ErrorBar or None
        None where nothing converged.
    tau, viscosity_lu, force_lu : float
        Relaxation time, kinematic viscosity and body force, lattice units.
    nodes : int
        Fluid nodes that took part.
    backend, device : str
        'cpu' or 'cuda', and the name of the device.
    notes : tuple of str
        Sentences that change or qualify a value; each was also a warning (`RillWarning`).
    """

    tensor_lu: Reals
    axes: str
    array_axes: str
    voxel_size: float | None
    uncertainty: float
    principal_lu: Reals
    principal_axes: Reals
    reciprocity: float
    porosity: Porosity
    converged: bool
    runs: list[Run]
    fields: dict[str, Field]
    error_bar: ErrorBar | None
    tau: float
    viscosity_lu: float
    force_lu: float
    nodes: int
    backend: str
    device: str
    notes: tuple[str, ...]
    _voxels: tuple[int, ...]
    _sample: int
    _fluid: float
    _diameter: float
    _provenance: dict[str, Any]
    _slice: Array

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the result is from: versions, source, the keywords that were given, variant, device and date.

        'voxels_crc32' is that of the voxels, one byte each, z slowest, before pores were dropped: the same image has the same.
        """
        return copy.deepcopy(self._provenance)

    def to_dict(self) -> dict[str, Any]:
        """Return all but fields as numbers, texts, lists and dicts that JSON has; unknown numbers are None."""
        return _report.as_dict(self)

    def to_dataframe(self) -> Any:
        """Return a pandas.DataFrame with a row for each axis of the flow. Needs pandas."""
        return need("pandas", "to_dataframe()").DataFrame(_report.rows(self)).set_index("axis")

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the result: ``.json`` has what `to_dict` returns, ``.csv`` the rows of `to_dataframe`, ``.npz`` the tensor and the fields.

        `open` reads the first two. A file that exists is refused unless ``overwrite=True``.
        """
        _report.save(path, overwrite, self.to_dict(), _report.rows(self), _report.arrays(self))

    def _repr_html_(self) -> str:
        return _report.html(self)

    @property
    def k_lu(self) -> float:
        """Permeability in lattice units: along the axis, or the mean of the diagonal of the tensor."""
        return float(np.mean([self.tensor_lu["xyz".index(a), "xyz".index(a)] for a in self.axes]))

    @property
    def k(self) -> float:
        """Permeability in m²: along the axis, or the mean of the diagonal of the tensor."""
        return self.k_lu * self._square()

    @property
    def k_darcy(self) -> float:
        """The same in darcy."""
        return self.k / DARCY

    @property
    def k_millidarcy(self) -> float:
        """The same in millidarcy."""
        return 1000 * self.k_darcy

    def flow(self, pressure_drop: float | str | Quantity, fluid: str = "water",
             viscosity: float | str | Quantity | None = None,
             density: float | str | Quantity | None = None) -> dict[str, dict[str, float]]:
        """Return the flow of a fluid by Darcy's law: by axis a dict of 'rate' in m3/s, 'darcy_velocity' in m/s and 'reynolds'.

        The Reynolds number is mean pore velocity x hydraulic diameter / kinematic viscosity; above 1 inertia makes the real
        flow smaller, and a `RillWarning` says so.

        Parameters
        ----------
        pressure_drop : float or str
            Over the length of the sample along each axis, Pa or with a unit (``"1 bar"``).
        fluid : {'water', 'brine', 'air'}
            At 20 C, brine of 1 mol of NaCl per kg of water; not used where `viscosity` is given.
        viscosity, density : float or str, optional
            Of another fluid, Pa s and kg/m3 or with a unit. Without a density the Reynolds number is nan.
        """
        made, flows = c.rill_fluid(), {}
        if viscosity is None:
            check(library.rill_fluid_find(fluid.encode(), ctypes.byref(made)))
        else:
            made.viscosity = si_quantity(viscosity, "Pa.s", "viscosity")
        if density is not None:
            made.density = si_quantity(density, "kg/m3", "density")
        drop, dx = si_quantity(pressure_drop, "Pa", "pressure_drop"), math.sqrt(self._square())
        size = [voxels * dx for voxels in self._voxels]
        for axis in self.axes:
            a = "xyz".index(axis)
            velocity = float(self.tensor[a, a]) / made.viscosity * drop / size[a]
            reynolds = velocity / self._fluid * self._diameter * dx * made.density / made.viscosity
            flows[axis] = {"rate": velocity * self._sample * dx ** 3 / size[a], "darcy_velocity": velocity,
                           "reynolds": reynolds if made.density else math.nan}
            if made.density and reynolds > 1:
                warnings.warn(f"The flow along {axis} has a Reynolds number of {reynolds:.2g}, above 1: inertia makes the real "
                              "flow smaller than Darcy's law says.", RillWarning, stacklevel=2)
        return flows

    @property
    def principal(self) -> Reals:
        """Eigenvalues of the symmetric part of the tensor in m², largest first, shape (3,); NaN without a tensor."""
        return self.principal_lu * self._square()

    @property
    def tensor(self) -> Reals:
        """The tensor in m²: row is the flow, column the force, shape (3, 3); NaN where it was not computed."""
        return self.tensor_lu * self._square()

    @property
    def tensor_darcy(self) -> Reals:
        """The tensor in darcy."""
        return self.tensor / DARCY

    def _square(self) -> float:
        if self.voxel_size is None:
            raise UsageError("The voxel size is unknown: give voxel_size=, or use k_lu and tensor_lu.")
        return self.voxel_size * self.voxel_size

    def __repr__(self) -> str:
        known = self.voxel_size is not None
        value = f"{self.k_lu:.6g} lu"
        if known:
            small = abs(self.k_darcy) < 0.1
            value = f"{self.k:.6g} m2 = " + (f"{self.k_millidarcy:.6g} millidarcy" if small else f"{self.k_darcy:.6g} darcy")
        state = percent(self.uncertainty) if self.converged else "NOT CONVERGED"
        letters = sorted(self.array_axes)
        numbers = ", ".join(str(self.array_axes.index(a)) for a in letters)
        return (f"<rill.Permeability along {self.axes}: {value} {state}, porosity {self.porosity.total:.4f}; "
                f"{', '.join(letters)} are axes {numbers} of the image>")


@takes_image
def permeability(
    im: Source | Geometry,
    voxel_size: Length | None = None,
    axis: Axis | int = "auto",
    *,
    pore: Pore = None,
    threshold: Threshold = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides | None = None,
    drive: Drive = "force",
    reservoir: int = 16,
    tolerance: float | str | Quantity = 1e-3,
    max_steps: int = 1_000_000,
    variant: str | None = None,
    tau: float | None = None,
    force: float | None = None,
    acceleration: Acceleration = "auto",
    start: Start = "auto",
    error_bar: bool | str = False,
    sample: int = 0,
    sensitivity: bool = False,
    fields: bool = False,
    allow_outside: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    device: str = "auto",
    devices: Sequence[str] | None = None,
    progress: Progress = None,
) -> Permeability:
    """Compute the permeability of a sample.

    Parameters
    ----------
    im : array_like, path or Geometry
        The image, shape (nz, ny, nx), or (ny, nx) of one slice: bool with True = pore, or numbers with `pore`. A path: an image or a `*.geom.h5` file.
        The library reads the array where it is and makes one byte for each voxel.
    voxel_size : float or str, optional
        Edge of a voxel, with its unit (``"5.7 um"``) or in m; a number above 1 mm or below 1 nm is refused. Without it results are in lattice units alone.
    axis : {'auto', 'x', 'y', 'z', 'xyz', 'xy', 'xz', 'yz'} or int
        Axis of the flow, or several: the tensor of these axes, by a run along each. 'auto', as `rill permeability` without --axis:
        'z', and of one slice an axis of its plane. 'xyz' is the full tensor, of one slice 'xy'. A flow through a slice, along its axis of one voxel, is
        computed only if that axis is named alone.
        Letters are axes of the box, small or capital; a number counts the axes of the array: 0 is z of ``im[z, y, x]``.
    {image}
    threshold : number, tuple of two numbers or str, optional
        In place of `pore`: grey values below it are pore. ``(112, 4)``, ``"112+-4"``: it is uncertain by 4, and `Run.walls` has k for 108 and 116, from
        the flow at 112; ``">112+-4"``: values above it are pore.
    sides : str or sequence of three str, optional
        Domain boundaries normal to x, y, z: 'periodic' (default), 'mirror' (for images of rocks) or 'wall'.
    drive : {'force', 'pressure'}
        A body force, or a pressure drop between two reservoirs of `reservoir` voxels along one axis.
    tolerance : float or str
        Relative uncertainty to stop at: 0.001, or ``"0.1 %"``.
    max_steps : int
        Time steps along each axis, at most.
    variant : str, optional
        Name of the kernel, see `variants`; default: ``d3q19-trt-stokes-aa-list-fp32``.
    tau, force : float, optional
        Relaxation time and body force, lattice units; default: chosen.
    acceleration : {'auto', 'none', 'network'}
        Pressure correction by a pore network: if it is applicable and faster, never, or always.
    start : {'auto', 'rest'}
        What a run starts from: in wide pores the flow on grids of larger voxels, or fluid at rest.
    error_bar : bool or 'fine'
        Make further runs for the shape that the voxels sample and the domain boundaries; 'fine': with split voxels and in fp64, too.
    sample : int
        Edge in voxels of mirrored blocks, at least 8, that are computed after the run: the row 'sample' of the error bar, how far k of the image may be
        from that of its material. 0: none.
    sensitivity : bool
        Find how k depends on its walls (`Run.walls`), without a further run: k for walls that move, and the voxels that decide most. Needs a
        body force and a variant of fp32 or fp64; a `threshold` with a width does it, too.
    fields : bool
        Keep velocity and pressure of each run: 16 bytes a voxel and axis; with `sensitivity` the sensitivity to walls, too.
    checkpoint : path, optional
        File that control-C, or a progress function that returns False, leaves after one step or more.
    resume : bool
        Go on from `checkpoint` with the same image and keywords, to the same bits.
    device : str
        'auto', 'cpu', 'cuda' or 'cuda:1'.
    devices : sequence of str, optional
        Devices that step a part of the nodes each: ``["cuda:0", "cuda:1"]``; ``["cpu", "cpu"]`` makes two parts on the CPU.
    progress : optional
        See `Progress`.

    Returns
    -------
    Permeability

    Raises
    ------
    UsageError, NumericsError, SystemFailure, Cancelled
        With the sentence of the C library. A run that did not converge is a NumericsError; its `result` has the last values.
    KeyboardInterrupt
        After control-C. The library has freed what it allocated.

    Notes
    -----
    Other threads of Python run while the library computes.

    Examples
    --------
    The gap between two plates 16 voxels apart has k = (16² + 0.5)/12 · 16/18 voxel²; the mean is over the solid layers, too.

    >>> import numpy, rill
    >>> im = numpy.ones((18, 4, 4), bool)              # im[z, y, x]; order="xyz" for im[x, y, z], as PoreSpy has it
    >>> im[[0, -1]] = False
    >>> result = rill.permeability(im, voxel_size="1 um", axis="x", device="cpu")
    >>> round(result.k_lu * 18 / 16 * 12, 1)
    256.5
    >>> f"{result.k:.3e} m2"
    '1.900e-11 m2'
    """
    given = dict(locals())
    with one_bar(progress) as shown_by:
        return _Call({**given, "progress": shown_by}).compute(form_of(error_bar), count(sample, "sample"))


class _Call:
    """A call of `permeability` or `plan`: its image, read, and its options."""

    def __init__(self, a: dict[str, Any]) -> None:
        self.options = o = _options(a["drive"], a["reservoir"], a["tolerance"], a["max_steps"], a["variant"], a["tau"], a["force"],
                                    a["acceleration"], a["start"])
        self.fields, self.progress = flag(a["fields"], "fields"), a["progress"]
        if isinstance(self.progress, Bar):
            self.progress.flows = 3
        self.devices = devices_of(a["device"], a["devices"])
        set_checkpoint(o, a["checkpoint"], flag(a["resume"], "resume"), bool(form_of(a["error_bar"]) or count(a.get("sample", 0), "sample")), self.fields)
        im, order = a["im"], a["order"]
        pore = pore_of(a["pore"], a.get("threshold"))
        o.sensitivity = flag(a.get("sensitivity", False), "sensitivity") or getattr(pore, "width", 0) > 0
        where = Where(a["outside"], a["mask"], a["mask_inside"], a["core"], a["allow_outside"])
        self.geometry, self.letters = as_geometry(im, a["voxel_size"], pore, order, a["sides"], a["progress"], where)
        o.axis = axis_of(a["axis"], self.letters, AXES)
        if isinstance(self.progress, Bar):
            self.progress.flows = next(len(n) for n, number in AXES.items() if number == o.axis) if o.axis != c.RILL_AXIS_AUTO else 1
        field_axes = order_of(order) if is_path(im) or isinstance(im, Geometry) else self.letters
        self.order = field_axes if self.fields else ""
        self.provenance = provenance_of(self.geometry, keywords=given(permeability, a))

    def computation(self, opened: Any) -> _Computation:
        """Return the computation on devices that are open."""
        o = self.options
        o.on.device, o.on.backend = opened[0].c, opened[0].kind
        if len(opened) > 1:
            self.array = (type(opened[0].c) * len(opened))(*(d.c for d in opened))
            o.on.list, o.on.count = self.array, len(opened)
        return _Computation(self.geometry, o, self.letters, self.order, self.provenance)

    def compute(self, error_bar: int, sample: int) -> Permeability:
        """Compute, and log what is found."""
        with Devices(self.devices) as opened, Watch(self.progress) as watch:
            self.options.progress = watch.c
            result = self.computation(opened).run(watch, error_bar, sample)
        logger.info("%r", result)
        return result


def set_checkpoint(o: Any, checkpoint: Any, resume: bool, error_bar: bool, fields: bool) -> None:
    """Set the checkpoint of the options."""
    if checkpoint is None:
        if resume:
            raise UsageError("resume=True needs the file to go on from: give checkpoint=.")
        return
    if error_bar:
        raise UsageError("checkpoint= does not go with error_bar=True or sample=, which make further runs: leave one of them out.")
    if fields and resume:
        raise UsageError("fields=True does not go with resume=True: the fields of runs that ended before the checkpoint are gone. Leave one of them out.")
    o.checkpoint, o.resume = path_bytes(checkpoint, "checkpoint"), resume
    if resume and not os.path.exists(path_text(checkpoint)):
        raise UsageError(f"{path_text(checkpoint)} does not exist: there is no checkpoint to go on from. Leave resume=True out.")


def _options(drive: str, reservoir: int, tolerance: Any, max_steps: int, variant: str | None, tau: float | None,
             force: float | None, acceleration: str, start: str = "auto") -> Any:
    """Return the options, but for the axis, which may be counted as in the image."""
    o = library.rill_permeability_options_default()
    o.drive = choice(drive, DRIVES, "drive")
    o.reservoir, o.max_steps = count(reservoir, "reservoir"), count(max_steps, "max_steps", 2**63)
    o.acceleration, o.start = choice(acceleration, ACCELERATIONS, "acceleration"), choice(start, STARTS, "start")
    o.tolerance = fraction(tolerance, "tolerance")
    if variant is not None:
        check(library.rill_variant_find(encoded(variant, "variant"), ctypes.byref(o.variant)))
        o.keep_storage = True
    for name, value in (("tau", tau), ("force", force)):
        if value is not None:
            setattr(o, name, positive(value, name))
    return o


class _Computation(Computation):
    def __init__(self, geometry: Geometry, options: Any, letters: str, order: str, provenance: dict[str, Any]) -> None:
        super().__init__(geometry, options, letters, order, provenance)
        self.answer = c.rill_permeability_answer()
        self.plan, self.out = self.answer.plan, self.answer.result
        self.fields: dict[str, Field] = {}
        if order:
            self.let_call("finished", lambda _context, run, *moments: self.called(lambda: self._keep(run.contents, *moments)))
            if options.sensitivity:
                self.let_call("finished_pieces", lambda _context, run, moments: self.called(lambda: self._keep_walls(run.contents, moments.contents)))

    def axes(self) -> str:
        """Return the axes that the options request, in this geometry."""
        requested = next((name for name, number in AXES.items() if number == self.options.axis and name != "auto"), "")
        if requested:
            return requested
        return "x" if [n == 1 for n in self.geometry.shape] == [True, False, False] else "z"

    def request(self, **more: Any) -> Any:
        """Return what is wanted beside the permeability: a variant that was named is kept."""
        return c.rill_permeability_request(keep_stream=self.options.keep_storage, keep_addressing=self.options.keep_storage, **more)

    def run(self, watch: Watch, error_bar: int, sample: int) -> Permeability:
        known: list[str] = []

        def planned(_context: Any, _answer: Any) -> int:
            return self.called(lambda: self._planned(known))

        request = self.request(error_bar=error_bar, sample_edge=sample)
        request.planned = dict(type(request)._fields_)["planned"](planned)
        try:
            status = library.rill_permeability_run(self.geometry._c, self.options, request, self.answer)
            if self.answer.computed:
                warn(note for note in notes(self.out.notes) if note not in known)
            self.ended(watch, status, lambda: self._result() if self.out.run_count else None)
            return self._result()
        finally:
            library.rill_permeability_answer_free(self.answer)

    def _planned(self, known: list[str]) -> None:
        known += self.geometry.notes + notes(self.plan.notes)
        warn(dict.fromkeys(known))
        logger.info("permeability of %r: %d nodes, k about %.3g lu, tau %.4g", self.geometry, self.plan.nodes, self.plan.k_expected, self.plan.tau)

    def _keep_walls(self, run: Any, moments: Any) -> None:
        axis = "xyz"[run.axis]
        if not moments.read_walls:
            return
        decides, image = np.empty(moments.nodes, np.float32), np.empty(self.geometry.shape, np.float32)
        check(moments.read_walls(moments.walls, 0, moments.nodes, pointer(decides, ctypes.c_float)))
        check(library.rill_geom_image(self.geometry._c, pointer(decides, ctypes.c_float), moments.nodes, 0.0, pointer(image, ctypes.c_float)))
        self.fields[axis] = dataclasses.replace(self.fields[axis], wall_sensitivity=ordered(image, "zyx", self.order))

    def _keep(self, run: Any, nodes: int, rho: Any, u: Any) -> None:
        velocity, pressure = np.empty((3, *self.geometry.shape), np.float32), np.empty(self.geometry.shape, np.float32)
        values = [(rho, pressure)] + [(_shifted(u, a * nodes), velocity[a]) for a in range(3)]
        for source, image in values:
            check(library.rill_geom_image(self.geometry._c, source, nodes, 0.0, pointer(image, ctypes.c_float)))
        pressure /= np.float32(3)
        axis, order = "xyz"[run.axis], self.order
        self.fields[axis] = Field(axis, order, ordered(velocity, "zyx", order), ordered(pressure, "zyx", order), self.geometry,
                                  self.plan.force, self.plan.nu)

    def _bar(self) -> ErrorBar | None:
        """Return what the runs, and further ones, say of their error."""
        bar = self.answer.error_bar
        return error_bar_of(bar) if np.isfinite(bar.k[:]).any() else None

    def _result(self) -> Permeability:
        r, plan = self.out, self.plan
        runs = [_run(run) for run in r.runs[: r.run_count]]
        driven, closed = [run.axis for run in runs], [a for k, a in enumerate("xyz") if r.k[k][k] == 0]
        return Permeability(
            tensor_lu=np.array([row[:] for row in r.k]), axes="".join(sorted({*driven, *closed})),
            array_axes=self.letters, voxel_size=self.geometry.voxel_size, uncertainty=r.uncertainty,
            principal_lu=np.array(r.principal[:]), principal_axes=np.array([row[:] for row in r.principal_axes]),
            reciprocity=r.reciprocity,
            porosity=porosity_of(plan.porosity), converged=r.converged, runs=runs, fields=self.fields, error_bar=self._bar(),
            tau=plan.tau, viscosity_lu=plan.nu, force_lu=plan.force, nodes=plan.nodes, backend=text(r.backend),
            device=text(r.device), notes=tuple(dict.fromkeys(self.geometry.notes + notes(r.notes))),
            _voxels=self.geometry.shape[::-1], _sample=library.rill_geom_sample(self.geometry._c),
            _fluid=plan.pores.porosity, _diameter=4 * plan.pores.porosity / plan.pores.surface, _slice=self.geometry.voxels[self.geometry.shape[0] // 2].copy(),
            _provenance={**self.provenance, "variant": variant_name(self.answer.options.variant, plan.storage), "backend": text(r.backend), "device": text(r.device),
                         "axes": self.letters, "sides": list(self.geometry.sides)})


def variant_name(variant: Any, storage: int) -> str:
    """Return the name of a variant in the number format that a plan chose."""
    named, name = type(variant).from_buffer_copy(variant), ctypes.create_string_buffer(96)
    named.storage = storage
    library.rill_variant_name(named, name, 96)
    return text(name.value)


def _shifted(pointer_: Any, elements: int) -> Any:
    address = ctypes.addressof(pointer_.contents) + elements * ctypes.sizeof(ctypes.c_float)
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_float))


def _walls(walls: Any) -> Walls | None:
    if not walls.known:
        return None
    boxes = [{"voxel": tuple(box.voxel[:]), "first": tuple(box.first[:]), "size": tuple(box.n[:]), "share": box.share}
             for box in walls.boxes[: walls.box_count]]
    return Walls(walls.per_voxel, walls.voxels, boxes, walls.threshold, walls.threshold_width, walls.threshold_narrow, (walls.k_narrow, walls.k_wide),
                 (walls.threshold_network[0], walls.threshold_network[1]))


def _run(run: Any) -> Run:
    samples = run.samples[: run.sample_count]
    series = {
        "step": np.array([s.step for s in samples], np.uint64),
        "k": np.array([s.k[run.axis] for s in samples]),
        "predicted": np.array([s.predicted for s in samples]),
        "uncertainty": np.array([s.uncertainty for s in samples]),
        "tortuosity": np.array([s.tortuosity for s in samples]),
    }
    return Run("xyz"[run.axis], run.converged, spoken(text(run.reason)), run.last[run.axis], run.steps, run.coarse,
               run.tortuosity, run.tortuosity_uncertainty, run.reynolds, run.mach, run.edge_share, run.seconds, run.mlups, series, _walls(run.walls))
