# SPDX-License-Identifier: Apache-2.0
"""A geometry: voxels of solid and fluid, made of an image or of a surface."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _interface as c
from ._library import check, files, library, need, notes, path_bytes, text, warn
from ._progress import Progress, Watch
from ._values import GREYS, SIDES, Array, Length, Pore, Reals, Sides, choice, count, image, metres, pointer, pore, quantity, sides
from .errors import UsageError

KEEPS = {"all": c.RILL_KEEP_ALL, "connected": c.RILL_KEEP_CONNECTED, "percolating": c.RILL_KEEP_PERCOLATING}
CAPS = {"closed": c.RILL_CAPS_IF_CLOSED, "auto": c.RILL_CAPS_AUTO, "none": c.RILL_CAPS_NONE}
SURFACES = (".stl", ".obj", ".ply", ".vtp")


@dataclasses.dataclass(frozen=True)
class Porosity:
    """Pore fractions of the whole box, before pores were dropped; NaN where unknown.

    Attributes
    ----------
    total : float
        All pore voxels.
    connected : float
        Pores whose face-connected component reaches an outer face.
    percolating : tuple of float
        Pores whose component conducts along x, y, z.
    """

    total: float
    connected: float
    percolating: tuple[float, float, float]


def porosity_of(p: Any) -> Porosity:
    """Return a rill_porosity of C."""
    known = [v if v >= 0 else math.nan for v in (p.total, p.connected, *p.percolating)]
    return Porosity(known[0], known[1], (known[2], known[3], known[4]))


@dataclasses.dataclass(frozen=True)
class Opening:
    """A flat end of a vessel.

    Attributes
    ----------
    name : str
    centre, normal : ndarray of float, shape (3,)
        m, in the coordinates of the surface; the normal has length 1 and points into the fluid. Order x, y, z.
    area : float
        m².
    hydraulic_diameter : float
        4 area / perimeter, m.
    """

    name: str
    centre: Reals
    normal: Reals
    area: float
    hydraulic_diameter: float


class Geometry:
    """Voxels of solid and fluid, with their size and the domain boundaries.

    `voxelize` makes one of an image or a surface; `open` reads one from a file.
    """

    def __init__(self, handle: Any) -> None:
        self._c = handle
        self._g: Any = handle.contents

    def __del__(self) -> None:
        handle = getattr(self, "_c", None)
        if handle:
            library.rill_geom_destroy(handle)

    def __repr__(self) -> str:
        nz, ny, nx = self.shape
        size = f"{self.voxel_size:.6g} m" if self.voxel_size else "unknown size"
        return f"<rill.Geometry of {nx} x {ny} x {nz} voxels of {size}, porosity {self.porosity.total:.4f}>"

    @property
    def shape(self) -> tuple[int, int, int]:
        """Voxels along z, y, x."""
        n = self._g.n
        return n[2], n[1], n[0]

    @property
    def voxels(self) -> npt.NDArray[np.uint8]:
        """Voxels, shape (nz, ny, nx): 0 solid, 1 fluid, 2 and above fluid at an opening. A read-only view, no copy."""
        size = math.prod(self.shape)
        buffer: Any = (ctypes.c_uint8 * size).from_address(ctypes.addressof(self._g.voxels.contents))
        buffer._owner = self
        view: npt.NDArray[np.uint8] = np.frombuffer(buffer, np.uint8).reshape(self.shape)
        view.flags.writeable = False
        return view

    @property
    def voxel_size(self) -> float | None:
        """Edge of a voxel, m; None if it is unknown."""
        return float(self._g.spacing) if self._g.spacing > 0 else None

    @property
    def origin(self) -> Reals:
        """Corner of voxel 0, m, order x, y, z."""
        return np.array(self._g.origin[:])

    @property
    def sides(self) -> tuple[str, str, str]:
        """Domain boundaries normal to x, y, z: 'periodic', 'mirror' or 'wall'."""
        names = {v: k for k, v in SIDES.items()}
        x, y, z = (names[s] for s in self._g.sides)
        return x, y, z

    @property
    def porosity(self) -> Porosity:
        """Pore fractions of the whole box."""
        return porosity_of(self._g.porosity)

    @property
    def fluid_nodes(self) -> int:
        """Number of fluid voxels."""
        return int(library.rill_geom_fluid(self._c))

    @property
    def source(self) -> str:
        """File or generator that the geometry came from; empty if unknown."""
        return text(self._g.source)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that change or qualify a value, e.g. that the voxel size of the file did not count."""
        return notes(self._g.notes)

    @property
    def openings(self) -> list[Opening]:
        """Openings of a vessel; empty for images."""
        surface = self._g.surface
        return [
            Opening(text(o.name), np.array(o.centre[:]), np.array(o.normal[:]), o.area, o.hydraulic_diameter)
            for o in (surface.contents.openings[: surface.contents.opening_count] if surface else ())
        ]

    @property
    def surface(self) -> tuple[Reals, npt.NDArray[np.uint32]] | None:
        """Vertices, shape (V, 3), m, and triangles, shape (T, 3), of the surface of a vessel; None for images. Copies."""
        if not self._g.surface:
            return None
        s = self._g.surface.contents
        vertices = np.ctypeslib.as_array(ctypes.cast(s.vertices, ctypes.POINTER(ctypes.c_double)), (s.vertex_count, 3))
        triangles = np.ctypeslib.as_array(ctypes.cast(s.triangles, ctypes.POINTER(ctypes.c_uint32)), (s.triangle_count, 3))
        return vertices.copy(), triangles.copy()

    @property
    def patches(self) -> dict[str, npt.NDArray[np.uint32]]:
        """Numbers of the triangles of each group that the file of the surface names; empty if it names none.

        Groups are solids of an ASCII STL, groups of an OBJ, faces of a VTP (ModelFaceID), and the files of a folder.
        """
        if not self._g.surface or not self._g.surface.contents.patches:
            return {}
        s = self._g.surface.contents
        of = np.ctypeslib.as_array(s.patches, (s.triangle_count,))
        return {text(s.patch_names[p]): np.flatnonzero(of == p).astype(np.uint32) for p in range(s.patch_count)}

    def coordinates(self) -> dict[str, Reals]:
        """Return the centres of the voxels along 'z', 'y' and 'x', m, or in voxels if their size is unknown."""
        size = self.voxel_size or 1.0
        return {a: self._g.origin[k] + size * (np.arange(self._g.n[k]) + 0.5) for a, k in (("z", 2), ("y", 1), ("x", 0))}

    def copy(self) -> Geometry:
        """Return a copy that shares nothing."""
        out = ctypes.POINTER(c.rill_geom)()
        check(library.rill_geom_copy(self._c, ctypes.byref(out)))
        return Geometry(out)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a `*.geom.h5` file: whole or not at all. The program rill reads it, and so does `open`."""
        with files:
            check(library.rill_geom_write(self._c, path_bytes(path), None))

    def to_xarray(self) -> Any:
        """Return the voxels as an xarray.DataArray with dims z, y, x and coordinates in metres. Needs xarray."""
        return _labelled(need("xarray", "to_xarray()"), self, self.voxels, "voxels", "1")

    def to_pyvista(self) -> Any:
        """Return the voxels as cells of a pyvista.ImageData. Needs pyvista."""
        size = self.voxel_size or 1.0
        nz, ny, nx = self.shape
        grid = need("pyvista", "to_pyvista()").ImageData(
            dimensions=(nx + 1, ny + 1, nz + 1), spacing=(size,) * 3, origin=tuple(self.origin))
        grid.cell_data["voxels"] = self.voxels.ravel()
        return grid


def _labelled(xarray: Any, geometry: Geometry, values: Array, name: str, units: str) -> Any:
    """Return values of voxels, shape (…, nz, ny, nx), as an xarray.DataArray."""
    unit = "m" if geometry.voxel_size else "voxel"
    coordinates = {a: (a, v, {"units": unit}) for a, v in geometry.coordinates().items()}
    dims = ("z", "y", "x")
    if values.ndim == 4:
        dims, coordinates["component"] = ("component", *dims), ("component", list("xyz"), {})  # type: ignore
    return xarray.DataArray(values, coordinates, dims, name, {"units": units})


labelled = _labelled
Surface = tuple[npt.ArrayLike, npt.ArrayLike]
Source = Union[npt.ArrayLike, str, "os.PathLike[str]", Surface, Any]


def voxelize(
    source: Source,
    *,
    voxel_size: Length | None = None,
    pore: Pore = None,
    order: str = "zyx",
    sides: Sides = "periodic",
    keep: str = "percolating",
    axis: str = "any",
    crop: Mapping[str, tuple[int, int]] | None = None,
    mirror: str = "",
    resample: Length | None = None,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dx: Length | None = None,
    cells: int = 0,
    units: str | float = "",
    extend: Length | None = None,
    names: Mapping[str, str] | None = None,
    caps: str = "closed",
    close_holes: bool = False,
    min_cells: float | None = None,
    axes: str = "xyz",
    progress: Progress = None,
) -> Geometry:
    """Make a geometry of an image or of a triangle surface.

    Parameters
    ----------
    source : array_like, path, (vertices, triangles) or pyvista.PolyData
        An image: an array of three axes, or a file (TIFF, npy, npz, NRRD, MHD, NIfTI, VTI, HDF5, NetCDF, raw, a
        pattern of TIFF slices; ``"scan.h5:/group/data"`` is one array of several). A surface: a
        file (STL, OBJ, PLY, VTP) or a folder of them, a pyvista.PolyData of triangles, or a pair of arrays, vertices of shape (V, 3) and triangles of
        shape (T, 3).
    voxel_size : float or str, optional
        Edge of a voxel of the image, m or with a unit; default: what the file states, else unknown.
    pore : number or sequence, optional
        Grey values that are pore: values and pairs (low, high), inclusive. Default: True of bool arrays, what the format
        of a file takes as pore; arrays of numbers need it.
    order : {'zyx', 'xyz'}
        Axes of an array: ``im[z, y, x]`` as files have it, or ``im[x, y, z]`` as PoreSpy's examples have it.
    sides : str or sequence of three str
        Domain boundaries normal to x, y, z of an image: 'periodic', 'mirror' or 'wall'.
    keep : {'percolating', 'connected', 'all'}
        Which pores of an image stay.
    axis : {'any', 'x', 'y', 'z'}
        Axis along which kept pores percolate.
    crop : mapping, optional
        Part of an image: ``{"x": (0, 100)}``, first voxel and the one after the last.
    mirror : str
        Axes along which a mirrored copy of the image is added, e.g. ``"z"``.
    resample : float or str, optional
        New edge of the voxels of an image, m, or ``"isotropic"``: cubes of the smallest spacing.
    shape, dtype : optional
        Of a raw file, if its name does not state them: voxels along z, y, x, and type of the grey values.
    dx : float or str, optional
        Edge of a voxel for a surface, m; this or `cells` is needed.
    cells : int
        Voxels along the longest side of a surface.
    units : str or float
        Unit of the coordinates of a surface: 'mm', or metres for each of them. Needed for files; default of arrays: metres.
    extend : float or str, optional
        Length of the extensions of openings, m, or in hydraulic diameters: ``"2D"``.
    names : mapping, optional
        Names of openings: ``{"opening-1": "inlet"}``.
    caps : {'closed', 'auto', 'none'}
        Whether flat caps of a surface become openings.
    close_holes : bool
        Close holes that are as large as an opening.
    min_cells : float, optional
        Refuse fewer cells across an opening; default: 4.
    axes : {'xyz', 'yzx', 'zxy'}
        Where the axes of a surface go: ``"yzx"`` rotates x to y, y to z, z to x. Positions are those of the rotated surface.
    progress : optional
        See `Progress`.

    Returns
    -------
    Geometry
        Its `notes` are also warnings (`RillWarning`).

    Raises
    ------
    UsageError
        The source is no image and no surface, or an option does not apply.
    NumericsError
        No pore percolates.

    Examples
    --------
    >>> import numpy, rill
    >>> im = numpy.ones((4, 6, 8), bool)
    >>> im[:, 0, :] = False
    >>> geometry = rill.voxelize(im, voxel_size="2 um")
    >>> geometry.shape, geometry.fluid_nodes
    ((4, 6, 8), 160)
    >>> round(geometry.porosity.total, 6)
    0.833333
    """
    out = ctypes.POINTER(c.rill_geom)()
    triangles = _triangles(source)
    if triangles is not None or _is_surface(source, units):
        if voxel_size is not None or pore is not None:
            raise UsageError("The source is a surface: voxel_size= and pore= do not apply; dx= gives the size of voxels.")
        options, keepers = _surface_options(dx, cells, units, extend, names, caps, close_holes, min_cells, axes,
                                             triangles)
        with Watch(progress) as watch:
            if triangles is not None:
                view, arrays = _surface_view(triangles)
                watch.check(library.rill_triangles_voxelize(view, options, watch.c, ctypes.byref(out)))
                del arrays
            else:
                path: Any = source
                watch.check(library.rill_surface_file_voxelize(path_bytes(path), options, watch.c, ctypes.byref(out)))
        del keepers
        return _warned(Geometry(out))
    if dx is not None or cells or units:
        raise UsageError("The source is an image: dx=, cells= and units= do not apply; voxel_size= gives the size of voxels.")
    options = image_options(voxel_size, sides, keep, axis, crop, mirror, resample)
    _from_image(source, options, pore, order, shape, dtype, progress, out)
    return _warned(Geometry(out))


def _warned(geometry: Geometry) -> Geometry:
    warn(geometry.notes)
    return geometry


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike))


def _is_surface(source: Any, units: str | float) -> bool:
    return _is_path(source) and (bool(units) or pathlib.Path(source).suffix.lower() in SURFACES)


def _triangles(source: Any) -> tuple[Array, Array] | None:
    """Return vertices and triangles of a surface in memory; None if the source is none."""
    if hasattr(source, "regular_faces") and hasattr(source, "points"):  # pyvista.PolyData
        vertices, triangles = source.points, source.regular_faces
    elif isinstance(source, tuple) and len(source) == 2:
        vertices, triangles = source
    else:
        return None
    vertices, numbers = np.ascontiguousarray(vertices, np.float64), np.asarray(triangles)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or numbers.ndim != 2 or numbers.shape[1] != 3:
        raise UsageError(f"Vertices of shape {vertices.shape} and triangles of shape {numbers.shape} are no surface: "
                         "give (V, 3) and (T, 3).")
    if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(vertices):
        raise UsageError(f"The triangles name vertices {numbers.min()} to {numbers.max()}: there are {len(vertices)}.")
    return vertices, np.ascontiguousarray(numbers, np.uint32)


def _surface_view(surface: tuple[Array, Array]) -> tuple[Any, Any]:
    vertices, triangles = surface
    view = c.rill_triangles(vertex_count=len(vertices), triangle_count=len(triangles))
    view.vertices = pointer(vertices, ctypes.c_double * 3)
    view.triangles = pointer(triangles, ctypes.c_uint32 * 3)
    return view, surface


def _surface_options(dx: Length | None, cells: int, units: str | float, extend: Length | None,
                     names: Mapping[str, str] | None, caps: str, close_holes: bool, min_cells: float | None,
                     axes: str, triangles: Any) -> tuple[Any, Any]:
    """Return options of surfaces, and what they point to."""
    o = library.rill_surface_options_default()
    if not units and triangles is None:
        raise UsageError("A file of a surface does not state its unit: give units=, e.g. units='mm'.")
    o.unit = quantity(f"1 {units}", "m") if isinstance(units, str) and units else float(units or 1)
    o.spacing, o.cells = metres(dx, "dx"), count(cells, "cells")
    if isinstance(extend, str) and extend.rstrip().endswith("D"):
        o.extend, o.extend_diameters = quantity(extend.rstrip()[:-1], "1"), True
    else:
        o.extend = metres(extend, "extend")
    o.caps, o.close_holes = choice(caps, CAPS, "caps"), close_holes
    o.rotation = choice(axes, {"xyz": 0, "yzx": 1, "zxy": 2}, "axes")
    if min_cells is not None:
        o.min_cells = min_cells
    given = [f"{old}={new}".encode() for old, new in (names or {}).items()]
    array = (ctypes.c_char_p * len(given))(*given)
    o.names, o.name_count = array, len(given)
    return o, array


def image_options(voxel_size: Length | None, boundaries: Sides, keep: str, axis: str,
                  crop: Mapping[str, tuple[int, int]] | None = None, mirror: str = "", resample: Length | None = None) -> Any:
    """Return options of images, without what is said of grey values."""
    o = library.rill_voxelize_options_default()
    o.voxel_size = metres(voxel_size, "voxel_size")
    o.resample = c.RILL_RESAMPLE_ISOTROPIC if resample == "isotropic" else metres(resample, "resample")
    sides(boundaries, o.sides)
    o.keep = choice(keep, KEEPS, "keep")
    o.axis = choice(axis, {"any": -1, "x": 0, "y": 1, "z": 2}, "axis")
    for name, (low, high) in (crop or {}).items():
        k = choice(name, {"x": 0, "y": 1, "z": 2}, "crop")
        if not 0 <= low < high <= 0xFFFFFFFF:
            raise UsageError(f"crop = {{{name!r}: ({low}, {high})}} is no range of voxels: give first and end, 0 <= first < end.")
        o.crop[k][0], o.crop[k][1] = low, high
    for name in mirror:
        o.mirror[choice(name, {"x": 0, "y": 1, "z": 2}, "mirror")] = True
    return o


def _three(shape: Sequence[int]) -> Sequence[int]:
    if len(shape) != 3:
        raise UsageError(f"shape = {tuple(shape)} has not three axes: voxels along z, y, x.")
    return shape


def _from_image(source: Any, o: Any, pores: Pore, order: str, shape: Sequence[int] | None, dtype: npt.DTypeLike | None,
                progress: Progress, out: Any) -> None:
    with Watch(progress) as watch:
        if _is_path(source):
            pore(pores, None, o)
            if shape is not None:
                o.image.n[:] = [count(n, "shape") for n in reversed(_three(shape))]
            if dtype is not None:
                if np.dtype(dtype) not in GREYS:
                    raise UsageError(f"dtype = {dtype!r} is no type of grey values.")
                o.image.type = GREYS[np.dtype(dtype)]
            watch.check(library.rill_image_voxelize(path_bytes(source), o, watch.c, ctypes.byref(out), None))
        else:
            array, where = image(source, order)
            pore(pores, array.dtype, o)
            o.image.n[:] = array.shape[::-1]
            o.image.type = GREYS[array.dtype]
            o.axes[:] = where
            watch.check(library.rill_array_voxelize(array.ctypes.data, o, watch.c, ctypes.byref(out), None))


def as_geometry(source: Source, voxel_size: Length | None, pores: Pore, order: str, boundaries: Sides | None,
                progress: Progress) -> Geometry:
    """Return a geometry with all its pores, of an image, or a copy of a geometry with these domain boundaries."""
    if isinstance(source, (str, os.PathLike)) and os.fspath(source).endswith(".geom.h5"):
        source = read(source)
    if not isinstance(source, Geometry):
        out = ctypes.POINTER(c.rill_geom)()
        options = image_options(voxel_size, boundaries or "periodic", "all", "any")
        _from_image(source, options, pores, order, None, None, progress, out)
        return Geometry(out)
    if pores is not None:
        raise UsageError("The source is a geometry, no image: pore= does not apply.")
    geometry = source.copy()
    if voxel_size is not None:
        geometry._g.spacing = metres(voxel_size, "voxel_size")
    if boundaries is not None:
        sides(boundaries, geometry._g.sides)
        geometry._g.porosity.percolating[:] = [-1.0] * 3  # to be found again
    return geometry


def read(path: str | os.PathLike[str]) -> Geometry:
    """Read a `*.geom.h5` file."""
    out = ctypes.POINTER(c.rill_geom)()
    with files:
        check(library.rill_geom_read(path_bytes(path), ctypes.byref(out)))
    return Geometry(out)
