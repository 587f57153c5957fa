# SPDX-License-Identifier: Apache-2.0
"""The pore network of a sample, for OpenPNM, and its pore sizes."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _interface as c
from ._arguments import choice, count, path_text, positive, shown
from ._arrays import Array, Order, named_order
from ._field import si_quantity
from ._geometry import KEEPS, KEPT_AXES, Geometry, Keep, Source, as_geometry, axis_of, is_path, voxelize
from ._library import check, library, need
from ._pore import Pore
from ._sample import Core, Where, takes_image
from ._progress import Progress, Watch
from ._values import Length, Quantity, Reals, Sides, pointer
from .errors import NumericsError, UsageError

FACES = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")
DARCY = c.RILL_DARCY


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PoreSizes:
    """Pore sizes by inscribed spheres.

    Attributes
    ----------
    diameter : ndarray, shape (n,)
        m, or voxels if the voxel size is unknown; ascending.
    covered : ndarray, shape (n,)
        Part of the pore volume that spheres of this diameter within the pores cover.
    fraction : ndarray, shape (n,)
        Part of the pore volume that spheres of this diameter cover and those of the next do not: the distribution, which sums to `covered` of the first.
    """

    diameter: Reals
    covered: Reals

    @property
    def fraction(self) -> Reals:
        return np.asarray(self.covered - np.append(self.covered[1:], 0.0))

    @property
    def median(self) -> float:
        """Largest diameter of spheres that cover half of the pore volume, interpolated."""
        return float(np.interp(-0.5, -self.covered, self.diameter))

    def __repr__(self) -> str:
        return f"<rill.PoreSizes of {self.diameter.size} diameters from {self.diameter[0]:.4g} to {self.diameter[-1]:.4g}, median {self.median:.4g}>"

    def to_dataframe(self) -> Any:
        """Return a pandas.DataFrame. Needs pandas."""
        return need("pandas", "to_dataframe()").DataFrame({"diameter": self.diameter, "covered": self.covered, "fraction": self.fraction})


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A pore network: chambers, which are connected parts of the pores within cubic blocks, and throats between them.

    It ends at the faces of the box, where every chamber that touches a mirrored face has a throat to a boundary pore of volume 0. Lengths are in m, or in
    voxels if the voxel size is unknown. Conductances are estimated from distances to the walls: the permeability of a network is off by a factor of
    two or so, where `permeability` solves for the flow.

    Attributes
    ----------
    voxel_size : float or None
        m.
    edge : int
        Of the blocks, voxels.
    coords : ndarray, shape (pores, 3)
        Centres of mass x, y, z; of boundary pores the place on the face.
    volume, diameter : ndarray, shape (pores,)
        Of chambers, and of the largest sphere in the pores whose centre is in the chamber; 0 and that of the chamber for boundary pores.
    conns : ndarray of int, shape (throats, 2)
        Numbers of the pores at the ends of each throat, the smaller first.
    conductance : ndarray, shape (throats,)
        g, m³: the flow rate from pressure p to q is g (p - q) / viscosity.
    faces : dict of ndarray of bool, shape (pores,)
        'xmin' … 'zmax': the boundary pores on each face.
    k : ndarray, shape (3,)
        Permeability of the network along x, y, z between pressures at two faces, m² or voxel²; NaN where it does not conduct.
    """

    voxel_size: float | None
    edge: int
    coords: Reals
    volume: Reals
    diameter: Reals
    conns: npt.NDArray[np.int64]
    conductance: Reals
    faces: dict[str, npt.NDArray[np.bool_]]
    k: Reals
    _geometry: Geometry

    def __repr__(self) -> str:
        inner, unit = int((self.volume > 0).sum()), "m2" if self.voxel_size else "lu"
        return (f"<rill.Network of {inner} chambers and {len(self.coords) - inner} boundary pores with {len(self.conns)} throats, "
                f"k x, y, z {', '.join(f'{k:.4g}' for k in self.k)} {unit}>")

    @property
    def k_darcy(self) -> Reals:
        """The permeability of the network along x, y, z in darcy."""
        if self.voxel_size is None:
            raise UsageError("The voxel size is unknown: give voxel_size=, or use k, which is in voxel².")
        return self.k / DARCY

    def to_dict(self, viscosity: float | str | Quantity = "1.0016 mPa.s") -> dict[str, Array]:
        """Return the network as a dict of arrays with OpenPNM's names, SI units.

        'throat.hydraulic_conductance' is g / `viscosity`, m³/(Pa s); without a voxel size lattice units with the viscosity 1. 'throat.diameter' is that of the
        tube of the length of the throat that conducts as much.
        """
        mu = 1.0 if self.voxel_size is None else si_quantity(viscosity, "Pa.s", "viscosity")
        length = np.linalg.norm(self.coords[self.conns[:, 0]] - self.coords[self.conns[:, 1]], axis=1)
        boundary = self.volume == 0
        found: dict[str, Array] = {
            "pore.coords": self.coords, "throat.conns": self.conns, "pore.volume": self.volume, "pore.diameter": self.diameter,
            "pore.inscribed_diameter": self.diameter, "throat.length": length,
            "throat.diameter": (128 * self.conductance * length / math.pi) ** 0.25,
            "throat.hydraulic_conductance": self.conductance / mu, "pore.boundary": boundary, "throat.boundary": boundary[self.conns].any(axis=1)}
        return found | {f"pore.{name}": on for name, on in self.faces.items()}

    def to_openpnm(self, viscosity: float | str | Quantity = "1.0016 mPa.s") -> Any:
        """Return an OpenPNM project: its network, and a phase 'fluid' with viscosity and hydraulic conductances. Needs openpnm."""
        op, arrays = need("openpnm", "to_openpnm()"), self.to_dict(viscosity)
        conductance = arrays.pop("throat.hydraulic_conductance")
        made = op.network.Network(coords=arrays.pop("pore.coords"), conns=arrays.pop("throat.conns"))
        for name, values in arrays.items():
            made[name] = values
        phase = op.phase.Phase(network=made, name="fluid")
        phase["pore.viscosity"] = 1.0 if self.voxel_size is None else si_quantity(viscosity, "Pa.s", "viscosity")
        phase["throat.hydraulic_conductance"] = conductance
        return made.project

    def pore_sizes(self, diameters: int | Sequence[float | str] | npt.ArrayLike = 25) -> PoreSizes:
        """Measure the pore sizes of the sample, by the largest sphere within the pores that covers each voxel.

        Parameters
        ----------
        diameters : int or sequence
            Number of diameters from a voxel to the largest sphere, in equal steps; or the diameters themselves, m or with a unit, or voxels if the voxel
            size is unknown. Walls are half-way between voxels, so that a diameter is known to a voxel; faces of the box are no walls.
        """
        size = self.voxel_size or 1.0
        if isinstance(diameters, (int, np.integer)) and not isinstance(diameters, bool):
            most = float(self.diameter.max()) / size
            wanted = np.linspace(1.0, max(most, 1.0), max(1, count(diameters, "diameters", 10000)))
        else:
            try:
                given = list(diameters)  # type: ignore[arg-type]
            except Exception:  # of a class of someone else
                raise UsageError(f"diameters = {shown(diameters)} is neither a number of diameters nor a sequence of them.") from None
            wanted = np.sort([si_quantity(one, "m", "diameters") if self.voxel_size else positive(one, "diameters") for one in given]) / size
        if not wanted.size:
            raise UsageError("diameters = [] has no diameter: give one or more, or a number of them.")
        covered = np.empty(wanted.size)
        check(library.rill_pore_sizes_measure(self._geometry._c, wanted.size, pointer(np.ascontiguousarray(wanted, np.float64), ctypes.c_double),
                                              pointer(covered, ctypes.c_double)))
        return PoreSizes(wanted * size, covered)


@takes_image
def network(
    im: Source | Geometry,
    voxel_size: Length | None = None,
    *,
    pore: Pore = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides = "mirror",
    keep: Keep = "percolating",
    axis: Literal["any", "x", "y", "z"] | int = "any",
    edge: int = 0,
    allow_outside: bool = False,
    progress: Progress = None,
) -> Network:
    """Find the pore network of a sample, for OpenPNM.

    Parameters
    ----------
    im : array_like, path or Geometry
        As for `permeability`.
    voxel_size : float or str, optional
        Edge of a voxel, with its unit (``"5.7 um"``) or in m.
    {image}
    sides : str or sequence of three str
        'mirror': the network has boundary pores at the faces normal to this axis; 'wall': it has none.
    keep : {'percolating', 'connected', 'all'}
        Which pores are in the network: those that reach two opposite faces, any face, or all. Pores that do not reach the faces where pressures are set make
        equations without a solution. Chambers that touch others at corners of voxels alone have no throats to them.
    axis : {'any', 'x', 'y', 'z'} or int
        Axis along which kept pores percolate: that of the pressures.
    edge : int
        Edge of the blocks, 1 to 64 voxels; 0: chosen by the width of the pores.
    progress : optional
        See `Progress`.

    Returns
    -------
    Network

    Raises
    ------
    UsageError, NumericsError, SystemFailure
        NumericsError: no pore percolates, or chambers reach the faces through corners of voxels alone.

    Examples
    --------
    >>> import numpy, rill
    >>> im = numpy.ones((18, 18, 40), bool)
    >>> im[[0, -1]] = im[:, [0, -1]] = False                  # a duct along x
    >>> network = rill.network(im, "1 um", edge=10, axis="x")
    >>> len(network.conns), int(network.faces["xmin"].sum())
    (36, 4)
    >>> sorted(network.to_dict())[:3]
    ['pore.boundary', 'pore.coords', 'pore.diameter']
    """
    where = Where(outside, mask, mask_inside, core, allow_outside)
    letters = "" if is_path(im) or isinstance(im, Geometry) else named_order(im, order)
    number, _ = axis_of(axis, letters, KEPT_AXES), choice(keep, KEEPS, "keep")
    if isinstance(im, Geometry) or (isinstance(im, (str, os.PathLike)) and path_text(im).endswith(".geom.h5")):
        geometry, _ = as_geometry(im, voxel_size, pore, order, sides, progress, where)
    else:
        geometry = voxelize(im, voxel_size=voxel_size, pore=pore, outside=outside, mask=mask, mask_inside=mask_inside, core=core, order=order,
                            sides=sides, keep=keep, axis=axis, allow_outside=allow_outside, progress=progress)
    out = c.rill_pore_network()
    with Watch(progress) as watch:
        options = c.rill_pore_network_options(edge=count(edge, "edge"), progress=watch.c)
        watch.check(library.rill_pore_network_make(geometry._c, options, out))
    try:
        return _network(geometry, out, keep, next(name for name, k in KEPT_AXES.items() if k == number))
    finally:
        library.rill_pore_network_free(out)


def _array(values: Any, size: int) -> Array:
    """Return a copy of an array of C."""
    return np.ctypeslib.as_array(values, (size,)).copy() if size else np.empty(0)


def _clusters(pores: int, conns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each pore the smallest number of a pore that throats connect it to."""
    label, (a, b) = np.arange(pores), conns.T
    while True:
        low, before = np.minimum(label[a], label[b]), label.copy()
        for end in (a, b):
            np.minimum.at(label, before[end], low)
        while not np.array_equal(label[label], label):
            label = label[label]
        if np.array_equal(label, before):
            return label


def _kept(conns: npt.NDArray[np.int64], faces: dict[str, npt.NDArray[np.bool_]], keep: Keep, axis: str) -> npt.NDArray[np.bool_]:
    """Return which pores are in clusters that reach the faces; all of a network without boundary pores there."""
    label = _clusters(len(faces["xmin"]), conns)
    reached = {name: np.isin(label, label[on]) for name, on in faces.items()}
    if keep == "connected":
        found = [one for one in reached.values() if one.any()]
    else:
        found = [reached[f"{a}min"] & reached[f"{a}max"] for a in ("xyz" if axis == "any" else axis) if faces[f"{a}min"].any() and faces[f"{a}max"].any()]
    if keep == "all" or not found:
        return np.ones(len(label), bool)
    stay: npt.NDArray[np.bool_] = np.any(found, axis=0)
    if not stay.any():
        raise NumericsError("The chambers of the network reach the faces through corners of voxels alone, and have no throats there: keep=\"all\" keeps them.")
    return stay


def _network(geometry: Geometry, out: Any, keep: Keep, axis: str) -> Network:
    """Add boundary pores to the network of the library, in SI units."""
    size, pores, throats = geometry.voxel_size or 1.0, int(out.pores), int(out.throats)
    coords, volume, diameter = _array(out.centre, 3 * pores).reshape(pores, 3), _array(out.volume, pores), _array(out.diameter, pores)
    # Two chambers that touch from both sides have two throats: they become one.
    found = np.sort(_array(out.ends, 2 * throats).reshape(throats, 2).astype(np.int64), axis=1)
    conns, number = np.unique(found, axis=0, return_inverse=True)
    conductance = np.asarray(np.bincount(number.ravel(), _array(out.conductance, throats), len(conns)), np.float64)
    to_face = _array(out.face, c.RILL_FACES * pores).reshape(c.RILL_FACES, pores)
    of = [np.flatnonzero(one > 0) for one in to_face]
    ends = np.cumsum([pores, *(len(one) for one in of)])
    faces, all_coords, all_conns, all_g = {}, [coords], [conns], [conductance]
    for f, name in enumerate(FACES):
        here = coords[of[f]].copy()
        here[:, f // 2] = geometry._g.n[f // 2] if f % 2 else 0
        all_coords.append(here)
        all_conns.append(np.stack([of[f], np.arange(ends[f], ends[f + 1])], axis=1))
        all_g.append(to_face[f, of[f]])
        faces[name] = np.zeros(ends[-1], bool)
        faces[name][ends[f]:ends[f + 1]] = True
    chambers, all_ends = np.concatenate([np.arange(pores), *of]), np.concatenate(all_conns)
    stay = _kept(all_ends, faces, keep, axis)
    throat, number_of = stay[all_ends[:, 0]], np.cumsum(stay) - 1
    return Network(
        voxel_size=geometry.voxel_size, edge=int(out.edge), coords=np.concatenate(all_coords)[stay] * size + geometry.origin * (1 if geometry.voxel_size else 0),
        volume=np.append(volume, np.zeros(ends[-1] - pores))[stay] * size**3, diameter=diameter[chambers][stay] * size,
        conns=number_of[all_ends[throat]], conductance=np.concatenate(all_g)[throat] * size**3, faces={name: on[stay] for name, on in faces.items()},
        k=np.array(out.k[:]) * size**2, _geometry=geometry)
