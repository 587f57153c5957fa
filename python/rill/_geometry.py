# SPDX-License-Identifier: Apache-2.0
"""A geometry: voxels of solid and fluid, made of an image or of a surface."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import os
import pathlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _interface as c
from ._arguments import choice, count, encoded, flag, items, mapping, path_bytes, path_text, real, shown
from ._arrays import Array, Order, array_of, order_of
from ._library import check, files, library, need, notes, text, warn
from ._lazy import as_file, in_memory, is_slices
from ._pore import Cut, Pore, refusal, set_pore
from ._program import command
from ._sample import Core, Where, sample_options, takes_image
from ._progress import Progress, Watch
from ._values import (GREYS, SIDES, Length, Quantity, Reals, Side, Sides, edge, image, metres, pointer, quantity, sides)
from .errors import UsageError

Keep = Literal["percolating", "connected", "all"]
Caps = Literal["closed", "auto", "none"]
Letter = Literal["x", "y", "z"]
KEEPS: dict[Keep, int] = {"all": c.RILL_KEEP_ALL, "connected": c.RILL_KEEP_CONNECTED, "percolating": c.RILL_KEEP_PERCOLATING}
CAPS: dict[Caps, int] = {"closed": c.RILL_CAPS_IF_CLOSED, "auto": c.RILL_CAPS_AUTO, "none": c.RILL_CAPS_NONE}
KEPT_AXES = {"any": -1, "x": 0, "y": 1, "z": 2}
SURFACES = (".stl", ".obj", ".ply", ".vtp")


@dataclasses.dataclass(frozen=True)
class Porosity:
    """Pore fractions of the whole box, before pores were dropped; NaN where unknown.

    Attributes
    ----------
    total : float
        All pore voxels.
    connected : float
        Pores whose component reaches an outer face. Voxels are connected that share a face or, with D3Q19, an edge.
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


@dataclasses.dataclass(frozen=True, eq=False)
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


class _Owner:
    """What frees a geometry of the library. Copies of a `Geometry` share it; it has none itself."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def __copy__(self) -> _Owner:
        return self

    def __del__(self) -> None:
        library.rill_geom_destroy(self.handle)


class Geometry:
    """Voxels of solid and fluid, with their size and the domain boundaries.

    `voxelize` makes one of an image or a surface; `open` reads one from a file. A geometry does not change. copy.copy() shares
    the voxels, copy.deepcopy() and `copy` copy them; pickle carries the content of a geometry file.
    """

    def __init__(self, handle: Any) -> None:
        self._owner = _Owner(handle)
        self._c = handle
        self._g: Any = handle.contents
        self._again: Callable[[float, bool, Progress], Geometry] | None = None  # the surface with voxels of another edge, m

    def __copy__(self) -> Geometry:
        same = object.__new__(Geometry)
        same.__dict__.update(self.__dict__)
        return same

    def __deepcopy__(self, memo: dict[int, Any]) -> Geometry:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory(prefix="rill-") as folder:
            path = pathlib.Path(folder) / "a.geom.h5"
            self.save(path)
            return _unpickled, (path.read_bytes(),)

    def __repr__(self) -> str:
        nz, ny, nx = self.shape
        size = f"{self.voxel_size:.6g} m" if self.voxel_size else "unknown size"
        return f"<rill.Geometry of {nx} x {ny} x {nz} voxels along x, y, z of {size}, porosity {self.porosity.total:.4f}>"

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
        buffer._owner = self._owner
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
    def outside(self) -> npt.NDArray[np.bool_]:
        """True for voxels outside of the sample, shape (nz, ny, nx): all False unless the sample is a part of the box. A copy."""
        flags = np.empty(self.shape, np.uint8)
        library.rill_geom_outside(self._c, pointer(flags, ctypes.c_uint8))
        return flags.astype(bool)

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
        other = Geometry(out)
        other._again = self._again
        return other

    def coarser(self, spacing: float, allow_outside: bool, progress: Progress) -> Geometry:
        """Return the geometry of the same surface with voxels of another edge, m, as it was made."""
        if self._again is None:
            raise UsageError("The geometry does not say how it was made from its surface: give the one that voxelize made, or the path of its file.")
        made = self._again(spacing, allow_outside, progress)
        if text(made._g.source_hash) != text(self._g.source_hash):
            raise UsageError(f"The surface {self.source} is no more the one that the geometry was made from: voxelize it again.")
        return made

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


def _unpickled(content: bytes) -> Geometry:
    """Return the geometry of a geometry file in memory."""
    with tempfile.TemporaryDirectory(prefix="rill-") as folder:
        path = pathlib.Path(folder) / "a.geom.h5"
        path.write_bytes(content)
        geometry = read(path)
    geometry._again = None  # the file is gone
    return geometry


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
Source = Union[npt.ArrayLike, str, os.PathLike[str], Surface, Any]


@takes_image
def voxelize(
    source: Source,
    *,
    voxel_size: Length | None = None,
    pore: Pore = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides = "periodic",
    keep: Keep = "percolating",
    axis: Literal["any", "x", "y", "z"] | int = "any",
    crop: Mapping[Letter, tuple[int, int]] | None = None,
    mirror: str = "",
    resample: Length | None = None,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dx: Length | None = None,
    cells: int = 0,
    units: str | float | Quantity = "",
    extend: Length | None = None,
    names: Mapping[str, str] | None = None,
    caps: Caps = "closed",
    close_holes: bool = False,
    min_cells: float | None = None,
    axes: Literal["xyz", "yzx", "zxy"] = "xyz",
    allow_outside: bool = False,
    progress: Progress = None,
) -> Geometry:
    """Make a geometry of an image or of a triangle surface.

    Parameters
    ----------
    source : array_like, path, (vertices, triangles) or pyvista.PolyData
        An image: an array of three axes, or of two of one slice, or a file (TIFF, PNG, npy, npz, NRRD, MHD, NIfTI, VTI, legacy VTK, HDF5, NetCDF,
        text, raw, a pattern of TIFF or PNG slices; ``"scan.h5:/group/data"`` is one array of several). A surface: a
        file (STL, OBJ, PLY, VTP) or a folder of them, a pyvista.PolyData of triangles, or a pair of arrays, vertices of shape (V, 3) and triangles of
        shape (T, 3).
    voxel_size : float or str, optional
        Edge of a voxel of the image, with its unit or in m; default: what the file states, else unknown. A number above 1 mm or below 1 nm is
        refused: write ``"2 mm"`` if it is right.
    {image}
    sides : str or sequence of three str
        Domain boundaries normal to x, y, z of an image: 'periodic', 'mirror' or 'wall'.
    keep : {'percolating', 'connected', 'all'}
        Which pores of an image stay.
    axis : {'any', 'x', 'y', 'z'} or int
        Axis along which kept pores percolate. A number counts the axes of the array or of the file.
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
    where = Where(outside, mask, mask_inside, core, allow_outside)
    triangles = _triangles(source)
    if triangles is not None or _is_surface(source, units):
        if where.given():
            raise UsageError("The source is a surface: outside=, mask=, mask_inside= and core= do not apply.")
        if voxel_size is not None or pore is not None:
            raise UsageError("The source is a surface: voxel_size= and pore= do not apply; dx= gives the size of voxels.")
        options, keepers = _surface_options(dx, cells, units, extend, names, caps, close_holes, min_cells, axes, triangles)
        where_from = os.path.abspath(path_text(source)) if triangles is None else source
        made = _warned(_from_surface(source, triangles, options, keepers, progress))

        def again(spacing: float, allow_outside: bool, progress: Progress) -> Geometry:
            changed, keepers = _surface_options(spacing, 0, units, extend, names, caps, close_holes, min_cells, axes, triangles)
            return _from_surface(where_from, triangles, changed, keepers, progress)

        made._again = again
        return made
    if dx is not None or count(cells, "cells") or _given(units):
        raise UsageError("The source is an image: dx=, cells= and units= do not apply; voxel_size= gives the size of voxels.")
    options = image_options(voxel_size, sides, keep, crop, mirror, resample)
    _from_image(source, options, pore, order, axis, shape, dtype, progress, out, where)
    return _warned(Geometry(out))


def _from_surface(source: Any, triangles: Any, options: Any, keepers: Any, progress: Progress) -> Geometry:
    """Voxelize a surface in memory, or that of a file. What `options` points to is in `keepers`."""
    out = ctypes.POINTER(c.rill_geom)()
    with Watch(progress) as watch:
        if triangles is not None:
            view, arrays = _surface_view(triangles)
            watch.check(library.rill_triangles_voxelize(view, options, watch.c, ctypes.byref(out)))
            del arrays
        else:
            watch.check(library.rill_surface_file_voxelize(path_bytes(source), options, watch.c, ctypes.byref(out)))
    del keepers
    return Geometry(out)


def _warned(geometry: Geometry) -> Geometry:
    warn(geometry.notes)
    return geometry


def is_path(source: Any) -> bool:
    """Return whether a source is the path of a file, or a list of the paths of slices."""
    return isinstance(source, (str, os.PathLike)) or is_slices(source)


def _given(units: Any) -> bool:
    return not (units is None or isinstance(units, str) and not units)


def _is_surface(source: Any, units: Any) -> bool:
    return is_path(source) and not is_slices(source) and (_given(units) or pathlib.Path(path_text(source)).suffix.lower() in SURFACES)


def _triangles(source: Any) -> tuple[Array, Array] | None:
    """Return vertices and triangles of a surface in memory; None if the source is none."""
    if hasattr(source, "regular_faces") and hasattr(source, "points"):  # pyvista.PolyData
        vertices, triangles = source.points, source.regular_faces
    elif isinstance(source, tuple) and len(source) == 2:
        vertices, triangles = source
    else:
        return None
    try:
        vertices, numbers = np.ascontiguousarray(vertices, np.float64), np.asarray(triangles)
    except (TypeError, ValueError) as error:
        raise UsageError(f"The vertices or the triangles of the surface are no arrays of numbers: {error}.") from None
    if vertices.ndim != 2 or vertices.shape[1] != 3 or numbers.ndim != 2 or numbers.shape[1] != 3:
        raise UsageError(f"Vertices of shape {vertices.shape} and triangles of shape {numbers.shape} are no surface: "
                         "give (V, 3) and (T, 3).")
    if numbers.dtype.kind not in "ui":
        raise UsageError(f"The triangles have the type {numbers.dtype}: give numbers of vertices, an array of integers.")
    if not np.isfinite(vertices).all():
        raise UsageError("The surface has vertices that are not finite: every coordinate must be a number.")
    if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(vertices):
        raise UsageError(f"The triangles name vertices {numbers.min()} to {numbers.max()}: there are {len(vertices)}.")
    return vertices, np.ascontiguousarray(numbers, np.uint32)


def _surface_view(surface: tuple[Array, Array]) -> tuple[Any, Any]:
    vertices, triangles = surface
    view = c.rill_triangles(vertex_count=len(vertices), triangle_count=len(triangles))
    view.vertices = pointer(vertices, ctypes.c_double * 3)
    view.triangles = pointer(triangles, ctypes.c_uint32 * 3)
    return view, surface


def _surface_options(dx: Length | None, cells: int, units: Any, extend: Length | None,
                     names: Mapping[str, str] | None, caps: str, close_holes: bool, min_cells: float | None,
                     axes: str, triangles: Any) -> tuple[Any, Any]:
    """Return options of surfaces, and what they point to."""
    o = library.rill_surface_options_default()
    if not _given(units) and triangles is None:
        raise UsageError("A file of a surface does not state its unit: give units=, e.g. units='mm'.")
    o.unit = quantity(f"1 {units}", "m") if isinstance(units, str) and units else metres(units if _given(units) else 1.0, "units")
    o.spacing, o.cells = edge(dx, "dx"), count(cells, "cells")
    if isinstance(extend, str) and extend.rstrip().endswith("D") and not extend.rstrip().endswith("mD"):
        o.extend, o.extend_diameters = quantity(extend.rstrip()[:-1], "1"), True
    else:
        o.extend = metres(extend, "extend")
    o.caps, o.close_holes = choice(caps, CAPS, "caps"), flag(close_holes, "close_holes")
    o.rotation = choice(axes, {"xyz": 0, "yzx": 1, "zxy": 2}, "axes")
    if min_cells is not None:
        o.min_cells = real(min_cells, "min_cells")
    given = [encoded(old, "names") + b"=" + encoded(new, "names")
             for old, new in mapping(names, "names", "mapping of names, {'opening-1': 'inlet'}").items()]
    array = (ctypes.c_char_p * len(given))(*given)
    o.names, o.name_count = array, len(given)
    return o, array


def image_options(voxel_size: Length | None, boundaries: Sides, keep: Keep,
                  crop: Mapping[Letter, tuple[int, int]] | None = None, mirror: str = "", resample: Length | None = None) -> Any:
    """Return options of images, without what is said of grey values."""
    o = library.rill_voxelize_options_default()
    o.voxel_size = edge(voxel_size, "voxel_size")
    isotropic = isinstance(resample, str) and resample == "isotropic"
    o.resample = c.RILL_RESAMPLE_ISOTROPIC if isotropic else edge(resample, "resample")
    # What is given is usual, or has its unit; what the file states is checked.
    o.allow_voxel_size = voxel_size is not None or o.resample > c.RILL_VOXEL_SIZE_MOST
    sides(boundaries, o.sides)
    o.keep = choice(keep, KEEPS, "keep")
    for name, ends in mapping(crop, "crop", "mapping of ranges, {'x': (0, 100)}").items():
        k = choice(name, {"x": 0, "y": 1, "z": 2}, "crop")
        given = items(ends, f"crop[{name!r}]", "range of voxels: give first and end, 0 <= first < end")
        low, high = (count(end, f"crop[{name!r}]") for end in given) if len(given) == 2 else (1, 0)
        if not low < high:
            raise UsageError(f"crop = {{{name!r}: {shown(ends)}}} is no range of voxels: give first and end, 0 <= first < end.")
        o.crop[k][0], o.crop[k][1] = low, high
    for name in mirror if isinstance(mirror, str) else items(mirror, "mirror", "text of axes, e.g. 'xz'"):
        o.mirror[choice(name, {"x": 0, "y": 1, "z": 2}, "mirror")] = True
    return o


def axis_of(axis: Any, letters: str, choices: Mapping[Any, int]) -> int:
    """Return the number of one or several axes: letters, small or capital, or numbers that count the axes of an array or a file."""
    found = axis
    if isinstance(axis, str) and axis not in choices:
        found = axis.lower().replace(",", "").replace(" ", "")
        if found and letters and all(a in "012" for a in found):
            found = "".join(letters[int(a)] for a in found)
        found = "".join(sorted(set(found))) if len(set(found)) == len(found) else axis
    elif isinstance(axis, (int, np.integer)) and not isinstance(axis, bool) and 0 <= axis < len(letters):
        found = letters[int(axis)]
    if not isinstance(found, str) or found not in choices:
        counted = "".join(f", {k} ({a})" for k, a in enumerate(letters))
        raise UsageError(f"axis = {shown(axis)} is none of {', '.join(map(repr, choices))}{counted}.")
    return choices[found]


def _raw_options(o: Any, shape: Sequence[int] | None, dtype: npt.DTypeLike | None) -> None:
    """Set what a raw file does not say itself."""
    if shape is not None:
        given = items(shape, "shape", "shape of three axes: voxels along z, y, x")
        if len(given) != 3:
            raise UsageError(f"shape = {shown(shape)} has not three axes: voxels along z, y, x.")
        o.image.n[:] = [count(n, "shape") for n in reversed(given)]
    if dtype is not None:
        try:
            kind = np.dtype(dtype)
        except (TypeError, ValueError):
            kind = np.dtype(object)
        if kind.newbyteorder("=") not in GREYS:
            raise UsageError(f"dtype = {shown(dtype)} is no type of grey values: give one such as 'u1', 'u2' or 'f4'.")
        o.image.type = GREYS[kind.newbyteorder("=")]
        if not kind.isnative:
            o.image.big_endian = kind.byteorder == ">"


def _from_image(source: Any, o: Any, pores: Pore | Cut, order: Any, axis: Any, shape: Sequence[int] | None, dtype: npt.DTypeLike | None,
                progress: Progress, out: Any, where_sample: Where = Where()) -> str:
    """Make a geometry of an image. Return the letters of the axes of the array or the file, first to last."""
    source, pores, outside, order = in_memory(source, pores, where_sample.outside, order)
    with as_file(source) as opened:
        return _from_opened(opened, o, pores, order, axis, shape, dtype, progress, out, dataclasses.replace(where_sample, outside=outside))


def _from_opened(source: Any, o: Any, pores: Pore | Cut, order: Any, axis: Any, shape: Sequence[int] | None, dtype: npt.DTypeLike | None,
                 progress: Progress, out: Any, where_sample: Where) -> str:
    """Do so with a file or an array."""
    set_pore(pores, o)
    report = c.rill_voxelize_report()
    phased = (c.rill_phase * len(where_sample.phases))(*where_sample.phases) if where_sample.phases else None
    with Watch(progress) as watch:
        if is_path(source):
            path = path_bytes(source)
            _raw_options(o, shape, dtype)
            kept = sample_options(where_sample, o, None, False)
            if order is not None:
                if not re.search(r"\.(npy|npz|h5|hdf5?|he5|nc|nc4|cdf|nxs|dream3d|mat)(:|$)", path_text(source).lower()):
                    raise UsageError(f"order = {shown(order)} is the order of the axes of an array, and {path_text(source)} is no file of one: "
                                     "leave order= out.")
                o.axes[:] = ["xyz".index(a) for a in order_of(order)]
            o.axis = axis_of(axis, "", KEPT_AXES)  # which axes a file has is unknown before it is read
            if phased is None:
                status = library.rill_image_voxelize(path, o, watch.c, ctypes.byref(out), report)
            else:
                status = library.rill_image_voxelize_phases(path, o, phased, len(phased), watch.c, ctypes.byref(out), report)
            del kept
            letters = "".join("xyz"[a] for a in report.axes[:])
        else:
            array, where, letters = image(source, order)
            turned = where != tuple("xyz".index(a) for a in reversed(letters))
            kept = sample_options(where_sample, o, array_of(source), turned)
            o.image.n[:] = array.shape[::-1]
            o.image.type = GREYS[array.dtype]
            o.axes[:] = where
            o.axis = axis_of(axis, letters, KEPT_AXES)
            if phased is None:
                status = library.rill_array_voxelize(array.ctypes.data, o, watch.c, ctypes.byref(out), report)
            else:
                status = library.rill_array_voxelize_phases(array.ctypes.data, o, phased, len(phased), watch.c, ctypes.byref(out), report)
            del kept
        if status == c.RILL_USAGE and report.pore_unknown:
            raise UsageError(refusal(report, path_text(source) if is_path(source) else ""))
        watch.check(status)
        return letters


def as_geometry(source: Any, voxel_size: Length | None, pores: Pore | Cut, order: Any, boundaries: Sides | None,
                progress: Progress, where: Where = Where()) -> tuple[Geometry, str]:
    """Return a geometry with all its pores, of an image, or a copy of a geometry with these domain boundaries; and the letters of
    the axes of the array or the file, first to last."""
    if is_path(source) and not is_slices(source) and path_text(source).endswith(".geom.h5"):
        source = read(source)
    if not isinstance(source, Geometry):
        out = ctypes.POINTER(c.rill_geom)()
        options = image_options(voxel_size, "periodic" if boundaries is None else boundaries, "all")
        letters = _from_image(source, options, pores, order, "any", None, None, progress, out, where)
        return Geometry(out), letters
    if pores is not None:
        raise UsageError("The source is a geometry, no image: pore= and threshold= do not apply.")
    if where.phases:
        raise UsageError("The source is a geometry, no image: phases= does not apply.")
    if where.given():
        raise UsageError("The source is a geometry, which says where its sample is: outside=, mask=, mask_inside= and core= do not apply.")
    geometry = source.copy()
    if voxel_size is not None:
        geometry._g.spacing = edge(voxel_size, "voxel_size")
    if boundaries is not None:
        sides(boundaries, geometry._g.sides)
        geometry._g.porosity.percolating[:] = [-1.0] * 3  # to be found again
    return geometry, "zyx"


def read(path: str | os.PathLike[str]) -> Geometry:
    """Read a `*.geom.h5` file."""
    out = ctypes.POINTER(c.rill_geom)()
    with files:
        check(library.rill_geom_read(path_bytes(path), ctypes.byref(out)))
    geometry, where = Geometry(out), os.path.abspath(path_text(path))

    def again(spacing: float, allow_outside: bool, progress: Progress) -> Geometry:
        """Let the program repeat the command that the file keeps."""
        with tempfile.TemporaryDirectory(prefix="rill-") as folder:
            made = os.path.join(folder, "a.geom.h5")
            command("voxelize", where, "--dx", f"{spacing!r}m", *(["--allow-outside"] if allow_outside else []), "-q", "-o", made)
            coarser = read(made)
        coarser._again = None  # the file is gone
        return coarser

    geometry._again = again if geometry._g.surface else None
    return geometry
