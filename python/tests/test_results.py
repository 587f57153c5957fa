# SPDX-License-Identifier: Apache-2.0
"""Plans before a computation; results as dicts, tables, files and HTML; fields for pyvista; checkpoints, devices, logging, progress."""

from __future__ import annotations

import json
import logging
import pathlib
import re
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image
from rill._progress import Bar, one_bar, percent


@pytest.fixture(scope="module")
def result(rock: Image) -> rill.Permeability:
    return rill.permeability(rock, "2 um", axis="xyz", device="cpu", sides="mirror", fields=True)


def test_a_plan_says_steps_time_and_memory(rock: Image) -> None:
    plan = rill.plan(rock, "2 um", axis="xyz", sides="mirror", device="cpu")
    assert plan and not plan.refusals and plan.axes == "xyz"
    made = rill.permeability(rock, "2 um", axis="xyz", sides="mirror", device="cpu")
    assert plan.nodes == made.nodes and plan.tau == made.tau and plan.force_lu == made.force_lu
    assert made.k_lu / 5 < plan.k_expected_lu < 5 * made.k_lu
    steps = max(run.steps for run in made.runs)
    assert steps / 4 < plan.steps < 4 * steps
    assert 0 < plan.seconds < np.inf and plan.mlups > 0
    assert 0 < plan.host_bytes < plan.host_free and plan.device_bytes == 0
    assert plan.variant == made.provenance["variant"] and plan.porosity.total == made.porosity.total
    assert "steps for each" in repr(plan) and len(repr(plan)) < 300
    assert rill.plan(rock, axis="x").axes == "x"


def test_a_plan_names_refusals(plates: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = rill.plan(plates, axis="z")
    assert not plan and len(plan.refusals) == 1 and "nothing percolates along z" in plan.refusals[0] and "REFUSED" in repr(plan)
    assert np.isnan(plan.steps) and plan.porosity is None
    assert rill.plan(plates, axis="xyz").axes == "xy"
    geometry = rill.voxelize(np.ones((128, 128, 128), bool) & (np.arange(128) > 1))
    held = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096
    monkeypatch.setenv("RILL_MEMORY", f"{held + 60e6:.0f} B")
    plan = rill.plan(geometry, axis="z", device="cpu")
    assert not plan and len(plan.refusals) == 1 and "memory" in plan.refusals[0] and plan.host_bytes > plan.host_free
    with pytest.raises(rill.SystemFailure, match="memory"):
        rill.permeability(geometry, axis="z", device="cpu")
    monkeypatch.undo()
    with pytest.raises(rill.UsageError, match="axis = 'q'"):
        rill.plan(plates, axis="q")
    with pytest.raises(TypeError, match="tollerance"):
        rill.plan(plates, tollerance=1)


def test_a_dict_has_what_json_has(result: rill.Permeability) -> None:
    found = result.to_dict()
    again = json.loads(json.dumps(found, allow_nan=False))
    assert again == found
    assert again["k_m2"] == pytest.approx(result.k) and again["k_darcy"] == pytest.approx(result.k_darcy)
    assert again["tensor_lu"] == result.tensor_lu.tolist() and again["voxel_size_m"] == 2e-6
    assert [run["axis"] for run in again["runs"]] == ["x", "y", "z"] and again["runs"][0]["series"]["step"]
    assert again["porosity"]["percolating"].keys() == set("xyz")
    rows = again["error_bar"]["contributions"]
    assert [row["state"] for row in rows[:2]] == ["known", "known"] and rows[0]["name"] == "convergence" and again["error_bar"]["complete"] == result.error_bar.complete
    alone = rill.permeability(np.ones((1, 6, 6), bool) & (np.arange(6)[:, None] > 1), axis="x", device="cpu").to_dict()
    assert alone["k_m2"] is None and alone["tensor_m2"] is None and alone["tensor_lu"][1][1] is None


def test_rows_of_a_result(result: rill.Permeability, plates: Image) -> None:
    pytest.importorskip("pandas")
    frame = result.to_dataframe()
    assert list(frame.index) == ["x", "y", "z"]
    assert frame.k_m2.to_numpy() == pytest.approx(np.diag(result.tensor)) and frame.k_darcy["x"] == pytest.approx(result.tensor_darcy[0, 0])
    assert (frame.steps > 0).all() and frame.converged.all()
    with pytest.warns(rill.RillWarning, match="along z"):
        closed = rill.permeability(plates, axis="xyz").to_dataframe()
    assert closed.k_lu["z"] == 0 and closed.steps["z"] == 0 and np.isnan(closed.k_m2["x"])


def test_a_result_is_saved_and_not_overwritten(result: rill.Permeability, tmp_path: pathlib.Path) -> None:
    result.save(tmp_path / "k.json")
    assert rill.open(tmp_path / "k.json") == result.to_dict()
    result.save(str(tmp_path / "k.csv"))
    assert rill.open(tmp_path / "k.csv")["k_lu"] == pytest.approx(np.diag(result.tensor_lu))
    result.save(tmp_path / "k.npz")
    with np.load(tmp_path / "k.npz") as arrays:
        assert np.array_equal(arrays["velocity_x_lu"], result.fields["x"].velocity) and np.array_equal(arrays["tensor_lu"], result.tensor_lu)
    with pytest.raises(rill.UsageError, match="exists"):
        result.save(tmp_path / "k.json")
    result.save(tmp_path / "k.json", overwrite=True)
    with pytest.raises(rill.UsageError, match="none of .json, .csv and .npz"):
        result.save(tmp_path / "k.h5")
    with pytest.raises(rill.SystemFailure, match="cannot be written"):
        result.save(tmp_path / "none" / "k.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.csv", "k.json", "k.npz"]


def test_the_provenance_says_how_to_repeat_it(result: rill.Permeability, rock: Image, tmp_path: pathlib.Path) -> None:
    made = result.provenance
    assert made["rill"] == rill.version() and made["device"] == result.device and made["variant"].startswith("d3q19-")
    assert made["keywords"] == {"im": "ndarray of shape (24, 24, 24), bool", "voxel_size": "2 um", "axis": "xyz", "device": "cpu", "sides": "mirror", "fields": True}
    assert made["sides"] == ["mirror"] * 3 and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]+\+00:00", made["date"])
    other = rill.permeability(rock, axis="x", device="cpu", tolerance=0.01).provenance
    assert other["voxels_crc32"] == made["voxels_crc32"]
    assert rill.permeability(~rock, axis="x", device="cpu", tolerance=0.05).provenance["voxels_crc32"] != made["voxels_crc32"]
    np.save(tmp_path / "rock.npy", rock)
    filed = rill.permeability(tmp_path / "rock.npy", axis="x", device="cpu", tolerance=0.01).provenance
    assert filed["source"].endswith("rock.npy") and len(filed["source_hash"]) == 16 and filed["voxels_crc32"] == made["voxels_crc32"]
    made["keywords"].clear()
    assert result.provenance["keywords"]


def test_html_has_a_table_and_a_slice(result: rill.Permeability) -> None:
    page = result._repr_html_()
    assert "<table>" in page and f"{result.k_darcy:.6g}" in page and "data:image/png;base64," in page
    assert page.count("<tr>") == page.count("</tr>") and "± 0 %" not in page
    pillow = pytest.importorskip("PIL.Image")
    import base64
    import io

    pixels = np.asarray(pillow.open(io.BytesIO(base64.b64decode(page.split("base64,")[1].split("'")[0]))))
    assert pixels.shape == (24, 24) and len(np.unique(pixels)) == 2


def test_reprs_are_short(result: rill.Permeability) -> None:
    assert len(repr(result.fields["x"])) < 150 and "24 x 24 x 24" in repr(result.fields)
    assert len(repr(result.runs[0])) < 120 and "along x" in repr(result.runs[0])


def test_fields_in_pyvista(result: rill.Permeability) -> None:
    pytest.importorskip("pyvista")
    field = result.fields["x"]
    grid = field.to_pyvista(viscosity="1 mPa.s", gradient="1 kPa/m")
    assert grid.dimensions == (24, 24, 24) and grid.spacing == pytest.approx((2e-6,) * 3) and grid.origin == pytest.approx((1e-6,) * 3)
    velocity, pressure = field.si("1 mPa.s", "1 kPa/m")
    at = grid.find_closest_point((11e-6, 3e-6, 7e-6))  # x = 5, y = 1, z = 3
    assert np.allclose(grid.point_data["velocity"][at], velocity[:, 3, 1, 5]) and grid.point_data["pressure"][at] == pressure[3, 1, 5]
    lines = field.streamlines(20, seed=3)
    assert lines.n_lines >= 10 and np.linalg.norm(lines["velocity"], axis=1).max() <= np.linalg.norm(field.velocity, axis=0).max() * 1.01


def test_h5py_opens_the_file_beside_it(result_file: Callable[[str], pathlib.Path]) -> None:
    pytest.importorskip("h5py")
    with rill.open(result_file("rock.geom.h5")) as file:
        with file.h5py() as other:
            assert np.array_equal(other["voxels"][...], file["voxels"][...]) and other.mode == "r"
    with pytest.raises(rill.UsageError, match="was closed"):
        file.h5py()


def test_a_checkpoint_goes_on_to_the_same_bits(rock: Image, tmp_path: pathlib.Path) -> None:
    options: dict[str, Any] = {"axis": "x", "device": "cpu", "tolerance": 1e-6, "acceleration": "none", "checkpoint": tmp_path / "a.checkpoint.h5"}
    whole = rill.permeability(rock, **options)
    calls: list[rill.Moment] = []

    def stop(moment: rill.Moment) -> bool:
        calls.append(moment)
        return not (moment.steps or 0) > 0

    with pytest.raises(rill.Cancelled):
        rill.permeability(rock, **options, progress=stop)
    assert (tmp_path / "a.checkpoint.h5").exists()
    again = rill.permeability(rock, **options, resume=True)
    assert again.k_lu == whole.k_lu and again.runs[0].steps == whole.runs[0].steps
    for change, words in (({"checkpoint": None}, "give checkpoint="), ({"error_bar": True}, "error_bar=True"), ({"fields": True}, "fields=True"),
                          ({"checkpoint": tmp_path / "none"}, "does not exist")):
        with pytest.raises(rill.UsageError, match=words):
            rill.permeability(rock, **{**options, "resume": True, **change})


def test_parts_on_several_devices_have_the_result_of_one(rock: Image) -> None:
    im = np.tile(rock, (2, 1, 1))
    one = rill.permeability(im, axis="x", device="cpu")
    two = rill.permeability(im, axis="x", devices=["cpu", "cpu"])
    assert two.k_lu == pytest.approx(one.k_lu, rel=2e-3)
    assert rill.plan(im, axis="x", devices=["cpu", "cpu"]).parts == 2 and rill.plan(im, axis="x").parts == 1
    for change, words in (({"devices": []}, "names no device"), ({"devices": "cpu"}, "devices = 'cpu'"), ({"devices": ["tpu"]}, "device = 'tpu'"),
                          ({"devices": ["cpu"], "device": "cpu"}, "do not go together"), ({"devices": [3]}, "device = 3")):
        with pytest.raises(rill.UsageError, match=words):
            rill.permeability(im, axis="x", **change)


def test_the_logger_has_what_is_computed_and_found(rock: Image, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "rill")
    rill.permeability(rock, "2 um", axis="x", device="cpu")
    said = [r.getMessage() for r in caplog.records if r.name == "rill"]
    assert any("fluid" in s or "nodes" in s for s in said) and any("darcy" in s for s in said)
    assert not any(r.levelno < logging.INFO for r in caplog.records)
    caplog.clear()
    caplog.set_level(logging.DEBUG, "rill")
    rill.permeability(rock, "2 um", axis="x", device="cpu")
    assert any(r.levelno == logging.DEBUG and r.getMessage().startswith("plan:") for r in caplog.records)
    caplog.clear()
    caplog.set_level(logging.WARNING, "rill")
    rill.permeability(rock, "2 um", axis="x", device="cpu")
    assert not caplog.records


class Shown:
    """A tqdm bar that keeps what it shows."""

    made: list[Shown] = []

    def __init__(self, total: float, bar_format: str) -> None:
        self.n, self.seen, self.words, self.closed, self.reports = 0.0, [], [], 0, 0
        Shown.made.append(self)

    def set_description_str(self, text: str, refresh: bool) -> None:
        self.reports += 1
        self.words.append(text)

    def set_postfix_str(self, text: str, refresh: bool) -> None:
        self.words.append(text)

    def refresh(self) -> None:
        self.seen.append(self.n)

    def close(self) -> None:
        self.closed += 1

    @property
    def filled(self) -> bool:
        """Whether it was drawn once more than the work reported. The last report of quick work may be of all of it."""
        return len(self.seen) > self.reports


class Clock:
    """A clock that goes on by `tick` s when it is read, and by what a test says."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 100.0, tick

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """The bars that a test makes, by a clock that goes on 1 s whenever it is read."""
    monkeypatch.setattr(pytest.importorskip("tqdm.auto"), "tqdm", Shown)
    monkeypatch.setattr(Shown, "made", [])
    monkeypatch.setattr(rill._progress, "clock", Clock(1.0))
    return Shown.made


def test_a_computation_has_one_bar_that_goes_forward(rock: Image, bars: list[Shown]) -> None:
    rill.permeability(rock, axis="xyz", device="cpu", progress=True)
    (bar,) = bars
    assert bar.seen == sorted(bar.seen) and bar.seen[0] == 0 and bar.seen[-1] == bar.n == 1
    assert any(0 < n < 1 for n in bar.seen)  # at the first report of a flow 1 s or more has passed, and time is left
    assert {"reading", "flow along x", "flow along z"} <= set(bar.words)
    assert not any(re.search(r"± 0(\.0*)? %", word) for word in bar.words)
    assert any("s left" in word for word in bar.words) and "s left" not in bar.words[-1]


def test_only_work_that_succeeded_fills_its_bar(rock: Image, vessel: rill.Geometry, case: dict[str, Any], bars: list[Shown],
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    rill.voxelize(rock, progress=True)
    rill.plan(rock, axis="x", device="cpu", progress=True)
    rill.permeability_many([rock, rock], axis="x", device="cpu", progress=True)
    rill.run(case, geometry=vessel, device="cpu", progress=True)  # its parts share one bar
    assert [bar.n for bar in bars] == [1, 1, 1, 1] and all(bar.closed == 1 and bar.filled for bar in bars)
    bars.clear()
    with pytest.raises(rill.NumericsError):
        rill.permeability(rock, axis="x", max_steps=3, tolerance=1e-9, device="cpu", progress=True)
    assert not bars[0].filled

    class Interrupted(Shown):
        """A bar whose user presses control-C at its first report."""

        def refresh(self) -> None:
            super().refresh()
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(pytest.importorskip("tqdm.auto"), "tqdm", Interrupted)
    works: tuple[Callable[[], object], ...] = (
        lambda: rill.voxelize(rock, progress=True), lambda: rill.permeability(rock, device="cpu", progress=True),
        lambda: rill.permeability_many([rock], device="cpu", progress=True), lambda: rill.run(case, geometry=vessel, device="cpu", progress=True))
    for work in works:
        bars.clear()
        with pytest.raises(KeyboardInterrupt):
            work()
        assert not bars[0].filled and bars[0].closed == 1
    for error in (rill.Cancelled("cancelled"), KeyboardInterrupt(), ValueError()):
        with pytest.raises(type(error)), one_bar(True) as parts:
            assert isinstance(parts, Bar)
            parts.bar = shown = Shown(1.0, "")
            shown.n = 0.4
            raise error
        assert shown.n == 0.4 and shown.closed == 1


def test_the_fraction_is_that_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(rill._progress, "clock", clock)
    bar = Bar(Shown, flows=2)
    moment = rill.Moment("flow along x", "", None, 1.0, steps=10)
    assert bar.fraction(rill.Moment("reading", "", 0.9, None)) == 0
    bar.fraction(moment)
    clock.now += 0.25
    first = bar.fraction(moment)
    assert first == 0.25 / (0.25 + 1 + 1.25)
    assert bar.fraction(rill.Moment("flow along x", "", None, 10.0, steps=10)) == first  # never back
    clock.now += 0.75
    bar.fraction(rill.Moment("flow along y", "", None, 0.5, steps=10))
    assert bar.fraction(rill.Moment("flow along y", "", None, 0.5, steps=20)) == 1 / (1 + 0.5)
    other = Bar(Shown)  # no permeability: the fraction of the stage
    assert [other.fraction(rill.Moment(*m)) for m in (("a", "", 0.5, None), ("a", "", 0.9, None), ("b", "", 0.1, None))] == [0.5, 0.9, 0.1]


def test_a_percentage_is_never_zero() -> None:
    assert percent(0.0) == percent(1e-9) == "within 0.001 %" and percent(1.2e-5) == "± 0.0012 %" and percent(0.0123) == "± 1.2 %"


def test_jupyter_has_a_bar_by_default(rock: Image, bars: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(__import__("sys").modules, "IPython", type("IPython", (), {"get_ipython": staticmethod(lambda: shell)}))
    rill.permeability(rock, axis="x", device="cpu")
    assert len(bars) == 1
    rill.permeability(rock, axis="x", device="cpu", progress=False)
    assert len(bars) == 1
