# SPDX-License-Identifier: Apache-2.0
"""Velocity and pressure of a flow, as arrays, for xarray and for pyvista."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ._arguments import count, plain, positive
from ._arrays import Array
from ._geometry import Geometry, labelled
from ._library import need
from ._values import Floats, Quantity, quantity
from .errors import UsageError


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Field:
    """Velocity and pressure of the run along one axis, lattice units, 0 in the solid.

    Attributes
    ----------
    axis : str
        Axis of the force.
    array_axes : str
        Axes of the arrays, those of the array that was given: 'zyx' for ``pressure[z, y, x]``.
    velocity : ndarray of float32, shape (3, *image.shape)
        Components along x, y, z, each in the order of the image that was given.
    pressure : ndarray of float32, shape image.shape
        Above the reference. A force drives the flow: the pressure is its periodic part.
    wall_sensitivity : ndarray of float32, shape image.shape, or None
        With ``sensitivity=True``: relative change of k for each voxel that the walls of this voxel move; 0 without walls.
    """

    axis: str
    array_axes: str
    velocity: Floats
    pressure: Floats
    _geometry: Geometry
    _force: float
    _nu: float
    wall_sensitivity: Floats | None = None

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.pressure.shape))
        return f"<rill.Field of the flow along {self.axis}: velocity and pressure of {shape} voxels along {', '.join(self.array_axes)}, lattice units>"

    def si(self, viscosity: float | str | Quantity = 1e-3, gradient: float | str | Quantity = 1.0) -> tuple[Floats, Floats]:
        """Return velocity in m/s and pressure in Pa for a fluid and a pressure gradient. Stokes flow is linear in both.

        Parameters
        ----------
        viscosity : float or str
            Dynamic viscosity, Pa s or with a unit (``"1 mPa.s"``).
        gradient : float or str
            Pressure drop per length along the axis, Pa/m or with a unit.
        """
        viscosity, gradient = si_quantity(viscosity, "Pa.s", "viscosity"), si_quantity(gradient, "Pa/m", "gradient")
        dx = self._geometry.voxel_size
        if dx is None:
            raise UsageError("The voxel size is unknown: give voxel_size= for results in SI units.")
        speed = gradient * dx * dx / viscosity * self._nu / self._force
        return self.velocity * np.float32(speed), self.pressure * np.float32(gradient * dx / self._force)

    def to_xarray(self, viscosity: float | str | Quantity | None = None, gradient: float | str | Quantity = 1.0) -> Any:
        """Return an xarray.Dataset with 'velocity' (component, z, y, x), 'pressure' (z, y, x) and coordinates in metres.

        Lattice units unless `viscosity`, Pa s, is given; then SI units for the pressure drop `gradient`, Pa/m.
        """
        xarray = need("xarray", "to_xarray()")
        velocity, pressure, units = self._of_files(viscosity, gradient)
        return xarray.Dataset({
            "velocity": labelled(xarray, self._geometry, velocity, "velocity", units[0]),
            "pressure": labelled(xarray, self._geometry, pressure, "pressure", units[1]),
        }, attrs={"axis": self.axis})

    def to_pyvista(self, viscosity: float | str | Quantity | None = None, gradient: float | str | Quantity = 1.0) -> Any:
        """Return a pyvista.ImageData with 'velocity' and 'pressure' at its points, the centres of the voxels. Needs pyvista.

        Lattice units unless `viscosity`, Pa s, is given; then SI units for the pressure drop `gradient`, Pa/m. 'voxels' is 1 in the fluid.
        """
        velocity, pressure, _ = self._of_files(viscosity, gradient)
        return points_of(self._geometry, {"velocity": velocity, "pressure": pressure})

    def streamlines(self, number: int = 200, seed: int = 0, viscosity: float | str | Quantity | None = None,
                    gradient: float | str | Quantity = 1.0) -> Any:
        """Return streamlines through random voxels of the fluid as a pyvista.PolyData with 'velocity' and 'pressure'. Needs pyvista.

        Parameters
        ----------
        number : int
            Streamlines at most. A voxel is chosen with a probability in proportion to the speed in it.
        seed : int
            Of the random numbers.
        viscosity, gradient : float or str, optional
            As for `to_pyvista`.
        """
        pyvista = need("pyvista", "streamlines()")
        grid = self.to_pyvista(viscosity, gradient)
        speed = np.linalg.norm(np.asarray(grid.point_data["velocity"], np.float64), axis=1)
        if not speed.any():
            raise UsageError("The velocity is 0 in all voxels: there are no streamlines.")
        wanted = min(count(number, "number"), int(np.count_nonzero(speed)))
        chosen = np.random.default_rng(count(seed, "seed")).choice(speed.size, wanted, replace=False, p=speed / speed.sum())
        return grid.streamlines_from_source(pyvista.PolyData(np.asarray(grid.points)[np.sort(chosen)]), vectors="velocity", integration_direction="both",
                                            initial_step_length=0.2, max_steps=20000)

    def _of_files(self, viscosity: float | str | Quantity | None, gradient: float | str | Quantity) -> tuple[Floats, Floats, tuple[str, str]]:
        """Return velocity and pressure with the axes z, y, x, and their units."""
        velocity, pressure = (self.velocity, self.pressure) if viscosity is None else self.si(viscosity, gradient)
        units = ("lu", "lu") if viscosity is None else ("m/s", "Pa")
        return ordered(velocity, self.array_axes, "zyx"), ordered(pressure, self.array_axes, "zyx"), units


def points_of(geometry: Geometry, values: dict[str, Floats]) -> Any:
    """Return a pyvista.ImageData with scalars, axes z, y, x, and vectors, component first, at the centres of the voxels, and 'voxels', 1 in the fluid."""
    grid = need("pyvista", "to_pyvista()").ImageData
    size, (nz, ny, nx) = geometry.voxel_size or 1.0, geometry.shape
    made = grid(dimensions=(nx, ny, nz), spacing=(size,) * 3, origin=tuple(geometry.origin + 0.5 * size))
    for name, value in values.items():
        made.point_data[name] = np.ascontiguousarray(value).ravel() if value.ndim == 3 else np.ascontiguousarray(np.moveaxis(value, 0, -1).reshape(-1, 3))
    made.point_data["voxels"] = (geometry.voxels.ravel() > 0).astype(np.uint8)
    return made


def si_quantity(value: Any, unit: str, name: str) -> float:
    """Return a positive quantity in a unit."""
    value = plain(value, unit.replace(".", "*"), name)
    return positive(quantity(value, unit) if isinstance(value, str) else value, name)


def ordered(values: Array, now: str, then: str) -> Array:
    """Return an array, whose last three axes are called `now`, with these axes in another order. A view."""
    inner = values.ndim - 3
    return values.transpose(*range(inner), *(inner + now.index(a) for a in then))
