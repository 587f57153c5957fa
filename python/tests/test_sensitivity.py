# SPDX-License-Identifier: Apache-2.0
"""How the permeability depends on its walls, and on the threshold of an image."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rill


def duct(n: int = 16) -> Any:
    """Grey values that fall by 20 for each voxel from the walls of a round duct, which are at 112."""
    y, x = np.indices((n, n)) + 0.5
    inside = np.clip(0.4 * n - np.hypot(x - n / 2 - 0.2, y - n / 2 + 0.1), -3, 3)
    return (112 - 20 * inside).astype(np.float32)


def test_threshold_with_a_width_gives_an_interval() -> None:
    result = rill.permeability(duct(), axis="z", threshold=(112, 4), device="cpu", fields=True)
    walls = result.runs[0].walls
    assert walls is not None and walls.threshold == 112 and walls.threshold_width == 4
    low, high = walls.k_lu
    assert low < result.k_lu < high
    moved = [rill.permeability(duct(64), axis="z", threshold=112 + 4 * side * 4, device="cpu").k_lu for side in (-1, 1)]  # of voxels a quarter as large
    assert (high - low) * 16 == pytest.approx(moved[1] - moved[0], rel=0.15)
    decides = result.fields["z"].wall_sensitivity
    assert decides is not None and decides.shape == (16, 16, 1) and decides.sum() == pytest.approx(walls.per_voxel, rel=1e-4)
    row = next(one for one in result.error_bar.contributions if one.name == "segmentation")
    assert row.half_width[2] == pytest.approx((1 + walls.threshold_narrow) * max(high / result.k_lu - 1, 1 - low / result.k_lu))
    assert result.to_dict()["runs"][0]["walls"]["threshold_width"] == 4


def test_threshold_says_what_is_pore() -> None:
    im = np.arange(27, dtype=np.uint8).reshape(3, 3, 3)
    for given in (9, 9.0, "9", "<9", (9, 0)):
        assert rill.permeability(im, axis="x", threshold=given, device="cpu").porosity.total == pytest.approx(1 / 3)
    assert rill.permeability(im, axis="x", threshold=">17", device="cpu").porosity.total == pytest.approx(1 / 3)


@pytest.mark.parametrize("given", ["", "x", "9+-", "9+-0", "0x9", "1_9", "\u0669", "1e999", "nan", "9+-0x1", (9, -1), (9, 1, 2), math.nan, [9], (1, math.inf)])
def test_other_thresholds_are_refused(given: Any) -> None:
    with pytest.raises(rill.UsageError, match="threshold"):
        rill.permeability(duct(), axis="z", threshold=given)


def test_sensitivity_alone_and_beside_what_it_does_not_go_with() -> None:
    walls = rill.permeability(duct() < 112, axis="z", sensitivity=True, device="cpu").runs[0].walls
    assert walls is not None and math.isnan(walls.k_lu[0]) and walls.per_voxel > 0 and 0 < walls.boxes[0]["share"] <= 1
    assert rill.permeability(duct() < 112, axis="z", device="cpu").runs[0].walls is None
    with pytest.raises(rill.UsageError, match="16 bits"):
        rill.permeability(duct() < 112, axis="z", sensitivity=True, variant="d3q19-trt-stokes-aa-list-fp16s", device="cpu")
    with pytest.raises(rill.UsageError, match="leave one of them out"):
        rill.permeability(duct(), axis="z", threshold=112, pore=0)


def rock_of_greys(n: int = 24) -> Any:
    """Grey values of a pore space without symmetry, whose walls are at 112."""
    z, y, x = np.indices((n, n, n)) * 2 * np.pi / n
    f = np.cos(2 * x + 0.3) + np.cos(2 * y + 1) + np.cos(2 * z - 0.4) + 0.6 * np.cos(x + y - 1) + 0.5 * np.cos(y + 2 * z)
    return np.clip(112 - 25 * (f + 0.25), 20, 220).astype(np.uint8)


def test_networks_say_what_a_threshold_opens() -> None:
    image = np.full((40, 10, 16), 200, np.uint8)
    image[:, 3:7, 2:6] = image[:, 3:7, 10:14] = 50
    image[18:21, 3:7, 10:14] = 113
    result = rill.permeability(image, axis="z", threshold=(112, 2), sides="mirror", device="cpu")
    walls = result.runs[0].walls
    assert walls is not None and walls.network == pytest.approx((1, 2), rel=0.02)
    row = next(one for one in result.error_bar.contributions if one.name == "segmentation")
    assert row.half_width[2] == pytest.approx(1, rel=0.02) and "throats close, open or widen" in row.note
    thin = rill.permeability(duct(), axis="z", threshold=(112, 4), device="cpu").runs[0].walls
    assert thin is not None and math.isnan(thin.network[0]) and math.isnan(thin.network[1])


def test_rows_of_many_images_are_those_of_one() -> None:
    image = rock_of_greys()
    bar = rill.permeability(image, axis="z", threshold=(112, 4), sides="mirror", error_bar=True, sample=12, device="cpu").error_bar
    assert bar is not None and all(row.state == "known" for row in bar.contributions)
    estimates = [row.half_width[2] for row in bar.contributions if row.kind == "estimate"]
    assert bar.total[2] == pytest.approx(sum(row.half_width[2] for row in bar.contributions[:2]) + np.sqrt(np.square(estimates).sum()))
    batch = rill.permeability_many({"rock": image}, axis="z", threshold="112+-4", sides="mirror", error_bar=True, sample=12, device="cpu")
    row, columns = batch.rows[0], batch.columns()
    for one in bar.contributions:
        assert row.half_width[one.name][2] == one.half_width[2] == columns[f"{one.name.replace(' ', '_')}_z"][0]
    assert row.total[2] == bar.total[2] == columns["total_z"][0] and row.best_lu[2] == bar.best_lu[2] == columns["best_estimate_z_lu"][0]
    assert np.isnan(row.total[0])
    assert np.isnan(bar.off_axis_bound_lu).all() and np.isnan(row.off_axis_bound_lu).all()
    with pytest.raises(rill.UsageError, match="leave one of them out"):
        rill.permeability_many([image], pore="0:100", threshold=100)


def test_tensors_have_bounds_beside_the_diagonal_in_many_images_too() -> None:
    image = rock_of_greys(16)
    one = rill.permeability(image, axis="xz", threshold=112, error_bar="fine", device="cpu")
    batch = rill.permeability_many([image], axis="xz", threshold=112, error_bar="fine", device="cpu")
    row, bounds = batch.rows[0], one.error_bar.off_axis_bound_lu
    assert 0 < bounds[2, 0] and 0 < bounds[0, 2] < math.inf and np.isfinite(bounds).sum() >= 2 and np.isnan(np.diag(bounds)).all()
    np.testing.assert_array_equal(row.off_axis_bound_lu, bounds)
    assert batch.columns()["off_axis_bound_xz_lu"] == [bounds[0, 2]]
    np.testing.assert_array_equal(row.total, one.error_bar.total)
    np.testing.assert_array_equal(row.best_lu, one.error_bar.best_lu)
    with pytest.raises(rill.UsageError, match="error_bar"):
        rill.permeability_many([image], error_bar="rough")
