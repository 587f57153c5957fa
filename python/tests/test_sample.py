# SPDX-License-Identifier: Apache-2.0
"""A sample in a picture, and faces that do not match."""

from __future__ import annotations

import inspect
import pathlib
import warnings

import numpy as np
import pytest

import rill
from conftest import Image

SIDES = ("wall", "wall", "periodic")


@pytest.fixture
def core(rock: Image) -> tuple[Image, Image]:
    """A core of 20 voxels across in a picture of 24: pores, and what is inside of the core; im[z, y, x]."""
    y, x = np.mgrid[:24, :24] + 0.5
    inside = np.broadcast_to((x - 12) ** 2 + (y - 12) ** 2 <= 100, rock.shape)
    return rock & inside, inside


def k_of(im: object, **options: object) -> tuple[float, float]:
    r = rill.permeability(im, axis="z", sides=SIDES, device="cpu", tolerance=1e-4, **options)  # type: ignore[arg-type]
    return r.k_lu, r.porosity.total


def test_k_and_porosity_are_those_of_the_core(core: tuple[Image, Image], tmp_path: pathlib.Path) -> None:
    pores, inside = core
    warnings.simplefilter("ignore", rill.RillWarning)  # of the picture without its sample
    box, box_porosity = k_of(pores)
    part = inside.mean()
    labels = np.where(inside, np.where(pores, 0, 1), 2).astype(np.uint8)
    wanted = pytest.approx((box / part, box_porosity / part), rel=3e-4)
    assert k_of(pores, mask=inside) == wanted
    assert k_of(labels, pore=0, outside=2) == wanted
    assert k_of(pores, core={"d": 20}) == wanted
    assert k_of(np.asfortranarray(labels), pore=0, mask=np.asfortranarray(inside)) == wanted
    turned = rill.permeability(labels.transpose(2, 1, 0), pore=0, order="xyz", axis="z", sides=SIDES, device="cpu", mask=inside.transpose(2, 1, 0))
    assert turned.k_lu == pytest.approx(box / part, rel=2e-3)
    np.save(tmp_path / "im.npy", pores)
    np.save(tmp_path / "mask.npy", inside)
    assert k_of(tmp_path / "im.npy", mask=tmp_path / "mask.npy") == wanted
    (tmp_path / "im_24x24x24.raw").write_bytes(pores.astype(np.uint8).tobytes())
    assert k_of(tmp_path / "im_24x24x24.raw", pore=1, mask=tmp_path / "mask.npy") == wanted  # a mask of another format
    geometry = rill.voxelize(labels, pore=0, outside=[2], sides=SIDES, keep="all")
    assert (geometry.outside == ~inside).all() and geometry.porosity.total == pytest.approx(box_porosity / part)
    geometry.save(tmp_path / "core.geom.h5")
    assert k_of(tmp_path / "core.geom.h5") == wanted
    rows = rill.permeability_many({"core": labels}, pore=0, outside=2, axis="z", sides=SIDES, device="cpu").rows
    assert rows[0].k_lu == pytest.approx(box / part, rel=2e-3)


def test_functions_of_images_take_the_same_keywords(core: tuple[Image, Image], tmp_path: pathlib.Path) -> None:
    shared = ("voxel_size", "axis", "pore", "outside", "mask", "mask_inside", "core", "order", "sides", "allow_outside", "progress")
    for function in (rill.voxelize, rill.permeability, rill.permeability_many, rill.blocks):
        names = inspect.signature(function).parameters
        assert not [name for name in shared if name not in names], function.__name__
        assert function.__doc__ and "mask_inside : number" in function.__doc__ and "{image}" not in function.__doc__
    pores, inside = core
    labels = np.where(inside, 7, 3).astype(np.int16)
    np.save(tmp_path / "im.npy", pores)
    np.save(tmp_path / "mask.npy", labels)
    files = {"mask": tmp_path / "mask.npy", "mask_inside": "5:9"}
    arrays = {"mask": labels, "mask_inside": 7}
    for image, options in ((pores, arrays), (tmp_path / "im.npy", files)):
        assert (rill.voxelize(image, sides=SIDES, keep="all", **options).outside == ~inside).all()  # type: ignore[arg-type]
        one = k_of(image, **options)[0]
        row, = rill.permeability_many([image], axis="z", sides=SIDES, device="cpu", tolerance=1e-4, **options).rows  # type: ignore[arg-type, list-item]
        assert row.k_lu == one
        whole = rill.blocks(image, 24, axis="z", sides=SIDES, device="cpu", **options)  # type: ignore[arg-type]
        assert [r.exit_reason for r in whole.rows] == ["outside"]
    header = tmp_path / "in" / "a.mhd"
    header.parent.mkdir()
    header.write_text("NDims = 3\nDimSize = 8 8 8\nElementType = MET_UCHAR\nElementDataFile = ../data\n")
    (tmp_path / "data").write_bytes(bytes(v % 8 < 4 for v in range(512)))
    with pytest.raises(rill.UsageError, match="outside its directory.*allow_outside=True"):
        rill.blocks(header, 4, "1 um", pore=1, device="cpu")
    assert len(rill.blocks(header, 8, "1 um", axis="z", pore=1, device="cpu", allow_outside=True).rows) == 1


def test_wrong_samples_are_refused(core: tuple[Image, Image]) -> None:
    pores, inside = core
    for options, words in (
        ({"mask": inside[:-1]}, "the shape of the image"), ({"mask": inside.astype(int)}, "give a bool array"),
        ({"mask": "mask.npy"}, "an array where it is an array"), ({"core": {"r": 3}}, "has the key 'r'"),
        ({"core": {"d": 25}}, "not in a picture"), ({"core": 3}, "core"), ({"mask": np.zeros_like(inside)}, "every voxel is outside"),
        ({"outside": 1}, "pore and outside"), ({"mask_inside": 1}, "belongs to mask="),
        ({"mask": inside, "mask_inside": [1, 3]}, "mask_inside = .* has 2 ranges: 1 is possible"), ({"outside": (1, 2)}, "^outside = "),
    ):
        with pytest.raises(rill.UsageError, match=words):
            rill.permeability(pores, axis="z", device="cpu", **options)  # type: ignore[arg-type]
    with pytest.raises(rill.UsageError, match="do not apply"):
        rill.permeability(rill.voxelize(pores), outside=2)


def test_blocks_that_are_not_whole_in_the_core_have_no_values(core: tuple[Image, Image]) -> None:
    pores, inside = core
    grid = rill.blocks(pores, 8, axis="z", mask=inside, device="cpu").grids[0]
    whole = inside.reshape(3, 8, 3, 8, 3, 8).all((1, 3, 5))
    assert [row.exit_reason == "outside" for row in grid.rows] == list(~whole.ravel())
    assert (np.isnan(grid.porosity) == ~whole).all() and (np.isnan(grid.k_lu) == ~whole).all() and whole.any()


def test_faces_that_do_not_match_are_a_warning(rock: Image) -> None:
    crop = np.kron(rock, np.ones((2, 2, 2), bool))[:30, :30, :30]
    with pytest.warns(rill.RillWarning, match="opposite faces do not match"):
        result = rill.permeability(crop, axis="z", device="cpu", tolerance=0.02)
    assert any("sides='mirror'" in note or "--sides mirror" in note for note in result.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rill.permeability(crop, axis="z", sides="mirror", device="cpu", tolerance=0.02).notes == ()
        assert rill.permeability(rock, axis="z", device="cpu", tolerance=0.02).notes == ()
