# SPDX-License-Identifier: Apache-2.0
"""Permeabilities of arrays: values, order of axes, fields, progress, cancellation, refusals."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image
from rill._values import image


def test_plates_have_the_exact_permeability(plates: Image) -> None:
    result = rill.permeability(plates, voxel_size="2 um", axis="y")
    exact = (16**2 / 12 + 1 / 24) * 16 / 18
    assert result.converged and result.axes == "y"
    assert result.k_lu == pytest.approx(exact, rel=1e-3)
    assert result.k == pytest.approx(exact * 4e-12, rel=1e-3)
    assert result.k_darcy == pytest.approx(result.k / 9.869233e-13)
    assert result.porosity.total == pytest.approx(16 / 18)
    assert np.isnan(result.tensor_lu[0, 0]) and result.tensor_lu[1, 1] == result.k_lu
    assert abs(result.k_lu / exact - 1) <= result.uncertainty + 1e-5
    assert result.runs[0].axis == "y" and len(result.runs[0].series["k"]) == len(result.runs[0].series["step"]) > 0


def test_the_tensor_is_symmetric_and_k_is_its_mean(rock: Image) -> None:
    result = rill.permeability(rock, "3 um", axis="xyz")
    assert result.axes == "xyz" and result.reciprocity < 2e-3
    assert np.allclose(result.tensor_lu, result.tensor_lu.T, atol=2e-3 * result.tensor_lu.max())
    assert result.k_lu == pytest.approx(np.trace(result.tensor_lu) / 3)
    assert "darcy" in repr(result)


def test_orders_and_layouts_of_an_array_are_one_image(rock: Image) -> None:
    k = rill.permeability(rock, axis="x").k_lu
    other = np.ascontiguousarray(rock.transpose(2, 1, 0))  # im[x, y, z]
    for im, order in ((np.asfortranarray(rock), "zyx"), (other, "xyz"), (np.asfortranarray(other), "xyz")):
        assert rill.permeability(im, axis="x", order=order).k_lu == k
    assert rill.permeability(rock.astype(np.uint8), axis="x", pore=1).k_lu == k
    assert rill.permeability(np.where(rock, 3, 200).astype(np.int16), axis="x", pore=[(0, 2), 3]).k_lu == k
    assert rill.permeability(other, axis="x").k_lu != k


def test_contiguous_arrays_are_not_copied(rock: Image) -> None:
    for im in (rock, np.asfortranarray(rock)):
        assert np.shares_memory(image(im, "zyx")[0], im)


def test_the_mean_velocity_of_a_field_gives_k(rock: Image) -> None:
    result = rill.permeability(rock, "2 um", axis="xyz", fields=True)
    assert set(result.fields) == set("xyz")
    for a, axis in enumerate("xyz"):
        field = result.fields[axis]
        assert field.velocity.shape == (3, *rock.shape) and field.pressure.shape == rock.shape
        mean = field.velocity[a].mean(dtype=float) * result.viscosity_lu / result.force_lu
        assert mean == pytest.approx(result.tensor_lu[a, a], rel=5e-3)
        assert not field.velocity[:, ~rock].any() and not field.pressure[~rock].any()
        velocity, _ = field.si(viscosity=1e-3, gradient=1e4)  # Darcy: k = mu <u> / G
        assert velocity[a].mean(dtype=float) * 1e-3 / 1e4 == pytest.approx(result.tensor[a, a], rel=5e-3)


def test_the_fields_of_an_array_have_the_order_of_its_axes(rock: Image) -> None:
    along = rill.permeability(rock, "2 um", axis="x", fields=True).fields["x"].velocity
    turned = rill.permeability(rock.transpose(2, 1, 0), "2 um", axis="x", order="xyz", fields=True)
    assert np.array_equal(turned.fields["x"].velocity, along.transpose(0, 3, 2, 1))


def test_fields_have_units_and_coordinates_in_xarray(rock: Image) -> None:
    pytest.importorskip("xarray")
    field = rill.permeability(rock.transpose(2, 1, 0), "2 um", axis="x", order="xyz", fields=True).fields["x"]
    data = field.to_xarray(viscosity=1e-3)
    assert data["velocity"].dims == ("component", "z", "y", "x") and data["velocity"].attrs["units"] == "m/s"
    assert data["pressure"].attrs["units"] == "Pa" and data["x"].attrs["units"] == "m"
    assert data["x"].values[1] == pytest.approx(3e-6)
    assert not data["velocity"].values[:, ~rock].any()


def test_an_error_bar_contains_its_contributions(rock: Image) -> None:
    bar = rill.permeability(rock[:16, :16, :16], axis="z", error_bar="fine").error_bar
    assert bar is not None and bar.complete
    assert [c.name for c in bar.contributions] == ["convergence", "number format", "shape and voxels", "domain boundaries", "segmentation", "sample"]
    known = [c for c in bar.contributions if c.state == "known"]
    bounds, estimates = ([c.half_width[2] for c in known if c.kind == kind] for kind in ("bound", "estimate"))
    assert len(bounds) == 2 and len(estimates) == 2
    assert bar.total[2] == pytest.approx(sum(bounds) + np.hypot(*estimates))
    assert bar.without_boundaries[2] == pytest.approx(sum(bounds) + bar["shape and voxels"].half_width[2])
    assert np.isnan(bar.total[0]) and bar["sample"].state == "not asked"
    assert 0 < bar.staircase_limit_lu[2] < bar.voxels_lu[2]
    with pytest.raises(rill.UsageError, match="is none of 'fine'"):
        rill.permeability(rock[:16, :16, :16], axis="z", error_bar="coarse")


def test_every_result_says_what_is_known_of_its_error(rock: Image) -> None:
    result = rill.permeability(rock[:16, :16, :16], axis="z")
    bar = result.error_bar
    assert bar is not None and [c.state for c in bar.contributions] == ["known"] * 2 + ["not asked"] * 4
    assert 0 < bar["number format"].half_width[2] < bar["convergence"].half_width[2]
    assert bar.total[2] == pytest.approx(result.uncertainty) and bar.best_lu[2] == result.k_lu


def test_a_geometry_is_left_as_it_was(rock: Image) -> None:
    geometry = rill.voxelize(rock, keep="all")
    before = geometry.voxels.copy()
    first = rill.permeability(geometry, "1 um", axis="z")
    assert np.array_equal(geometry.voxels, before) and geometry.voxel_size is None
    mirrored = rill.permeability(geometry, "1 um", axis="z", sides="mirror")
    assert mirrored.k != first.k and geometry.sides == ("periodic",) * 3
    assert rill.permeability(geometry, "1 um", axis="z").k == first.k


def test_progress_reports_and_cancels(rock: Image) -> None:
    moments: list[rill.Moment] = []
    rill.permeability(rock, axis="z", tolerance=1e-4, progress=lambda m: moments.append(m))
    assert moments and any(m.what.startswith("flow along z") for m in moments)
    assert any(m.k is not None and m.steps for m in moments)
    with pytest.raises(rill.Cancelled, match="cancelled"):
        rill.permeability(rock, progress=lambda m: False)

    def fail(moment: rill.Moment) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rill.permeability(rock, progress=fail)


def test_tqdm_shows_a_bar(rock: Image, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    rill.permeability(rock, axis="z", progress=True)
    assert "flow along z" in capfd.readouterr().err


def endless(**more: Any) -> rill.Permeability:
    """A run without an end: a box without walls to stop at does not converge to this tolerance."""
    im = np.ones((96, 96, 96), bool)
    im[:2] = False
    return rill.permeability(im, axis="x", acceleration="none", start="rest", tolerance=1e-12, max_steps=10**12, **more)


def test_control_c_ends_a_run() -> None:
    steps = threading.Event()

    def interrupt() -> None:
        steps.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        endless(progress=lambda m: steps.set() if m.steps else None)
    thread.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_control_c_is_heard_while_a_flow_is_set_up() -> None:
    im = np.random.default_rng(1).random((180, 180, 180)) < 0.6
    times, stages = [time.process_time()], []

    def watch(moment: rill.Moment) -> bool:
        times.append(time.process_time())  # of all threads: the machine may have other work
        stages.append(moment.what)
        if moment.what == at:
            signal.raise_signal(signal.SIGINT)
        return not moment.steps

    at = ""
    with pytest.raises(rill.Cancelled):
        rill.permeability(im, axis="x", device="cpu", progress=watch)
    assert max(np.diff(times)) < (times[-1] - times[0]) / 2
    for at in ("labelling", "setting up the flow"):
        stages.clear()
        with pytest.raises(KeyboardInterrupt):
            rill.permeability(im, axis="x", device="cpu", progress=watch)
        assert stages.index(at) == len(stages) - 1
    assert rill.permeability(im[:24, :24, :24], axis="x", device="cpu").converged


def test_other_threads_run_meanwhile() -> None:
    ticks, end, seen = [0], threading.Event(), []

    def tick() -> None:
        while not end.is_set():
            ticks[0] += 1
            time.sleep(1e-4)

    def watch(moment: rill.Moment) -> bool:
        if moment.steps:
            seen.append(ticks[0])
        return len(seen) < 100 and seen[-1:] == seen[:1]

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)  # Python itself takes the lock from no thread: others run while the library has given it back, or not at all
    try:
        with pytest.raises(rill.Cancelled):
            endless(progress=watch)
    finally:
        sys.setswitchinterval(interval)
    end.set()
    thread.join()
    assert seen[-1] > seen[0]


def test_wide_pores_start_from_coarser_grids_unless_from_rest() -> None:
    z, y, x = np.ogrid[:40, :40, :40]  # a cubic array of spheres
    im = np.broadcast_to((z - 19.5) ** 2 + (y - 19.5) ** 2 + (x - 19.5) ** 2 > 12**2, (40, 40, 40)).copy()
    default, rest = (rill.permeability(im, axis="x", device="cpu", **more) for more in ({}, {"start": "rest"}))
    assert default.runs[0].coarse_lu == pytest.approx(default.k_lu, rel=0.1)
    assert np.isnan(rest.runs[0].coarse_lu)
    assert rest.k_lu == pytest.approx(default.k_lu, rel=2e-3)
    with pytest.raises(rill.UsageError, match="start"):
        rill.permeability(im, axis="x", start="coarse")


def test_what_does_not_converge_has_its_last_values(rock: Image) -> None:
    with pytest.raises(rill.NumericsError, match="not converged along z") as caught:
        rill.permeability(rock, axis="z", max_steps=200, tolerance=1e-5, acceleration="none")
    result = caught.value.result
    assert not result.converged and np.isnan(result.k_lu) and result.runs[0].last_lu > 0
    assert result.runs[0].reason and "NOT CONVERGED" in repr(result)


def test_a_layer_does_not_conduct_across(plates: Image) -> None:
    with pytest.raises(rill.NumericsError, match="nothing percolates along z"):
        rill.permeability(plates, axis="z")


def test_the_flow_of_a_fluid(plates: Image) -> None:
    result = rill.permeability(plates, axis="x", voxel_size="10 um")
    flow = result.flow("10 mPa")["x"]
    length, width, height = (10e-6 * n for n in reversed(plates.shape))
    assert flow["darcy_velocity"] == pytest.approx(result.k * 0.01 / 1.0016e-3 / length)
    assert flow["rate"] == pytest.approx(flow["darcy_velocity"] * width * height) and 0 < flow["reynolds"] < 1
    assert result.flow(0.01, viscosity="2 mPa.s")["x"]["rate"] == pytest.approx(flow["rate"] * 1.0016 / 2)
    assert np.isnan(result.flow(1, viscosity=1e-3)["x"]["reynolds"])
    with pytest.warns(rill.RillWarning, match="inertia"):
        result.flow("1 bar")
    with pytest.raises(rill.UsageError, match="none of water, brine and air"):
        result.flow(1, fluid="oil")


def test_the_flow_of_a_core_passes_its_area(plates: Image) -> None:
    mask = np.ones(plates.shape, bool)
    mask[:, -1] = False
    flow = rill.permeability(plates, axis="x", voxel_size="10 um", mask=mask).flow("1 mPa", "brine")["x"]
    assert flow["rate"] == pytest.approx(flow["darcy_velocity"] * 18 * 3 * 1e-10)


def test_a_closed_axis_is_zero_in_the_tensor(plates: Image) -> None:
    with pytest.warns(rill.RillWarning, match="nothing percolates along z"):
        result = rill.permeability(plates, axis="xyz", voxel_size="1 um")
    assert result.axes == "xyz" and [run.axis for run in result.runs] == ["x", "y"]
    assert not result.tensor_lu[2].any() and not result.tensor_lu[:, 2].any()
    assert result.k_lu == pytest.approx(2 / 3 * result.tensor_lu[0, 0], rel=1e-3)
    assert result.principal_lu[:2] == pytest.approx(result.tensor_lu[0, 0], rel=1e-3)
    assert result.principal == pytest.approx(result.principal_lu * 1e-12) and result.principal_lu[2] == 0
    assert result.principal_axes[2] == pytest.approx([0, 0, 1])
    assert result.k_millidarcy == pytest.approx(1000 * result.k_darcy)


@pytest.mark.parametrize(("change", "words"), [
    ({"axis": "q"}, "axis = 'q' is none of"),
    ({"sides": "open"}, "sides = 'open' is none of"),
    ({"sides": ("wall", "wall")}, "neither one name nor three"),
    ({"voxel_size": -1.0}, "is not a positive length"),
    ({"voxel_size": float("nan")}, "is not a positive length"),
    ({"voxel_size": "5"}, "unit"),
    ({"voxel_size": "5 kg"}, "kg"),
    ({"tolerance": 0.0}, "tolerance"),
    ({"tau": 0.4}, "0.5"),
    ({"tau": float("nan")}, "is not a positive number"),
    ({"variant": "d3q19"}, "d3q19"),
    ({"device": "tpu"}, "device = 'tpu' is none of"),
    ({"device": "cuda:x"}, "device = 'cuda:x'"),
    ({"max_steps": -1}, "is no whole number"),
    ({"max_steps": 0.5}, "is no whole number"),
    ({"reservoir": 2**40}, "is no whole number"),
    ({"order": "yyz"}, "order = 'yyz'"),
    ({"pore": []}, "has 0 ranges"),
    ({"pore": [2]}, "pore"),
    ({"drive": "pressure", "axis": "xyz"}, "axis"),
])
def test_wrong_arguments_are_refused_with_a_sentence(plates: Image, change: dict[str, Any], words: str) -> None:
    with pytest.raises(rill.UsageError, match=words.replace("(", r"\(")) as caught:
        rill.permeability(plates, **{"axis": "x", **change})
    assert isinstance(caught.value, (rill.Error, ValueError)) and caught.value.status == 1


def test_wrong_images_are_refused(plates: Image) -> None:
    for im, words in (
        (plates.astype(np.uint8), "Give pore=0 or pore=1, or a bool array"), (plates[0, 0], "1 axes instead of 3"), (plates.astype(complex), "complex128"),
        (np.zeros((4, 4, 4), bool), "pore"), ([["a"]], "<U1"),
        (np.zeros((0, 4, 4), bool), "voxel"),
    ):
        with pytest.raises(rill.Error, match=words):
            rill.permeability(im, axis="x")
    with pytest.raises(rill.UsageError, match="missing.npy"):
        rill.permeability("missing.npy")
    with pytest.raises(rill.UsageError, match="voxel size is unknown"):
        _ = rill.permeability(plates, axis="x").k


def test_notes_are_warnings_and_in_results(plates: Image, tmp_path: pathlib.Path) -> None:
    grey = np.where(plates, 0, 255).astype(np.uint8)
    grey[0, 0, 0] = 254
    with pytest.warns(rill.RillWarning, match="no voxel is outside of the sample") as caught:
        result = rill.permeability(grey, pore=0, outside=9, axis="x", device="cpu", tolerance=0.01)
    assert pathlib.Path(caught[0].filename) == pathlib.Path(__file__)
    assert len(caught) == len(result.notes) == 1 and result.notes[0].startswith("no voxel is outside of the sample")
    with pytest.warns(rill.RillWarning, match="no voxel is outside of the sample"):
        geometry = rill.voxelize(grey, pore=0, outside=9)
    geometry.save(tmp_path / "a.geom.h5")
    with rill.open(tmp_path / "a.geom.h5") as file:
        assert file.geometry().notes == geometry.notes == result.notes
    with pytest.warns(rill.RillWarning, match="no voxel is outside of the sample") as caught:
        batch = rill.permeability_many([geometry, geometry, plates], axis="x", device="cpu", tolerance=0.01)
    assert [row.notes for row in batch.rows] == [result.notes, result.notes, ()] and len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rill.permeability(plates, axis="x", device="cpu", tolerance=0.01).notes == ()


@pytest.fixture
def slice_() -> Image:
    """One slice with a solid rectangle: im[y, x]; k along x is larger than along y."""
    im = np.ones((8, 8), bool)
    im[3:5, 2:6] = False
    return im


def test_slice_has_the_tensor_of_its_plane(slice_: Image) -> None:
    r = rill.permeability(slice_, axis="xy", device="cpu")
    assert r.axes == "xy" and np.isnan(r.tensor_lu[2, 2])
    assert r.k_lu == pytest.approx((r.tensor_lu[0, 0] + r.tensor_lu[1, 1]) / 2)
    assert r.tensor_lu[0, 0] > 1.05 * r.tensor_lu[1, 1]
    turned = rill.permeability(slice_, axis="xy", order="xyz", device="cpu")  # im[x, y]
    assert turned.tensor_lu[1, 1] == pytest.approx(r.tensor_lu[0, 0], rel=1e-3)
    assert rill.permeability(slice_[None], axis="x", device="cpu").k_lu == pytest.approx(r.tensor_lu[0, 0], rel=1e-3)
    assert rill.permeability(slice_[None], axis="z", device="cpu").k_lu > 1.1 * r.tensor_lu[0, 0]
    with pytest.raises(rill.UsageError, match="one slice"):
        rill.permeability(slice_, axis="xyz", device="cpu")
    rows = rill.permeability_many({"slice": slice_, "box": np.repeat(slice_[None], 4, 0)}, device="cpu").rows
    assert np.isnan(rows[0].tensor_lu[2, 2]) and rows[1].tensor_lu[2, 2] > 0


def test_the_axis_without_a_word_is_that_of_the_command(rock: Image, slice_: Image) -> None:
    for im, axis in ((rock, "z"), (slice_, "x"), (slice_[:, None], "z"), (slice_[:, :, None], "z")):
        result, named = rill.permeability(im, device="cpu"), rill.permeability(im, axis=axis, device="cpu")
        assert result.axes == rill.plan(im, device="cpu").axes == axis and result.k_lu == named.k_lu and len(result.runs) == 1
        row, = rill.permeability_many([im], device="cpu").rows
        assert row.k_lu == named.k_lu


def test_slice_has_fields(slice_: Image) -> None:
    field = rill.permeability(slice_, axis="x", fields=True, device="cpu").fields["x"]
    assert field.velocity.shape == (3, 8, 8, 1)
    assert rill.permeability(slice_, axis="x", order="xyz", fields=True, device="cpu").fields["x"].pressure.shape == (8, 8, 1)


def test_numbers_notes_and_fields_are_those_of_the_program(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "g.geom.h5")
    rill.command("generate", "grf", "--size", "24", "--porosity", "0.5", "--correlation", "3", "--voxel-size", "10um", "-q", "-o", path)

    def program(*options: str) -> dict[str, Any]:
        written = tmp_path / "k.json"
        rill.command("permeability", path, "--backend", "cpu", "-q", "--overwrite", "--json", str(written), *options)
        found: dict[str, Any] = json.loads(written.read_text())
        return found

    whole = program("--axis", "xyz", "--error-bar", "--sample", "8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mine = rill.permeability(path, axis="xyz", device="cpu", error_bar=True, sample=8)
    assert mine.error_bar is not None
    for k, a in enumerate("xyz"):
        assert mine.tensor_lu[k, k] == whole["permeability"]["lu"][a + a]
        assert mine.error_bar.best_lu[k] == whole["error_bar"]["best_estimate"]["lu"][a] and mine.error_bar.total[k] == whole["error_bar"]["total"][a]
    assert mine.uncertainty == whole["uncertainty"] and len(mine.notes) == len(whole["notes"])
    assert {str(w.message) for w in caught} == set(mine.notes)
    fields = program("--axis", "x", "--fields", "image", "-o", str(tmp_path / "k.h5"))
    mine = rill.permeability(path, axis="x", device="cpu", fields=True)
    assert mine.k_lu == fields["permeability"]["lu"]["xx"] and mine.runs[0].steps == fields["runs"][0]["steps"]
