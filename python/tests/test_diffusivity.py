# SPDX-License-Identifier: Apache-2.0
"""Effective diffusivities of arrays: exact values, phases, tensors, fields, refusals."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image


def test_batches_have_the_numbers_of_each_alone(rock: Image, tmp_path: pathlib.Path) -> None:
    one = rill.diffusivity(rock, axis="xyz", sides="mirror", device="cpu")
    np.save(tmp_path / "rock.npy", np.where(rock, 1, 7).astype(np.uint8))
    batch = rill.diffusivity_many([rock, "lost.npy"], axis="xyz", sides="mirror", device="cpu")
    assert np.array_equal(batch.rows[0].diffusivity, one.tensor) and np.isnan(batch.rows[0].tensor_lu).all()
    assert [row.exit_reason for row in batch.rows] == ["converged", "input refused"]
    assert batch.columns()["d_xx"][0] == one.tensor[0, 0] and "k_lu" not in batch.columns()
    phases = {1: 1, 7: 0.01}
    two = rill.diffusivity(tmp_path / "rock.npy", axis="x", phases=phases, device="cpu")
    both = rill.diffusivity_many([tmp_path / "rock.npy", np.where(rock, 1, 7).astype(np.uint8)], axis="x", phases=phases, sides="periodic", device="cpu")
    assert [row.d for row in both.rows] == [two.d, two.d]
    grid = rill.diffusivity_blocks(rock, 12, axis="z", device="cpu", csv=tmp_path / "d.csv").grids[0]
    block = rill.diffusivity(rock[:12, 12:24, :12], axis="z", sides="mirror", device="cpu")
    assert grid.d[0, 1, 0] == block.d and np.isnan(grid.k_lu).all() and grid.sample is not None
    assert rill.diffusivity_blocks(rock, 12, axis="z", device="cpu", csv=tmp_path / "d.csv", resume=True).rows[0].resumed
    with pytest.raises(rill.UsageError, match="use diffusivity"):
        rill.diffusivity_many(rock)


def test_a_checkpoint_goes_on_to_the_same_bits_and_is_removed(rock: Image, tmp_path: pathlib.Path) -> None:
    options: dict[str, Any] = {"axis": "xyz", "device": "cpu", "tolerance": 1e-7, "checkpoint": tmp_path / "a.checkpoint.h5"}
    whole = rill.diffusivity(rock, **options)
    calls: list[rill.Moment] = []

    def stop(moment: rill.Moment) -> bool:
        calls.append(moment)
        return sum((call.what or "").endswith("along y") for call in calls) < 4

    with pytest.raises(rill.Cancelled):
        rill.diffusivity(rock, **options, progress=stop)
    assert (tmp_path / "a.checkpoint.h5").exists()
    assert np.array_equal(rill.diffusivity(rock, **options, resume=True).tensor, whole.tensor)
    assert not (tmp_path / "a.checkpoint.h5").exists()


def test_the_error_bar_extrapolates_and_plates_have_none() -> None:
    plates = np.zeros((16, 16, 16), bool)
    plates[:8] = True
    bar = rill.diffusivity(plates, axis="x", order="zyx", error_bar=True, device="cpu").error_bar
    assert list(bar) == ["x"] and bar["x"].values == pytest.approx((0.5, 0.5, 0.5)) and bar["x"].extrapolated == pytest.approx(0.5)
    assert bar["x"].half_width == pytest.approx(0, abs=1e-6)
    assert rill.diffusivity(plates, axis="x", order="zyx", device="cpu").error_bar == {}


def layers(ratio: float) -> rill.Diffusivity:
    im = np.zeros((8, 3, 3), np.uint8)
    im[3:] = 128
    return rill.diffusivity(im, axis="z", phases={0: 1, "100-150": ratio}, tolerance=1e-9, device="cpu")


@pytest.mark.parametrize("ratio", [1e-6, 0.05, 1.0, 1e6])
def test_layers_in_series_have_the_harmonic_mean(ratio: float) -> None:
    result = layers(ratio)
    assert result.d == pytest.approx(8 / (3 + 5 / ratio), rel=1e-6)
    assert result.runs[0].lower <= result.d * (1 + 1e-12) and result.d <= result.runs[0].upper * (1 + 1e-12)


def test_plates_conduct_straight_through(plates: Image) -> None:
    result = rill.diffusivity(plates, "2 um", axis="y", device="cpu")
    assert result.converged and result.axes == "y" and result.voxel_size == pytest.approx(2e-6)
    assert result.d == pytest.approx(16 / 18) and result.tortuosity_factor[1] == pytest.approx(1)
    assert result.formation_factor[1, 1] == pytest.approx(18 / 16)
    assert np.isnan(result.tensor[0, 0]) and np.isnan(result.tortuosity_factor[0])


def test_the_tensor_is_symmetric_and_orders_are_one_image(rock: Image) -> None:
    result = rill.diffusivity(rock, axis="xyz", tolerance=1e-6, device="cpu")
    assert result.axes == "xyz" and np.allclose(result.tensor, result.tensor.T, atol=1e-5)
    assert np.allclose(result.formation_factor, np.linalg.inv(result.tensor), rtol=1e-6)
    assert result.tortuosity_factor[0] == pytest.approx(result.porosity.total / result.tensor[0, 0])
    other = np.ascontiguousarray(rock.transpose(2, 1, 0))
    assert rill.diffusivity(other, axis="z", order="xyz", device="cpu").d == rill.diffusivity(rock, axis="z", device="cpu").d
    assert rill.diffusivity(rock.astype(np.uint8), axis="z", pore=1, device="cpu").d == rill.diffusivity(rock, axis="z", device="cpu").d


def test_the_mean_flux_of_a_field_gives_d(rock: Image) -> None:
    result = rill.diffusivity(rock, axis="x", tolerance=1e-6, fields=True, device="cpu")
    field = result.fields["x"]
    assert field.concentration.shape == rock.shape and field.flux.shape == (3, *rock.shape)
    assert field.flux[0].mean() * rock.shape[2] == pytest.approx(result.d, rel=1e-5)
    assert 0.9 < np.ptp(field.concentration[rock]) < 2
    assert not field.flux[:, ~rock].any()


def test_results_become_dicts_and_rows(rock: Image) -> None:
    result = rill.diffusivity(rock, axis="xyz", device="cpu")
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found["diffusivity"][0][0] == result.tensor[0, 0] and found["tortuosity_definition"] == "phi D0 / D_eff"
    assert "D_eff/D0" in repr(result)
    pandas = pytest.importorskip("pandas")
    assert isinstance(result.to_dataframe(), pandas.DataFrame) and list(result.to_dataframe().index) == ["x", "y", "z"]


def test_a_result_is_saved_and_shown_as_that_of_a_permeability(rock: Image, tmp_path: pathlib.Path) -> None:
    result = rill.diffusivity(rock, "2 um", axis="x", fields=True, device="cpu")
    result.save(tmp_path / "d.json")
    result.save(tmp_path / "d.csv")
    result.save(tmp_path / "d.npz")
    assert rill.open(tmp_path / "d.json") == json.loads(json.dumps(result.to_dict()))
    assert float(rill.open(tmp_path / "d.csv")["diffusivity"][0]) == result.d
    with np.load(tmp_path / "d.npz") as found:
        assert np.array_equal(found["flux_x"], result.fields["x"].flux)
    with pytest.raises(rill.UsageError, match="exists"):
        result.save(tmp_path / "d.json")
    assert "<table>" in (html := result._repr_html_()) and "rill.Diffusivity" in html and f"{result.d:.6g}" in html and "image/png" in html
    assert result.provenance["keywords"]["voxel_size"] == "2 um" and "tolerance" not in result.provenance["keywords"]
    assert len(repr(result.fields["x"])) < 200 and "concentration" in repr(result.fields["x"])


def test_fields_are_those_of_xarray_and_pyvista(rock: Image) -> None:
    pytest.importorskip("xarray")
    field = rill.diffusivity(rock.transpose(2, 1, 0), "2 um", axis="x", order="xyz", fields=True, device="cpu").fields["x"]
    data = field.to_xarray()
    assert data.flux.dims == ("component", "z", "y", "x") and np.array_equal(data.concentration.values, field.concentration.transpose(2, 1, 0))
    pytest.importorskip("pyvista")
    grid = field.to_pyvista()
    assert grid.dimensions == rock.shape[::-1] and np.array_equal(grid.point_data["flux"][:, 0], field.flux[0].ravel(order="F"))


def test_drives_differ_by_their_length(rock: Image) -> None:
    outside, inside = (rill.diffusivity(rock, axis="z", sides="mirror", drive=drive, tolerance=1e-6, device="cpu").d for drive in ("outside", "inside"))
    assert outside == pytest.approx(rill.diffusivity(rock, axis="z", sides="mirror", tolerance=1e-6, device="cpu").d, rel=1e-5)
    assert inside != pytest.approx(outside, rel=1e-4)


def test_what_does_not_conduct_or_is_said_twice_is_refused(rock: Image) -> None:
    closed = rock.copy()
    closed[5] = False
    with pytest.raises(rill.NumericsError, match="percolates along z"):
        rill.diffusivity(closed, axis="z", device="cpu")
    with pytest.raises(rill.UsageError, match="both say"):
        rill.diffusivity(rock.astype(np.uint8), pore=1, phases={1: 1}, device="cpu")
    with pytest.raises(rill.UsageError, match="times D0|ratio|1e-06"):
        rill.diffusivity(rock.astype(np.uint8), phases={1: 1e-9}, device="cpu")
    with pytest.raises(rill.UsageError, match="device"):
        rill.diffusivity(rock, device="gpu")
    with pytest.raises(rill.UsageError, match="drive"):
        rill.diffusivity(rock, drive="pressure", device="cpu")  # type: ignore[arg-type]
    with pytest.raises(rill.UsageError, match="phases"):
        rill.diffusivity(rill.voxelize(rock), phases={1: 1}, device="cpu")
