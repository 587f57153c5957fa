# SPDX-License-Identifier: Apache-2.0
"""What a permeability will cost, before it is computed."""

from __future__ import annotations

import dataclasses
import inspect
import math
from typing import Any

from . import _interface as c
from ._geometry import Porosity, porosity_of
from ._library import library, notes
from ._permeability import _Call, permeability, variant_name
from ._progress import Watch, one_bar
from ._values import Devices
from .errors import NumericsError


def _bytes(size: int) -> str:
    return f"{size / 2**30:.3g} GiB" if size >= 2**29 else f"{size / 2**20:.3g} MiB"


def _time(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 90 else f"{seconds / 60:.2g} min" if seconds < 5400 else f"{seconds / 3600:.2g} h"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """What `permeability` will do with the same arguments.

    Attributes
    ----------
    refusals : tuple of str
        Why it will be refused: too little memory, or nothing conducts; empty if it will be computed. A plan is true if it will be.
    axes : str
        Axes of the flow, a run along each.
    steps : float
        Time steps along each axis, estimated; NaN where nothing conducts, as all that follows.
    seconds : float
        Wall-clock time of all runs, s, estimated from a measurement of the speed; of several devices with the exchange between them. NaN: unknown.
    mlups : float
        Measured speed of one device, million node updates per second.
    nodes : int
        Fluid nodes that take part.
    k_expected_lu : float
        Permeability, lattice units, estimated to a factor of a few.
    host_bytes, host_free, device_bytes, device_free : int
        Memory needed, and memory that may be used. On the CPU the simulation is in the memory of the host: `device_bytes` is 0.
    tau, viscosity_lu, force_lu, mach, reynolds : float
        Relaxation time, kinematic viscosity and body force, lattice units; expected numbers of the flow.
    network : bool
        The pressures are corrected by a pore network.
    parts : int
        Parts that devices step.
    variant : str
        Name of the kernel.
    porosity : Porosity or None
    notes : tuple of str
        Sentences that change or qualify the result.
    """

    refusals: tuple[str, ...]
    axes: str
    steps: float
    seconds: float
    mlups: float
    nodes: int
    k_expected_lu: float
    host_bytes: int
    host_free: int
    device_bytes: int
    device_free: int
    tau: float
    viscosity_lu: float
    force_lu: float
    mach: float
    reynolds: float
    network: bool
    parts: int
    variant: str
    porosity: Porosity | None
    notes: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.refusals

    def __repr__(self) -> str:
        memory = f"{_bytes(self.host_bytes)} of {_bytes(self.host_free)}"
        if self.device_bytes:
            memory += f", of the device {_bytes(self.device_bytes)} of {_bytes(self.device_free)}"
        known = f"about {float(f'{self.steps:.2g}'):,.0f} steps" + (" for each" if len(self.axes) > 1 else "")
        if math.isfinite(self.seconds):
            known += f", {_time(self.seconds)}"
        if self.refusals:
            return f"<rill.Plan REFUSED: {' '.join(self.refusals)}>"
        return f"<rill.Plan along {self.axes}: {known}; memory {memory}; {self.nodes} fluid nodes, {self.variant}>"


def plan(im: Any, *arguments: Any, **keywords: Any) -> Plan:
    """Plan a permeability: steps, time, memory and refusals. Nothing is computed but the speed of a few steps.

    Parameters
    ----------
    im, *arguments, **keywords
        As for `permeability`; ``error_bar=True`` is not planned.

    Returns
    -------
    Plan

    Raises
    ------
    UsageError
        An argument or a file is wrong.

    Examples
    --------
    >>> import numpy, rill
    >>> im = numpy.ones((18, 4, 4), bool)
    >>> im[[0, -1]] = False
    >>> plan = rill.plan(im, voxel_size="1 um", axis="x", device="cpu")
    >>> bool(plan), plan.nodes, plan.axes, plan.host_bytes < plan.host_free
    (True, 256, 'x', True)
    >>> rill.plan(im, axis="z").refusals[0][:26]
    'nothing percolates along z'
    """
    bound = inspect.signature(permeability).bind(im, *arguments, **keywords)
    bound.apply_defaults()
    values = dict(bound.arguments)
    with one_bar(values["progress"]) as progress:
        call = _Call({**values, "progress": progress, "error_bar": False})
        with Devices(call.devices) as opened, Watch(progress) as watch:
            call.options.progress = watch.c
            return _plan(call.computation(opened), watch)


def _plan(computation: Any, watch: Watch) -> Plan:
    answer, refused = computation.answer, []
    try:
        try:
            watch.check(library.rill_permeability_run(computation.geometry._c, computation.options, computation.request(plan_only=True, forecast=True), answer))
        except NumericsError as error:
            refused.append(str(error))
        p = answer.plan
        for needed, free, where in ((p.resources.host_bytes, p.resources.host_free, "The run"), (p.resources.device_bytes, p.resources.device_free, "The run on the device")):
            if needed > free:
                refused.append(f"{where} needs {_bytes(needed)} of memory, and {_bytes(free)} may be used: crop the image, or give another device.")
        return _of(computation, refused)
    finally:
        library.rill_permeability_answer_free(answer)


def _of(computation: Any, refused: list[str]) -> Plan:
    geometry, o, p, forecast = computation.geometry, computation.answer.options, computation.answer.plan, computation.answer.forecast
    made = p.nodes > 0
    percolating = p.porosity.percolating[:] if made else [1.0] * 3
    wanted = computation.axes()
    return Plan(
        refusals=tuple(refused), axes="".join(a for a, part in zip("xyz", percolating) if a in wanted and part > 0), steps=forecast.steps, seconds=forecast.seconds,
        mlups=forecast.mlups, nodes=p.nodes, k_expected_lu=p.k_expected if made else math.nan, host_bytes=p.resources.host_bytes, host_free=p.resources.host_free,
        device_bytes=p.resources.device_bytes, device_free=p.resources.device_free, tau=p.tau if made else math.nan, viscosity_lu=p.nu if made else math.nan,
        force_lu=p.force if made else math.nan, mach=p.mach if made else math.nan, reynolds=p.reynolds if made else math.nan, network=p.network,
        parts=max(p.resources.parts, 1), variant=variant_name(o.variant, p.storage if made else o.variant.storage), porosity=porosity_of(p.porosity) if made else None,
        notes=tuple(dict.fromkeys(geometry.notes + notes(p.notes))))
