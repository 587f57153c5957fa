# SPDX-License-Identifier: Apache-2.0
"""Which values of an image are pore."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import rill

from conftest import Image


def porosity(im: Any, **options: Any) -> float:
    return rill.voxelize(im, keep="all", **options).porosity.total


@pytest.mark.parametrize("pore", [[1, 2], {1, 2}, np.array([1, 2]), (v for v in (1, 2)), "1-2", "1:2", "1,2", range(1, 3), [(1, 2)], ["1-2"], [range(1, 3)],
                                  [np.uint8(1), 2.0]])
def test_values_and_ranges_are_pore(pore: Any) -> None:
    im = np.arange(60, dtype=np.int16).reshape(3, 4, 5) % 5
    assert porosity(im, pore=pore) == 0.4
    assert porosity(im - 3, pore="-2--1") == 0.4


@pytest.mark.parametrize("pore, words", [
    ((0, 2), r"pore=\[0, 2\] for the two values, or pore=\"0:2\" for the range"), ((0, 1, 2), "not understood"), (slice(0, 2), "not understood"),
    ([[0, 2]], "not understood"), ("2-0", "lower end first"), ("0-", "not understood"), ({0: 1}, "not understood"), (np.ones((3, 4, 5), bool), "not a mask"),
    (range(0), "has 0 ranges"), (range(0, 200, 2), "has more than 32 values that are no neighbours"), (float("nan"), "no range"), (b"0", "not understood"),
])
def test_what_may_mean_two_things_is_refused(pore: Any, words: str) -> None:
    with pytest.raises(rill.UsageError, match=words):
        rill.voxelize(np.arange(60, dtype=np.uint8).reshape(3, 4, 5), pore=pore)


def test_arrays_and_files_of_numbers_need_pore(rock: Image, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "mask.npy"
    for scale in (1, 255):
        mask = rock.astype(np.uint8) * scale
        np.save(path, mask)
        listed = rf"\(uint8\) are pore: 0 \({100 - 100 * rock.mean():.4g} %\), {scale} \({100 * rock.mean():.4g} %\)\. Give pore=0 or pore={scale}"
        for source in (mask, path):
            with pytest.raises(rill.UsageError, match=listed):
                rill.permeability(source, axis="x")
            assert porosity(source, pore=scale) == rock.mean() and porosity(source, pore=0) == pytest.approx(1 - rock.mean())
    with pytest.raises(rill.UsageError, match="mask.npy: .*took 0 as pore: pore=0"):
        rill.voxelize(path)
    with pytest.raises(rill.UsageError, match=r"Give pore=0 or pore=\[1, 2\],"):
        rill.voxelize(np.arange(60).reshape(3, 4, 5) % 3)
    with pytest.raises(rill.UsageError, match=r"more than 1000 values from 0.5 to 1799.5. Give pore=\"0.5:T\" or pore=\"T:1799.5\", with a threshold T"):
        rill.voxelize(np.arange(1800.0).reshape(10, 12, 15) + 0.5)
    many = rill.permeability_many([path, rock], axis="x", device="cpu")
    assert [row.exit_reason for row in many.rows] == ["input refused", "converged"] and "0 (" in many.rows[0].message


def test_every_byte_except_0_is_true(rock: Image, tmp_path: pathlib.Path) -> None:
    mask = rock.astype(np.uint8)
    mask[::2] *= 255
    view = mask.view(bool)
    np.save(tmp_path / "a.npy", view)
    np.savez_compressed(tmp_path / "a.npz", im=view)
    for source in (view, view.transpose(2, 1, 0).copy().transpose(2, 1, 0), tmp_path / "a.npy", tmp_path / "a.npz"):
        assert np.array_equal(rill.voxelize(source, keep="all").voxels, rock)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["plain"] = view
        file.create_dataset("packed", data=view, chunks=(5, 6, 7), compression="gzip")
    for name in ("plain", "packed"):
        assert np.array_equal(rill.voxelize(f"{tmp_path}/a.h5:/{name}", keep="all").voxels, rock)
    view.tofile(tmp_path / "a.raw")
    assert np.array_equal(rill.voxelize(tmp_path / "a.raw", shape=rock.shape, dtype=bool, keep="all").voxels, rock)


def test_masked_voxels_are_neither_pore_nor_solid(rock: Image) -> None:
    masked = np.ma.masked_array(rock, np.arange(rock.size).reshape(rock.shape) < 7)
    with pytest.raises(rill.UsageError, match=rf"7 of {rock.size} voxels are masked.*im.filled\(value\)"):
        rill.permeability(masked, axis="x")
    assert np.array_equal(rill.voxelize(masked.filled(False), keep="all").voxels, masked.filled(False))
    assert np.array_equal(rill.voxelize(np.ma.masked_array(rock), keep="all").voxels, rock)
