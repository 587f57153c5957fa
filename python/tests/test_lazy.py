# SPDX-License-Identifier: Apache-2.0
"""Images that are read part by part: chunked arrays, lists of slices, and pyvista.ImageData."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image


class Chunked:
    """An array as dask and zarr have it, which remembers what is read at a time."""

    def __init__(self, values: Any, chunks: Any) -> None:
        self.values, self.chunks, self.shape, self.dtype, self.most = values, chunks, values.shape, values.dtype, 0

    def __getitem__(self, key: Any) -> Any:
        part = self.values[key]
        self.most = max(self.most, part.size)
        return part

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise MemoryError("too large")


def same(one: rill.Geometry, other: rill.Geometry) -> None:
    assert np.array_equal(one.voxels, other.voxels) and np.array_equal(one.outside, other.outside)


@pytest.mark.parametrize("chunks", [(8, 24, 24), ((8, 8, 8), (24,), (24,))])
def test_chunked_arrays_are_never_whole(rock: Image, chunks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rill._lazy.PART", 100)
    for values, more in ((rock, {}), (np.where(rock, 3.5, 7.0), {"pore": 3.5}), (np.where(rock, 200, 7).astype("u2"), {"pore": "100-255"})):
        source = Chunked(values, chunks)
        same(rill.voxelize(source, keep="all", **more), rill.voxelize(values, keep="all", **more))
        assert source.most == 8 * 24 * 24
    grey = np.where(rock, 200, 7).astype("u1")
    grey[:, :2] = 50
    same(rill.voxelize(Chunked(grey, chunks), pore=200, outside=50, keep="all"), rill.voxelize(grey, pore=200, outside=50, keep="all"))
    turned = Chunked(rock.transpose(2, 1, 0), chunks)
    assert rill.permeability(turned, axis="x", order="xyz", device="cpu").k_lu == rill.permeability(rock, axis="x", device="cpu").k_lu
    for values, more, words in ((np.full(rock.shape, np.nan), {"pore": 0}, "NaN"), (grey, {"pore": "7-200", "outside": 50}, "at the same time"),
                                (grey, {}, "cannot be read")):
        with pytest.raises(rill.UsageError, match=words):
            rill.voxelize(Chunked(values, chunks), **more)


def test_dask_and_zarr(rock: Image, tmp_path: pathlib.Path) -> None:
    dask = pytest.importorskip("dask.array")
    expected = rill.voxelize(rock, keep="all")
    same(rill.voxelize(dask.from_array(rock, chunks=(5, 24, 12)), keep="all"), expected)
    zarr = pytest.importorskip("zarr")
    stored = zarr.create_array(tmp_path / "a.zarr", shape=rock.shape, chunks=(5, 24, 24), dtype="u1")
    stored[...] = rock
    same(rill.voxelize(stored, pore=1, keep="all"), expected)


def test_an_xarray_of_chunks_keeps_its_dims(rock: Image) -> None:
    dask, xarray = pytest.importorskip("dask.array"), pytest.importorskip("xarray")
    source = xarray.DataArray(dask.from_array(rock.transpose(2, 1, 0), chunks=(6, 24, 24)), dims=("x", "y", "z"))
    same(rill.voxelize(source, keep="all"), rill.voxelize(rock, keep="all"))


def test_a_list_of_slices_is_an_image_in_its_order(rock: Image, tmp_path: pathlib.Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    names = []
    for k in range(len(rock)):  # names in another order than the slices
        names.append(tmp_path / f"cut {(7 * k) % 24}.png")
        pillow.fromarray(np.where(rock[k], 255, 0).astype(np.uint8)).save(names[-1])
    same(rill.voxelize(names, pore=255, keep="all"), rill.voxelize(rock, keep="all"))
    assert rill.permeability([str(n) for n in names], pore=255, axis="z", device="cpu").k_lu == rill.permeability(rock, axis="z", device="cpu").k_lu
    same(rill.voxelize(list(rock), keep="all"), rill.voxelize(rock, keep="all"))
    for change, words in (([*names[:3], tmp_path / "none.png"], "slice 3 of 4"), ([names[0], "a.tif"], "several formats"),
                          ([__file__, __file__], "TIFF or PNG")):
        with pytest.raises(rill.UsageError, match=words):
            rill.voxelize(change, pore=255)


def test_image_data_of_pyvista(rock: Image) -> None:
    pyvista = pytest.importorskip("pyvista")
    im = rock[:20, :22]
    cells = pyvista.ImageData(dimensions=(25, 23, 21))
    cells.cell_data["rock"] = im.ravel().astype(np.uint8)
    points = pyvista.ImageData(dimensions=(24, 22, 20))
    points.point_data["rock"] = im.ravel().astype(np.uint8)
    for source in (cells, points):
        same(rill.voxelize(source, pore=1, keep="all"), rill.voxelize(im, keep="all"))
    cells.cell_data["other"] = 1 - im.ravel().astype(np.uint8)
    cells.set_active_scalars("rock")
    same(rill.voxelize(cells, pore=1, keep="all"), rill.voxelize(im, keep="all"))
    with pytest.raises(rill.UsageError, match="0 arrays"):
        rill.voxelize(pyvista.ImageData(dimensions=(3, 3, 3)))
    again = rill.voxelize(im, voxel_size="2 um", keep="all").to_pyvista()
    same(rill.voxelize(again, pore=1, voxel_size="2 um", keep="all"), rill.voxelize(im, voxel_size="2 um", keep="all"))
