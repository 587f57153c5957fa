# SPDX-License-Identifier: Apache-2.0
"""The files that rill writes: HDF5 read lazily through the C library, series of snapshots, JSON."""

from __future__ import annotations

import ctypes
import json
import operator
import os
import pathlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _interface as c
from ._arguments import count, encoded, items, path_bytes, path_text, shown, unreadable
from ._arrays import Array
from ._geometry import Geometry, read
from ._library import check, files, library, need, text
from ._tables import Table, picture, raw, surface
from .errors import UsageError, printable

Attribute = Union[str, int, float, Array]
TYPES: dict[int, np.dtype[Any]] = {
         c.RILL_ELEMENT_U8: np.dtype("u1"), c.RILL_ELEMENT_U32: np.dtype("u4"), c.RILL_ELEMENT_U64: np.dtype("u8"),
         c.RILL_ELEMENT_I64: np.dtype("i8"), c.RILL_ELEMENT_F32: np.dtype("f4"), c.RILL_ELEMENT_F64: np.dtype("f8")}


class _Handle:
    """An open file of the library; datasets and groups share it."""

    def __init__(self, path: str) -> None:
        self.path: str = path
        self.c: Any = ctypes.POINTER(c.rill_file)()
        with files:
            check(library.rill_file_open(path_bytes(path), ctypes.byref(self.c)))

    def close(self) -> None:
        handle, self.c = self.c, None
        if handle:
            with files:
                library.rill_file_close(handle)

    def __del__(self) -> None:
        if getattr(self, "c", None):
            self.close()

    @property
    def open(self) -> Any:
        if not self.c:
            raise UsageError(f"{self.path} was closed.")
        return self.c

    def names(self, function: Any, path: str) -> list[str]:
        found: list[str] = []

        def take(_context: Any, name: bytes) -> bool:
            found.append(text(name))
            return True

        with files:
            check(function(self.open, encoded(path, "path"), c.rill_file_name_fn(take), None))
        return found

    def attribute(self, path: str, name: str) -> Attribute:
        out = c.rill_attribute()
        with files:
            check(library.rill_file_attribute(self.open, encoded(path, "path"), encoded(name, "name"), out))
        try:
            if out.text is not None:
                return text(out.text)
            values: Any = out.reals if out.reals else out.integers
            found: Attribute = values[0] if out.count == 1 else np.array(values[: out.count])
            return found
        finally:
            library.rill_attribute_free(out)

    def attributes(self, path: str) -> dict[str, Attribute]:
        found = {}
        for name in self.names(library.rill_file_attributes, path):
            try:
                found[name] = self.attribute(path, name)
            except UsageError:  # references of dimension scales
                continue
        return found


class Dataset:
    """An array in a file. Nothing is read before it is indexed: ``dataset[3, 10:20]``, ``dataset[...]``.

    Attributes
    ----------
    path : str
        Its path in the file.
    shape : tuple of int
        Elements along each axis, slowest first.
    dtype : numpy.dtype
    """

    def __init__(self, handle: _Handle, path: str) -> None:
        self._h, self.path = handle, path
        found = c.rill_dataset()
        with files:
            check(library.rill_file_dataset(handle.open, encoded(path, "path"), found))
        if found.type not in TYPES:
            raise UsageError(f"{handle.path}: {path} has elements of a type that rill does not write.")
        self.shape: tuple[int, ...] = tuple(found.n[: found.rank])
        self.dtype: np.dtype[Any] = TYPES[found.type]

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self._h.path, self.path)

    def __repr__(self) -> str:
        return printable(f"<rill.Dataset {self.path}, {self.dtype}, shape {self.shape}>")

    @property
    def attrs(self) -> dict[str, Attribute]:
        """Attributes: 'units', 'long_name', 'unitSI' and others."""
        return self._h.attributes(self.path)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"{self.path} is a single value.")
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[...], dtype)

    def __getitem__(self, key: Any) -> Any:
        first, size, after = self._block(key if isinstance(key, tuple) else (key,))
        out = np.empty(size, self.dtype)
        if out.size:
            rank = len(self.shape)
            whole = not rank or tuple(size) == self.shape
            numbers = ctypes.c_uint64 * rank
            with files:
                check(library.rill_file_read(self._h.open, encoded(self.path, "path"), None if whole else numbers(*first),
                                             None if whole else numbers(*size), out.ctypes.data))
        return out[tuple(after)]

    def _block(self, key: tuple[Any, ...]) -> tuple[list[int], list[int], list[Any]]:
        """Return first element and size of the block to read, and what to take of it."""
        if key.count(Ellipsis) > 1 or len(key) - key.count(Ellipsis) > len(self.shape):
            raise IndexError(f"{self.path} has {len(self.shape)} axes: {key} has too many.")
        at = key.index(Ellipsis) if Ellipsis in key else len(key)
        fill = (slice(None),) * (len(self.shape) - len(key) + key.count(Ellipsis))
        first: list[int] = []
        size: list[int] = []
        after: list[Any] = []
        for item, n in zip(key[:at] + fill + key[at + 1 :], self.shape):
            if isinstance(item, slice):
                taken = range(n)[item]
                low, high = (min(taken[0], taken[-1]), max(taken[0], taken[-1]) + 1) if taken else (0, 0)
                after.append(slice(None, None, item.step))
            else:
                low = operator.index(item)
                low += n if low < 0 else 0
                if not 0 <= low < n:
                    raise IndexError(f"{self.path}: index {item} is not within {n} elements.")
                high = low + 1
                after.append(0)
            first.append(low)
            size.append(high - low)
        return first, size, after


class Group(Mapping[str, "Union[Group, Dataset]"]):
    """A group of a file: a mapping from names, or paths ``"series/z/k_zz"``, to groups and datasets."""

    def __init__(self, handle: _Handle, path: str) -> None:
        self._h, self.path = handle, path

    __eq__ = object.__eq__  # identity: those of a mapping compare what was read
    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self._h.path, self.path)

    def __repr__(self) -> str:
        return printable(f"<rill.{type(self).__name__} {self._h.path}:{self.path}, with {', '.join(self) or 'nothing'}>")

    @property
    def attrs(self) -> dict[str, Attribute]:
        """Attributes of the group."""
        return self._h.attributes(self.path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._h.names(library.rill_file_members, self.path))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> Group | Dataset:
        if not isinstance(name, str) or "\0" in name:
            raise KeyError(name)
        path = "/" + "/".join(p for p in f"{self.path}/{name}".split("/") if p)
        with files:
            found = library.rill_file_has_dataset(self._h.open, encoded(path, "path"))
        if found:
            return Dataset(self._h, path)
        group = Group(self._h, path)
        try:
            iter(group)
        except UsageError:
            raise KeyError(name) from None
        return group

    def dataset(self, name: str) -> Dataset:
        """Return a dataset of this group."""
        found = self[name]
        if not isinstance(found, Dataset):
            raise UsageError(f"{self._h.path}: {found.path} is a group, no dataset.")
        return found

    def group(self, name: str) -> Group:
        """Return a group of this group."""
        found = self[name]
        if not isinstance(found, Group):
            raise UsageError(f"{self._h.path}: {found.path} is a dataset, no group.")
        return found

    def datasets(self) -> dict[str, Dataset]:
        """Return the datasets of this group by name."""
        return {name: found for name in self if isinstance(found := self[name], Dataset)}

    def to_xarray(self) -> Any:
        """Return the datasets of this group as an xarray.Dataset with units and coordinates. Needs xarray.

        Rows of a series have the dimension 'step' and the coordinate 'time', if there is one; fields of voxels have
        'z', 'y', 'x' with coordinates in metres.
        """
        xarray = need("xarray", "to_xarray()")
        found, variables = self.datasets(), {}
        scales = {name: len(d) for name, d in found.items() if name in ("step", "place", "time") and len(d.shape) == 1}
        if "step" in scales:
            scales.pop("time", None)
        voxels = self._voxels()
        for name, d in found.items():
            grid = voxels is not None and d.shape[:3] == tuple(len(v) for v in voxels.values())
            dims = [("z", "y", "x")[k] if grid and k < 3 else self._dimension(k, d.shape, scales) for k in range(len(d.shape))]
            variables[name] = (dims, d[...], d.attrs)
        data = xarray.Dataset(variables, {k: (k, v, {"units": "m"}) for k, v in (voxels or {}).items()})
        return data.set_coords([name for name in (*scales, "time") if name in data])

    def _dimension(self, axis: int, shape: tuple[int, ...], scales: Mapping[str, int]) -> str:
        """Return the name of an axis: that of a scale of its length, or one that axes of the same length share."""
        size = shape[axis]
        if axis == 0 and self.path.endswith("/CellData"):
            return "cell"
        if size == 3 and axis == len(shape) - 1:
            return "component"
        return next((scale for scale, n in scales.items() if n == size), f"n{size}")

    def _voxels(self) -> dict[str, Array] | None:
        """Return centres of the voxels along z, y, x, if this group has fields on voxels."""
        grid = self.path.rsplit("/", 1)[0]
        if not self.path.endswith("/PointData") or not isinstance(self._h.attributes(grid).get("Spacing"), np.ndarray):
            return None
        a = self._h.attributes(grid)
        extent: Any = a["WholeExtent"]
        origin: Any = a["Origin"]
        spacing: Any = a["Spacing"]
        return {name: origin[k] + spacing[k] * np.arange(extent[2 * k + 1] - extent[2 * k] + 1.0)
                for name, k in (("z", 2), ("y", 1), ("x", 0))}


def _reopened(file: str, path: str) -> File | Group | Dataset:
    """Return what a file has at a path: files are opened again by the process that gets them."""
    opened = File(file)
    found: File | Group | Dataset = opened if path == "/" else opened[path]
    return found


class File(Group):
    """An HDF5 file of rill, read lazily; also a context that closes it.

    Examples
    --------
    >>> import numpy, rill, tempfile
    >>> path = tempfile.mkdtemp() + "/box.geom.h5"
    >>> rill.voxelize(numpy.ones((2, 3, 4), bool), keep="all", voxel_size=1e-6).save(path)
    >>> with rill.open(path) as file:
    ...     file.format, file.dataset("voxels").shape, int(file["voxels"][1, 2, 3])
    ('rill-geometry', (2, 3, 4), 1)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(_Handle(path_text(path)), "/")
        if not str(self.attrs.get("format", "")).startswith("rill-"):
            self.close()
            raise UsageError(f"{path_text(path)} is an HDF5 file, but none that rill wrote.")

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._h.close()

    @property
    def format(self) -> str:
        """'rill-geometry', 'rill-result', 'rill-fields', 'rill-cells', 'rill-wall' or 'rill-checkpoint'."""
        return str(self.attrs["format"])

    def geometry(self) -> Geometry:
        """Return the geometry, of a geometry file."""
        return read(self._h.path)

    def series(self) -> dict[str, dict[str, Dataset]]:
        """Return the series of a result: by run or place ('z', 'openings'), then by column."""
        if "series" not in self:
            return {}
        group = self.group("series")
        return {name: group.group(name).datasets() for name in group}

    def fields(self) -> dict[str, Dataset]:
        """Return the fields of a field or wall file: 'velocity', 'pressure', 'TAWSS', …"""
        found: dict[str, Dataset] = {}
        for name in ("PointData", "CellData"):
            if f"VTKHDF/{name}" in self:
                found.update(self.group(f"VTKHDF/{name}").datasets())
        return found

    def h5py(self) -> Any:
        """Return the same file opened for reading by h5py, which the caller closes. Needs h5py."""
        module = need("h5py", "h5py()")
        _ = self._h.open  # a file that was closed is refused
        try:
            return module.File(self._h.path, "r")
        except OSError as error:
            raise UsageError(f"{self._h.path} cannot be opened by h5py: {error}.") from None

    def to_pyvista(self) -> Any:
        """Return the mesh of a field or wall file, read by pyvista."""
        return need("pyvista", "to_pyvista()").read(self._h.path)


class Snapshots(Sequence["File"]):
    """Files of a series in time, opened when they are indexed.

    Attributes
    ----------
    times : list of float
        s.
    paths : list of pathlib.Path
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        given = pathlib.Path(path_text(path))
        try:
            found = given.read_text("utf-8", "replace")
        except OSError as error:
            raise unreadable(given, error) from None
        self.times, self.paths = [], []
        for grid in re.split(r"<Grid\b", found):
            time, file = re.search(r'<Time Value="([^"]+)"', grid), re.search(r">\s*([^<>:/]+\.vtkhdf):/", grid)  # beside it
            if time and file:
                self.times.append(float(time[1]))
                self.paths.append(given.parent / file[1])
        if not self.paths:
            raise UsageError(f"{given} names no snapshots: it is no .xmf file of rill.")

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [File(path) for path in self.paths[key]]
        return File(self.paths[key])


class Results:
    """The directory that a run of a vessel wrote; its files are opened when they are used.

    Attributes
    ----------
    path : pathlib.Path
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path_text(path))
        if not any((self.path / name).exists() for name in ("summary.json", "run.h5", "wall.vtkhdf")):
            raise UsageError(f"{self.path} has neither summary.json, run.h5 nor wall.vtkhdf: it is no directory of results.")

    @property
    def summary(self) -> dict[str, Any]:
        """Content of summary.json, which the program ``rill run`` writes."""
        return _json(self.path / "summary.json")

    def series(self) -> dict[str, dict[str, Dataset]]:
        """Return the series of run.h5 by place ('openings', 'wall', …), then by column."""
        return File(self.path / "run.h5").series()

    @property
    def run(self) -> File:
        """run.h5."""
        return File(self.path / "run.h5")

    @property
    def wall(self) -> File:
        """Wall shear of the last cycle on the triangles of the surface."""
        return File(self.path / "wall.vtkhdf")

    @property
    def walls(self) -> Snapshots:
        """Wall shear at each phase."""
        return Snapshots(self.path / "wall-phases.xmf")

    @property
    def fields(self) -> Snapshots:
        """Velocity, pressure and shear rate at each phase."""
        return Snapshots(self.path / "fields-phases.xmf")


def _json(path: pathlib.Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}.") from None
    return found


def open(path: str | os.PathLike[str], shape: tuple[int, int, int] | None = None) -> Any:
    """Open a file that rill wrote.

    Parameters
    ----------
    path : path
        See the table.
    shape : tuple of int, optional
        Voxels along z, y, x of a raw image whose name does not state them.

    Returns
    -------
    File
        of HDF5 (``.h5``, ``.vtkhdf``): geometries, results, fields, walls and checkpoints. Arrays are read when they are indexed.
    Snapshots
        of a series (``.xmf``). A snapshot is opened when it is indexed.
    Results
        of the directory of a vessel's results. Its files are opened when they are used.
    Table
        of CSV.
    dict
        of JSON.
    (vertices, triangles)
        of a surface (``.stl``), shapes (V, 3) and (T, 3), as `voxelize` takes it.
    ndarray of uint8
        of a picture (``.png``), shape (rows, columns, 3), with Pillow; of a raw image (``.raw``), shape (nz, ny, nx), a read-only
        map of the file.

    Raises
    ------
    UsageError
        The file is missing, damaged, or none of rill.
    """
    given = pathlib.Path(path_text(path))
    try:
        is_folder = given.is_dir()
    except OSError as error:  # of a name that is too long
        raise unreadable(given, error) from None
    if is_folder:
        return Results(given)
    suffix = given.suffix.lower()
    if suffix == ".raw":
        sizes = None if shape is None else [count(n, "shape") for n in items(shape, "shape", "shape of three axes: voxels along z, y, x")]
        if sizes is not None and len(sizes) != 3:
            raise UsageError(f"shape = {shown(shape)} has not three axes: voxels along z, y, x.")
        return raw(given, None if sizes is None else (sizes[0], sizes[1], sizes[2]))
    if shape is not None:
        raise UsageError(f"{given} is no raw image: shape= does not apply.")
    readers: dict[str, Callable[[pathlib.Path], Any]] = {
        ".xmf": Snapshots, ".json": _json, ".csv": Table, ".stl": surface, ".png": picture}
    return readers.get(suffix, File)(given)
