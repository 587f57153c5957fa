# SPDX-License-Identifier: Apache-2.0
"""Copies, pickles and other processes: what holds memory of the library is shared, copied or refused, never freed twice."""

from __future__ import annotations

import copy
import gc
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image

Files = Callable[[str], pathlib.Path]


def same(one: rill.Geometry, other: rill.Geometry) -> None:
    """Assert that two geometries have the same content."""
    assert np.array_equal(one.voxels, other.voxels) and one.voxel_size == other.voxel_size and one.sides == other.sides
    assert np.array_equal(one.origin, other.origin) and one.source == other.source
    assert one.porosity.total == other.porosity.total and one.fluid_nodes == other.fluid_nodes
    assert [(o.name, o.area) for o in one.openings] == [(o.name, o.area) for o in other.openings]
    assert (one.surface is None) == (other.surface is None)
    for a, b in zip(one.surface or (), other.surface or ()):
        assert np.array_equal(a, b)


def test_a_shallow_copy_shares_the_voxels_and_outlives_the_original(rock: Image) -> None:
    geometry = rill.voxelize(rock, keep="all", voxel_size="2 um")
    other = copy.copy(geometry)
    assert np.shares_memory(other.voxels, geometry.voxels)
    voxels, third = geometry.voxels, copy.copy(other)
    del geometry, other
    gc.collect()
    assert np.array_equal(third.voxels, rock) and np.array_equal(voxels, rock)
    del third
    gc.collect()
    assert np.array_equal(voxels, rock)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: pickle.loads(pickle.dumps(x, 2))])
def test_geometries_are_copied_and_pickled_whole(rock: Image, vessel: rill.Geometry, copied: Callable[[Any], Any]) -> None:
    for geometry in (rill.voxelize(rock, keep="all", voxel_size="2 um", sides=("wall", "mirror", "periodic")), vessel,
                     rill.voxelize(rock, keep="all")):
        other = copied(geometry)
        same(other, geometry)
        assert not np.shares_memory(other.voxels, geometry.voxels)
        assert np.array_equal(rill.voxelize(rock, keep="all").voxels, rock)


def test_results_with_fields_are_copied_and_pickled(rock: Image) -> None:
    result = rill.permeability(rock, "2 um", axis="x", fields=True, error_bar=True, device="cpu")
    for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other.k == result.k and repr(other) == repr(result) and other.error_bar.complete == result.error_bar.complete
        for one, two in zip(other.fields["x"].si(), result.fields["x"].si()):
            assert np.array_equal(one, two)
        assert np.array_equal(other.runs[0].series["k"], result.runs[0].series["k"])
    batch = rill.blocks(rock, 12, "2 um", axis="x", device="cpu")
    assert np.array_equal(pickle.loads(pickle.dumps(batch)).grids[0].k_lu, batch.grids[0].k_lu)


def test_errors_are_pickled_with_their_results(rock: Image) -> None:
    with pytest.raises(rill.NumericsError) as caught:
        rill.permeability(rock, axis="z", max_steps=200, tolerance=1e-5, acceleration="none", device="cpu")
    error = pickle.loads(pickle.dumps(caught.value))
    assert type(error) is rill.NumericsError and str(error) == str(caught.value) and error.status == 2
    assert error.result.runs[0].last_lu == caught.value.result.runs[0].last_lu


def test_open_files_are_opened_again(result_file: Files) -> None:
    with rill.open(result_file("rock.h5")) as file:
        for copied in (copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
            other = copied(file)
            assert other.format == "rill-result" and other.series().keys() == file.series().keys()
            assert np.array_equal(copied(file.dataset("summary/permeability"))[...], file.dataset("summary/permeability")[...], equal_nan=True)
            assert set(copied(file.group("series"))) == set(file.group("series"))
            other.close()
        assert file.format == "rill-result"
        shallow = copy.copy(file)
        del shallow
        gc.collect()
        assert file.format == "rill-result"


def test_a_run_of_a_vessel_says_why_it_is_not_pickled(vessel: rill.Geometry, case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    case["run"] = {"duration": "1 ms", "tolerance": "50 %"}
    with pytest.warns(UserWarning):
        run = rill.run(case, tmp_path / "results", geometry=vessel, device="cpu")
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(rill.UsageError, match="holds the simulation itself"):
            copied(run)
    other = copy.copy(run)
    del run
    gc.collect()
    assert other.fields()[0].shape == (3, *vessel.shape)


def test_equality_is_identity(rock: Image, result_file: Files, tmp_path: pathlib.Path) -> None:
    result = rill.permeability(rock, "2 um", axis="x", fields=True, error_bar=True, device="cpu")
    batch = rill.blocks(rock, 12, "2 um", axis="x", device="cpu", csv=tmp_path / "k.csv")
    table, file, geometry = rill.open(tmp_path / "k.csv"), rill.open(result_file("rock.h5")), rill.voxelize(rock)
    for value in (result, result.runs[0], result.fields["x"], result.error_bar, batch, batch.grids[0], batch.rows[0], table, file, geometry):
        assert value == value and not value != value and value in {value} and not value == copy.deepcopy(value)
    assert result.porosity == copy.deepcopy(result.porosity)  # numbers alone
