# SPDX-License-Identifier: Apache-2.0
"""A run of a vessel: from a case to flow, pressure and wall shear."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import os
import pathlib
from collections.abc import Mapping
from typing import Any, Literal, Union

import numpy as np

from . import _grids, _interface as c
from ._geometry import Geometry, labelled, read
from ._arguments import choice, encoded, flag, path_bytes, path_text, plain, real, shown
from ._library import check, library, need, text, warn
from ._progress import Progress, Watch, one_bar
from ._values import Device, Floats, pointer
from ._words import spoken
from .errors import Error, NumericsError, UsageError

Fields = Literal["none", "image", "sparse"]
FIELDS: dict[Fields, int] = {"none": c.RILL_FIELDS_NONE, "image": c.RILL_FIELDS_IMAGE, "sparse": c.RILL_FIELDS_SPARSE}
ENDS = {c.RILL_RUN_REPEATS: "repeats", c.RILL_RUN_LIMIT: "limit", c.RILL_RUN_CANCELLED: "cancelled",
        c.RILL_RUN_DIVERGED: "diverged"}
#: A case: the path of a file, its text (YAML, with at least one line break), or a dict with the same keys.
Case = Union[str, os.PathLike[str], Mapping[str, Any]]


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class VesselRun:
    """What came of the run of a vessel, SI units.

    Attributes
    ----------
    end : str
        'repeats': the last two cycles are the same within the tolerance; 'limit': all cycles or steps were made;
        'diverged'.
    converged : bool
    cycles, steps : int
    time : float
        Physical time, s, from the beginning of the first cycle.
    change : float
        Largest relative change from the last cycle but one to the last; NaN: unknown.
    flow : dict of float
        By opening, mean over the last cycle, m³/s, into the vessel counted positive.
    pressure, pressure_low, pressure_high : dict of float
        By opening, over the last cycle, Pa.
    shear_mean, shear_max, osi_mean : float
        Of TAWSS over the surface, Pa, and of the oscillatory shear index; NaN without wall shear.
    drops : dict of dict
        By name of `output.drops` of the case, with the keys of `rill run --json`: 'from' and 'to' are names, 'from_pa', 'to_pa', 'drop_pa',
        'drop_low_pa' and 'drop_high_pa' pressures over the last cycle, 'ratio' the ratio of the pressures (in hyperaemia FFR).
    helicity : dict of float or None
        'h1_m_per_s2', 'h2_m_per_s2', 'h3' and 'h4' as docs/vessels.md defines them, with the keys of `rill run --json`; None unless the case requests it.
    transport : dict or None
        What the flow carries: 'concentration' and 'residence_time_s' by outlet, of what leaves through it, mean over the last cycle (NaN: none
        leaves, or none is carried), 'concentration_mean' and 'residence_time_mean_s' over the volume at the end, 'diffusivity_m2_per_s',
        'cell_peclet'; None unless the case requests it.
    error_bar : VesselErrorBar or None
        Of three grids, if `run` was asked for it.
    mach_max, balance, seconds, mlups : float
    remarks : list of str
        Remarks of the plan.
    geometry : Geometry
    directory : pathlib.Path or None
        Where the results are: see `open`.
    """

    end: str
    converged: bool
    cycles: int
    steps: int
    time: float
    change: float
    flow: dict[str, float]
    pressure: dict[str, float]
    pressure_low: dict[str, float]
    pressure_high: dict[str, float]
    shear_mean: float
    shear_max: float
    osi_mean: float
    drops: dict[str, dict[str, Any]]
    helicity: dict[str, float] | None
    transport: dict[str, Any] | None
    mach_max: float
    balance: float
    seconds: float
    mlups: float
    remarks: list[str]
    geometry: Geometry
    directory: pathlib.Path | None
    _vessel: _Vessel
    error_bar: _grids.VesselErrorBar | None = None

    def __copy__(self) -> VesselRun:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        raise UsageError("A VesselRun holds the simulation itself, and cannot be copied or pickled: give the run a directory and pickle its "
                         "path, for rill.open; or take wall_shear() and fields(), which are arrays.")

    def __repr__(self) -> str:
        flows = ", ".join(f"{name} {1e6 * q:.4g} mL/s" for name, q in self.flow.items())
        return f"<rill.VesselRun: {self.end} after {self.time:.4g} s; {flows}>"

    def wall_shear(self) -> tuple[Floats, Floats]:
        """Return TAWSS, Pa, and OSI of the last cycle, each of shape (triangles,); NaN where there is no wall."""
        count = self.geometry._g.surface.contents.triangle_count
        tawss, osi = np.empty(count, np.float32), np.empty(count, np.float32)
        check(library.rill_vessel_wall_shear(self._vessel.vessel, pointer(tawss, ctypes.c_float), pointer(osi, ctypes.c_float)))
        return tawss, osi

    def fields(self) -> tuple[Floats, Floats]:
        """Return velocity, m/s, shape (3, nz, ny, nx), and pressure, Pa, shape (nz, ny, nx), at the end; 0 in the solid."""
        velocity, pressure = np.empty((3, *self.geometry.shape), np.float32), np.empty(self.geometry.shape, np.float32)
        check(library.rill_vessel_fields(self._vessel.vessel, pointer(pressure, ctypes.c_float),
                                         pointer(velocity, ctypes.c_float)))
        return velocity, pressure

    def to_xarray(self) -> Any:
        """Return an xarray.Dataset of the end of the run. Needs xarray.

        'velocity' (component, z, y, x), m/s, and 'pressure' (z, y, x), Pa, 0 in the solid, with coordinates in metres.
        """
        xarray = need("xarray", "to_xarray()")
        velocity, pressure = self.fields()
        return xarray.Dataset({"velocity": labelled(xarray, self.geometry, velocity, "velocity", "m/s"),
                               "pressure": labelled(xarray, self.geometry, pressure, "pressure", "Pa")}, attrs={"time": self.time})

    def to_pyvista(self) -> Any:
        """Return the surface as a pyvista.PolyData with the cell data TAWSS and OSI. Needs pyvista."""
        surface = self.geometry.surface
        assert surface is not None  # a vessel has one
        mesh = need("pyvista", "to_pyvista()").PolyData.from_regular_faces(surface[0], surface[1].astype(np.int64))
        mesh.cell_data["TAWSS"], mesh.cell_data["OSI"] = self.wall_shear()
        return mesh


def _yaml(value: Any) -> Any:
    """Return a value of a case that JSON does not know: a path, a number of NumPy, a quantity of pint."""
    if isinstance(value, os.PathLike):
        return path_text(value)
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "magnitude") and hasattr(value, "to_base_units"):
        base = value.to_base_units()
        return f"{float(base.magnitude)!r} {base.units:C}".replace("**", "^").replace("dimensionless", "1")
    raise TypeError(f"{shown(value)} is neither a text, a number, a list nor a mapping")


class _Vessel:
    """What a run of the library needs, freed in the order that it requires."""

    def __init__(self, case: Case, geometry: Geometry | None, allow_outside: bool, allow_program: bool) -> None:
        self.case, self.vessel = ctypes.POINTER(c.rill_case)(), ctypes.POINTER(c.rill_vessel)()
        self.plan, self.result = c.rill_case_plan(), c.rill_run_result()
        self.device: Device | None = None
        self.process = os.getpid()
        self._read(case, geometry, allow_outside)
        if allow_program:
            library.rill_case_allow_program(self.case)
        self.geometry = geometry or read(os.fsdecode(library.rill_case_geometry(self.case)))

    def _read(self, case: Case, geometry: Geometry | None, allow_outside: bool) -> None:
        given, where, outside = case, "case", allow_outside
        if isinstance(given, Mapping):
            keys, outside = dict(given), True  # names that this program gives itself
            if geometry is not None:
                keys.setdefault("geometry", "memory.geom.h5")
            try:
                given = json.dumps(keys, ensure_ascii=False, default=_yaml) + "\n"
            except (TypeError, ValueError, RecursionError) as error:
                raise UsageError(f"The case cannot be written as YAML: {error}.") from None
        if isinstance(given, str) and "\n" in given:
            read_text = library.rill_case_read_outside if outside else library.rill_case_read_text
            check(read_text(encoded(given, "case"), where.encode(), ctypes.byref(self.case)))
        elif outside:
            check(library.rill_case_read_outside(None, path_bytes(given, "case"), ctypes.byref(self.case)))
        else:
            check(library.rill_case_read(path_bytes(given, "case"), ctypes.byref(self.case)))

    def prepare(self, device: str, resume: bool, directory: pathlib.Path | None, progress: Progress) -> None:
        """Plan the case for a device."""
        with Watch(progress) as watch:
            self._plan(device, resume, directory, watch)

    def create(self, progress: Progress) -> None:
        """Set up the simulation that was planned."""
        with Watch(progress) as watch:
            self.plan.progress = watch.c
            watch.check(library.rill_vessel_create(self.case, self.geometry._c, self.plan, ctypes.byref(self.vessel)))
            self.plan.progress = c.rill_progress()

    def _plan(self, device: str, resume: bool, directory: pathlib.Path | None, watch: Watch) -> None:
        self.device = Device(device).__enter__()
        options = c.rill_case_plan_options(on=c.rill_devices(device=self.device.c, backend=self.device.kind), progress=watch.c)
        if resume and directory is not None:
            options.resume = path_bytes(directory)
        if library.rill_case_closes(self.case):
            self.geometry = self.geometry.copy()  # an opening that becomes a wall stays one in the caller's
            check(library.rill_case_close(self.case, self.geometry._c))
        watch.check(library.rill_case_plan_make(self.case, self.geometry._c, options, self.plan))
        check(library.rill_case_plan_accept(self.plan))
        self.plan.progress = c.rill_progress()

    def __del__(self) -> None:
        if getattr(self, "process", None) != os.getpid():  # after a fork its device is not there
            return
        library.rill_vessel_destroy(getattr(self, "vessel", None))
        if hasattr(self, "plan"):
            library.rill_case_plan_free(self.plan)
        if getattr(self, "device", None) is not None:
            self.device.__exit__()  # type: ignore[union-attr]
        library.rill_case_destroy(getattr(self, "case", None))


def run(
    case: Case,
    directory: str | os.PathLike[str] | None = None,
    *,
    geometry: Geometry | None = None,
    fields: Fields = "none",
    resume: bool = False,
    checkpoint_every: float = 0.0,
    allow_outside: bool = False,
    allow_program: bool = False,
    error_bar: bool = False,
    device: str = "auto",
    progress: Progress = None,
) -> VesselRun:
    """Run a vessel until its cycles repeat, or until a steady flow is steady.

    Parameters
    ----------
    case : path, str or dict
        A case: the path of a file, its text, or a dict with the keys of a case file, every quantity as a text with its unit.
        Paths in a text or a dict are relative to the working directory.
    directory : path, optional
        Where the results go; it is made if it does not exist. Default: no file is written.
    geometry : Geometry, optional
        The vessel; default: the file that the case names.
    fields : {'none', 'image', 'sparse'}
        How velocity, pressure and shear rate are written where the case requests them.
    resume : bool
        Go on from the checkpoint in the directory.
    checkpoint_every : float
        s of wall clock; 0: a checkpoint only when the run is cancelled.
    allow_outside : bool
        Read a geometry and waveforms outside the directory of a case file, or outside the working directory for a text, too. Names in a
        dict are the program's own and always permitted.
    allow_program : bool
        Run the program that the case names for outlets of kind model, with the rights of this process; always needed for such a case.
    error_bar : bool
        Run the case on two coarser grids, too, before this one, and extrapolate wall shear, pressures and flows with an uncertainty:
        `VesselRun.error_bar`; with a directory it is written to error-bar.vtkhdf. The surface is voxelized again, so the geometry must be one
        that `voxelize` made of a surface, or the file of one beside its surface (with `allow_outside` where its command names it).
    device : str
        'auto', 'cpu', 'cuda' or 'cuda:1'.
    progress : optional
        See `Progress`.

    Returns
    -------
    VesselRun

    Raises
    ------
    UsageError
        The case is refused, with file, line and remedy.
    NumericsError
        The flow diverged, with position and time; its `result` has what was computed before.
    KeyboardInterrupt
        After control-C; with a directory, a checkpoint was written.

    Warns
    -----
    RillWarning
        Each remark of the plan.
    """
    kind = choice(fields, FIELDS, "fields")
    every = real(plain(checkpoint_every, "s", "checkpoint_every"), "checkpoint_every", "time in s, 0 or more")
    if not (math.isfinite(every) and every >= 0):
        raise UsageError(f"checkpoint_every = {shown(checkpoint_every)} is no time in s, 0 or more.")
    if geometry is not None and not isinstance(geometry, Geometry):
        raise UsageError(f"geometry = {shown(geometry)} is no Geometry: voxelize makes one.")
    vessel = _Vessel(case, geometry, flag(allow_outside, "allow_outside"), flag(allow_program, "allow_program"))
    where = pathlib.Path(path_text(directory, "directory")) if directory is not None else None
    if flag(resume, "resume") and where is None:
        raise UsageError("resume=True needs the directory that has the checkpoint.")
    bar = flag(error_bar, "error_bar")
    if bar and resume:
        raise UsageError("error_bar=True runs all grids from the beginning: leave resume=True out.")
    if bar:
        library.rill_grids_begin(vessel.case, vessel.geometry._c)
    with one_bar(progress) as progress:
        vessel.prepare(device, resume, where, progress)
        coarser = [_coarser(vessel, k, case, allow_outside, allow_program, device, progress) for k in range(c.RILL_GRIDS - 1)] if bar else []
        vessel.create(progress)
        result = _steps(vessel, where, kind, resume, every, progress)
    return _with_error_bar(result, vessel, coarser) if bar else result


def _coarser(fine: _Vessel, k: int, case: Case, allow_outside: bool, allow_program: bool, device: str,
             progress: Progress) -> tuple[Any, Floats | None]:
    """Run coarser grid k, and return its rill_run_result and TAWSS."""
    spacing = _grids.spacings(fine.geometry._g.spacing)[k]
    vessel = _Vessel(case, fine.geometry.coarser(spacing, allow_outside, progress), allow_outside, allow_program)
    library.rill_grids_fix(vessel.case, fine.plan, k)
    try:
        vessel.prepare(device, False, None, progress)
        vessel.create(progress)
        _steps(vessel, None, c.RILL_FIELDS_NONE, False, 0.0, progress, remarked=False)
    except Error as error:
        error.args = (f"Grid {k + 1} of {c.RILL_GRIDS} of the error bar, voxels of {1e3 * spacing:.4g} mm: {error}",)
        raise
    return vessel.result, _grids.tawss_of(vessel.vessel, vessel.geometry)


def _with_error_bar(result: VesselRun, vessel: _Vessel, coarser: list[tuple[Any, Floats | None]]) -> VesselRun:
    results = (c.rill_run_result * c.RILL_GRIDS)(*(r for r, _ in coarser), vessel.result)
    tawss = [t for _, t in coarser] + [_grids.tawss_of(vessel.vessel, vessel.geometry)]
    bar = _grids.extrapolate(vessel.vessel, vessel.geometry._g.spacing, results, tawss)
    if result.directory is not None:
        _grids.write(bar, vessel.geometry, vessel.result, path_bytes(result.directory / "error-bar.vtkhdf"))
    return dataclasses.replace(result, error_bar=bar)


def _steps(vessel: _Vessel, where: pathlib.Path | None, kind: int, resume: bool, checkpoint_every: float,
           progress: Progress, remarked: bool = True) -> VesselRun:
    remarks = [spoken(text(v.text)) for v in vessel.plan.verdicts[: vessel.plan.verdict_count]]
    if remarked:
        warn(remarks)
    options = c.rill_run_options(fields=kind, resume=resume, checkpoint_every=checkpoint_every)
    if where is not None:
        try:
            where.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The directory {where} cannot be made: {error.strerror}.") from None
        options.directory = path_bytes(where)
    with Watch(progress) as watch:
        options.progress = watch.c
        try:
            watch.check(library.rill_case_run(vessel.vessel, options, vessel.result))
        except NumericsError as error:
            error.result = _result(vessel, remarks, where)
            raise
    return _result(vessel, remarks, where)


def _result(vessel: _Vessel, remarks: list[str], where: pathlib.Path | None) -> VesselRun:
    r = vessel.result
    names = [opening.name for opening in vessel.geometry.openings]

    def by_name(values: Any) -> dict[str, float]:
        return {name: float(values[k]) for k, name in enumerate(names)}

    drops = {text(d.name): {"from": text(d.from_name), "to": text(d.to_name), "from_pa": getattr(d, "from"), "to_pa": d.to,
                            "drop_pa": getattr(d, "from") - d.to, "drop_low_pa": d.low, "drop_high_pa": d.high, "ratio": d.ratio}
             for d in r.drops[: r.drop_count]}  # from is a keyword
    h1, h2 = r.helicity.mean, r.helicity.size
    helicity = None if math.isnan(h1) else {"h1_m_per_s2": h1, "h2_m_per_s2": h2, "h3": h1 / h2 if h2 else math.nan,
                                            "h4": abs(h1) / h2 if h2 else math.nan}
    p = vessel.plan
    transport = None if p.transport.scalars == 0 else {
        "concentration": by_name(r.transport.concentration), "residence_time_s": by_name(r.transport.residence), "concentration_mean": r.transport.concentration_mean,
        "residence_time_mean_s": r.transport.residence_mean, "diffusivity_m2_per_s": p.transport.diffusivity, "cell_peclet": p.transport.cell_peclet}
    return VesselRun(
        end=ENDS[r.end], converged=r.end == c.RILL_RUN_REPEATS, cycles=r.cycles, steps=r.steps, time=r.time, change=r.changes.most,
        flow=by_name(r.flow), pressure=by_name(r.pressure), pressure_low=by_name(r.pressure_low),
        pressure_high=by_name(r.pressure_high), shear_mean=r.shear.mean, shear_max=r.shear.max, osi_mean=r.shear.osi_mean, drops=drops, helicity=helicity, transport=transport,
        mach_max=r.mach_max, balance=r.balance, seconds=r.seconds, mlups=r.mlups, remarks=remarks,
        geometry=vessel.geometry, directory=where, _vessel=vessel)
