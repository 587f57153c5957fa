# SPDX-License-Identifier: Apache-2.0
"""The files that rill writes for other programs: tables (CSV), surfaces (STL), pictures (PNG), raw images."""

from __future__ import annotations

import csv
import os
import pathlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import path_text, unreadable
from ._arrays import Array
from ._library import need
from ._values import Floats
from .errors import UsageError, printable

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])  # of a binary STL file


class Table(Mapping[str, Array]):
    """A CSV file: a mapping from the names of columns to their values.

    Attributes
    ----------
    path : pathlib.Path
    units : dict of str
        By column: ``"m3/s"``; empty where the header has none.

    Examples
    --------
    >>> import pathlib, rill, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "openings.csv"
    >>> _ = path.write_text("step [1],inlet.flow [m3/s]\\n4,1e-7\\n8,2e-7\\n")
    >>> table = rill.open(path)
    >>> float(table["inlet.flow"].max()), table.units["inlet.flow"], table["step"].dtype.kind
    (2e-07, 'm3/s', 'i')
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: pathlib.Path = pathlib.Path(path_text(path))
        try:
            with self.path.open(newline="", encoding="utf-8") as file:
                header, *rows = [[_plain(cell) for cell in row] for row in csv.reader(file) if row] or [[]]
        except OSError as error:
            raise unreadable(self.path, error) from None
        except (csv.Error, UnicodeDecodeError) as error:
            raise UsageError(f"{self.path} is no table: {error}.") from None
        for row in rows:
            if len(row) != len(header):
                raise UsageError(f"{self.path} is damaged: a row has {len(row)} values, the header {len(header)}.")
        found = [re.fullmatch(r"(.*?)\s*(?:\[([^\]]*)\])?", title) for title in header]
        names = [match[1] if match else "" for match in found]
        if not header or len(set(names)) != len(names):
            raise UsageError(f"{self.path} has no header with the names of its columns.")
        self.units: dict[str, str] = {name: match[2] or "" for name, match in zip(names, found) if match}
        self._columns: dict[str, Array] = {name: _column([row[k] for row in rows]) for k, name in enumerate(names)}

    def __repr__(self) -> str:
        return printable(f"<rill.Table {self.path}: {len(next(iter(self.values())))} rows of {', '.join(self)}>")

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    __eq__ = object.__eq__  # identity: that of a mapping asks arrays whether they are true
    __hash__ = object.__hash__

    def to_dataframe(self) -> Any:
        """Return a pandas.DataFrame; `attrs` of it has the units. Needs pandas."""
        frame = need("pandas", "to_dataframe()").DataFrame(dict(self))
        frame.attrs["units"] = dict(self.units)
        return frame

    def to_xarray(self) -> Any:
        """Return an xarray.Dataset with the dimension 'row' and units. Needs xarray."""
        return need("xarray", "to_xarray()").Dataset(
            {name: ("row", values, {"units": self.units[name]}) for name, values in self.items()})


def _plain(cell: str) -> str:
    """Return a cell without the apostrophe that rill puts before a text that spreadsheets would take for a formula."""
    formula = re.match(r"'+[=+\-@\t\r]", cell) and not re.fullmatch(r"'+(-inf|[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)", cell)
    return cell[1:] if formula else cell


def _column(texts: list[str]) -> Array:
    for kind in (np.int64, np.float64):
        try:
            return np.array([text if text else "nan" for text in texts], dtype=str).astype(kind)
        except ValueError:
            continue
    return np.array(texts)


def surface(path: pathlib.Path) -> tuple[Floats, npt.NDArray[np.uint32]]:
    """Return vertices, shape (V, 3), in units of the file, and triangles, shape (T, 3), of a binary STL file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + count * RECORD.itemsize or not count:
        raise UsageError(f"{path} is no binary STL file: voxelize reads other surfaces.")
    corners = np.frombuffer(data, RECORD, offset=84)["corners"].reshape(-1, 3)
    vertices, numbers = np.unique(corners, axis=0, return_inverse=True)
    return vertices, numbers.reshape(-1, 3).astype(np.uint32)


def picture(path: pathlib.Path) -> Array:
    """Return the pixels of a picture, uint8, shape (rows, columns, 3). Needs Pillow."""
    image = need("PIL.Image", "rill.open of a picture", "pillow")
    try:
        return np.asarray(image.open(path).convert("RGB"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}.") from None


def raw(path: pathlib.Path, shape: tuple[int, int, int] | None) -> Array:
    """Return a raw image of bytes as a read-only map of the file, shape (nz, ny, nx): pore 0, solid 255."""
    named = re.search(r"(\d+)x(\d+)x(\d+)", path.name)
    if shape is None and named:
        shape = (int(named[3]), int(named[2]), int(named[1]))
    if shape is None:
        raise UsageError(f"{path} does not state its size: give shape=(nz, ny, nx), or write it into the name, NXxNYxNZ.")
    try:
        size = path.stat().st_size
        if size != shape[0] * shape[1] * shape[2] or not size:
            raise UsageError(f"{path} has {size} bytes, not the {shape[2]} x {shape[1]} x {shape[0]} of its shape.")
        return np.memmap(path, np.uint8, "r", shape=shape)
    except OSError as error:
        raise unreadable(path, error) from None
