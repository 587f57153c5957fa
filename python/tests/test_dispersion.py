# SPDX-License-Identifier: Apache-2.0
"""Dispersion of arrays: Taylor and Aris, the flow of a file, fields, refusals."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import rill


def plates() -> np.ndarray:
    im = np.ones((3, 1, 41), bool)
    im[:, :, 0] = False
    return im


def pack() -> np.ndarray:
    z, y, x = np.indices((12, 12, 12)) + 0.5
    return (x - 5) ** 2 + (y - 6) ** 2 + (z - 7) ** 2 > 16


def test_plates_spread_as_taylor_and_aris_found() -> None:
    result = rill.dispersion(plates(), [0, 10, 100], axis="z", length=20, flow_tolerance=1e-6, device="cpu")
    assert result.axis == "z" and result.converged and result.length == 20
    assert (result.longitudinal[1:] - 1) / (2 * result.peclet[1:] ** 2 / 105) == pytest.approx(1, rel=5e-3)
    assert np.all(result.tensor[:, 0, 0] == 0) and result.tensor[0, 1, 1] == pytest.approx(1)
    assert np.all(result.bound[:, 2, 2] <= 1.1e-3 * result.longitudinal) and result.left < 1e-14
    json.dumps(result.to_dict(), allow_nan=False)


def test_at_rest_it_is_the_diffusivity_and_orders_are_one_image() -> None:
    im = pack()
    result = rill.dispersion(im, 0, axis="z", tolerance=1e-7, device="cpu")
    found = rill.diffusivity(im, axis="z", tolerance=1e-8, device="cpu")
    assert result.longitudinal[0] * result.porosity == pytest.approx(found.d, rel=1e-6)
    turned = rill.dispersion(np.ascontiguousarray(im.T), 5, axis="z", order="xyz", device="cpu", fields=True)
    straight = rill.dispersion(im, 5, axis="z", device="cpu", fields=True)
    assert np.array_equal(turned.tensor, straight.tensor)
    assert np.array_equal(turned.fields[0].closure[2], straight.fields[0].closure[2].T)
    pores = straight.fields[0].velocity[im]
    assert straight.fields[0].closure.shape == (3, 12, 12, 12) and pores.mean() == pytest.approx(1, rel=1e-5)
    assert np.all(straight.fields[0].closure[:, ~im] == 0)


def test_the_flow_of_a_field_file(tmp_path: pathlib.Path) -> None:
    rill.voxelize(pack(), voxel_size="2 um").save(tmp_path / "a.geom.h5")
    rill.command("permeability", str(tmp_path / "a.geom.h5"), "--fields", "image", "-q", "-o", str(tmp_path / "k.h5"), "--backend", "cpu", "--tolerance", "1e-5")
    read = rill.dispersion(tmp_path / "k.vtkhdf", [3], length="24 um", device="cpu")
    made = rill.dispersion(pack(), 3, length=12, flow_tolerance=1e-5, device="cpu")
    assert read.length == pytest.approx(12) and read.tensor[0] == pytest.approx(made.tensor[0], rel=1e-3, abs=1e-4)
    with pytest.raises(rill.UsageError, match="which has the flow"):
        rill.dispersion(tmp_path / "k.vtkhdf", 3, sides="mirror")


def test_a_result_is_saved_and_shown_as_that_of_a_permeability(tmp_path: pathlib.Path) -> None:
    result = rill.dispersion(pack(), [0, 5], "2 um", axis="z", fields=True, device="cpu")
    for suffix in ("json", "csv", "npz"):
        result.save(tmp_path / f"d.{suffix}")
    assert rill.open(tmp_path / "d.json") == json.loads(json.dumps(result.to_dict()))
    assert list(rill.open(tmp_path / "d.csv")["D_zz"]) == list(result.longitudinal)
    with np.load(tmp_path / "d.npz") as found:
        assert np.array_equal(found["tensor"], result.tensor) and np.array_equal(found["closure_1"], result.fields[1].closure)
    with pytest.raises(rill.UsageError, match="exists"):
        result.save(tmp_path / "d.json")
    html = result._repr_html_()
    assert "rill.Dispersion" in html and f"{result.longitudinal[1]:.6g}" in html and "image/png" in html
    assert len(repr(result.fields[1])) < 200 and "closure" in repr(result.fields[1])
    assert result.provenance["keywords"] == {"im": "ndarray of shape (12, 12, 12), bool", "peclet": "[0, 5]", "voxel_size": "2 um", "axis": "z", "fields": True, "device": "cpu"}


def test_fields_are_those_of_xarray_and_pyvista() -> None:
    pytest.importorskip("xarray")
    field = rill.dispersion(pack()[:11].transpose(2, 1, 0), 5, "2 um", axis="z", order="xyz", fields=True, device="cpu").fields[0]
    data = field.to_xarray()
    assert data.closure.dims == ("component", "z", "y", "x") and np.array_equal(data.velocity.values, field.velocity.transpose(2, 1, 0))
    pytest.importorskip("pyvista")
    grid = field.to_pyvista()
    assert grid.dimensions == (12, 12, 11) and np.array_equal(grid.point_data["closure"][:, 2], field.closure[2].ravel(order="F"))


def test_refusals() -> None:
    with pytest.raises(rill.UsageError, match="take Peclet numbers up to"):
        rill.dispersion(pack(), 1e6, device="cpu")
    with pytest.raises(rill.UsageError, match="use sides='periodic'"):
        rill.dispersion(pack(), 1, sides="mirror", device="cpu")
    with pytest.raises(rill.UsageError, match="voxel size is unknown"):
        rill.dispersion(pack(), 1, length="3 um", device="cpu")
    with pytest.raises(rill.UsageError, match="axis"):
        rill.dispersion(pack(), 1, axis="xy", device="cpu")
    with pytest.raises(rill.NumericsError) as caught:
        rill.dispersion(pack(), [0, 5], tolerance=1e-15, device="cpu")
    assert not caught.value.result.converged and len(caught.value.result.peclet) == 2


@pytest.mark.parametrize("name, value, words", [("spacing", -1.0, "a spacing of -1 m"), ("origin", [0, np.inf, 0], "the origin inf along y"), ("size", [12, 12, 13], "damaged")])
def test_damaged_field_files(tmp_path: pathlib.Path, name: str, value: object, words: str) -> None:
    h5py = pytest.importorskip("h5py")
    rill.voxelize(pack(), voxel_size="2 um").save(tmp_path / "a.geom.h5")
    rill.command("permeability", str(tmp_path / "a.geom.h5"), "--fields", "image", "-q", "-o", str(tmp_path / "k.h5"), "--backend", "cpu")
    with h5py.File(tmp_path / "k.vtkhdf", "r+") as file:
        file.attrs[name] = value
    with pytest.raises(rill.UsageError) as caught:
        rill.dispersion(tmp_path / "k.vtkhdf", 3)
    assert words in str(caught.value)


def test_a_solute_comes_through_in_time(tmp_path: pathlib.Path) -> None:
    """Times of passage of a column that is closed at both ends but for the flow (van der Laan 1958)."""
    duct = np.zeros((80, 3, 3), bool)
    duct[:, 1, 1] = True
    result = rill.dispersion(duct, 20, axis="z", length=80, release="step", times=[0.5], fields=True, device="cpu")
    run = result.runs[0]
    assert run.mean == pytest.approx(1, abs=2e-3) and run.variance == pytest.approx(0.1 - 0.005 * (1 - np.exp(-20)), rel=0.02)
    assert run.time[200] == 1 and run.mass[-1] >= 0.9999 and run.dispersion == pytest.approx(1, rel=0.02)
    assert np.all(np.diff(run.outlet) > -1e-12) and run.concentrations[0].shape == (80, 3, 3) and 0 < run.concentrations[0][40, 1, 1] < 1
    pulse = rill.dispersion(pack(), [1, 2], release="pulse", duration=2, device="cpu")
    assert [one.release for one in pulse.runs] == ["pulse", "pulse"] and pulse.runs[1].mass[0] == pytest.approx(1)
    assert json.loads(json.dumps(pulse.to_dict(), allow_nan=False))["runs"][0]["recovered"] == pulse.runs[0].recovered
    assert result.runs[0].to_dataframe().shape[1] == 4
    for wrong, match in (({"release": "puls"}, "'pulse', 'step'"), ({"duration": 1}, "add release"), ({"release": "step", "times": [1, 1]}, "rise")):
        with pytest.raises(rill.UsageError, match=match):
            rill.dispersion(pack(), 1, device="cpu", **wrong)
