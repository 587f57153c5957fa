# SPDX-License-Identifier: Apache-2.0
"""Runs of vessels: results in memory and in files, control-C and resumption, refusals."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import signal
import threading
from typing import Any

import h5py
import numpy as np
import pytest

import rill

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_flow_through_a_bifurcation(vessel: rill.Geometry, case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    result = rill.run(case, tmp_path / "out", geometry=vessel)
    assert result.end in ("repeats", "limit") and result.steps > 0
    assert result.flow["inlet"] == pytest.approx(1e-7, rel=0.05)
    assert abs(sum(result.flow.values())) < 0.05 * result.flow["inlet"]
    tawss, osi = result.wall_shear()
    assert vessel.surface is not None and len(tawss) == len(osi) == len(vessel.surface[1])
    assert np.nanmean(tawss) > 0 and result.shear_max == pytest.approx(np.nanmax(tawss), rel=1e-5)
    velocity, pressure = result.fields()
    assert velocity.shape == (3, *vessel.shape) and pressure.shape == vessel.shape
    assert velocity[2].max() > 1e-7 / vessel.openings[0].area and not velocity[:, vessel.voxels == 0].any()
    if importlib.util.find_spec("xarray"):
        data = result.to_xarray()
        assert data["velocity"].dims == ("component", "z", "y", "x") and data["velocity"].attrs["units"] == "m/s"
        assert np.array_equal(data["pressure"].values, pressure) and data["x"].attrs["units"] == "m"
    results = rill.open(tmp_path / "out")
    openings = results.series()["openings"]
    assert openings["inlet.flow"][-1] == pytest.approx(1e-7, rel=0.05) and openings["inlet.flow"].attrs["units"] == "m3/s"
    assert np.array_equal(results.wall.fields()["TAWSS"][...], tawss, equal_nan=True)
    table = rill.open(tmp_path / "out" / "openings.csv")
    assert table.units["inlet.flow"] == "m3/s" and np.allclose(table["inlet.flow"], openings["inlet.flow"][...], rtol=1e-6)
    assert len(results.walls) == len(results.walls.times) == 1 and "WSS" in results.walls[0].fields()


def test_a_run_without_directory_writes_nothing(vessel: rill.Geometry, case: dict[str, Any], tmp_path: pathlib.Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case["run"]["duration"] = "5 ms"
    rill.run(case, geometry=vessel)
    assert list(tmp_path.iterdir()) == []


def test_planning_and_setting_up_are_cancelled(vessel: rill.Geometry, case: dict[str, Any]) -> None:
    for what in ("planning the vessel", "setting up the vessel"):
        with pytest.raises(rill.Cancelled, match=f"cancelled: {what}"):
            rill.run(case, geometry=vessel, device="cpu", progress=lambda m, what=what: m.what != what)  # type: ignore[misc]


def test_control_c_leaves_a_checkpoint_from_which_it_goes_on(vessel: rill.Geometry, case: dict[str, Any],
                                                             tmp_path: pathlib.Path) -> None:
    done = rill.run(case, geometry=vessel)

    def interrupt(moment: rill.Moment) -> None:
        times.append(moment.time or 0.0)
        if moment.time is not None and moment.time > 0 and not timers:
            timers.append(threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    timers: list[threading.Timer] = []
    times: list[float] = []
    with pytest.raises(KeyboardInterrupt):
        rill.run(case, tmp_path, geometry=vessel, progress=interrupt)
    assert 0 < max(times) < 0.9 * done.time  # it ended early
    assert (tmp_path / "checkpoint.h5").exists() and rill.open(tmp_path / "checkpoint.h5").format == "rill-checkpoint"
    resumed = rill.run(case, tmp_path, geometry=vessel, resume=True)
    assert resumed.flow == done.flow and resumed.steps == done.steps
    assert not any("was written by rill" in remark for remark in resumed.remarks)
    with h5py.File(tmp_path / "checkpoint.h5", "r+") as file:  # as if by another build
        file.attrs["software_version"] = "0.0.9 (0123456789ab)"
    with pytest.warns(rill.RillWarning, match="was written by rill 0.0.9 .0123456789ab"):
        assert rill.run(case, tmp_path, geometry=vessel, resume=True).flow == done.flow


def test_cases_are_files_texts_or_dicts(vessel: rill.Geometry, tmp_path: pathlib.Path) -> None:
    vessel.save(tmp_path / "v.geom.h5")
    yaml = "geometry: {0}\nfluid: {{density: 1060 kg/m3, viscosity: 3.5 mPa.s}}\n"
    yaml += "openings:\n  inlet: {{kind: inlet, flow: 0.1 mL/s}}\n"
    yaml += "  opening-2: {{kind: pressure, pressure: 0 mmHg}}\n  opening-3: {{kind: pressure, pressure: 0 mmHg}}\n"
    yaml += "run: {{duration: 5 ms}}\noutput: {{surface: no}}\n"
    (tmp_path / "case.yaml").write_text(yaml.format("v.geom.h5"))
    first = rill.run(tmp_path / "case.yaml")
    second = rill.run(yaml.format(tmp_path / "v.geom.h5"))
    assert first.flow == second.flow
    assert np.isnan(first.shear_mean)
    with pytest.raises(rill.UsageError, match="wall shear"):
        first.wall_shear()


@pytest.mark.parametrize(("keys", "value", "words"), [
    (("fluid", "viscosity"), "3.5", "viscosity"),
    (("fluid", "colour"), "red", "colour"),
    (("openings", "inlet", "flow"), "0.1 mm", "flow"),
    (("openings", "opening-4"), {"kind": "pressure", "pressure": "0 mmHg"}, "opening-4"),
    (("run", "duration"), {1, 2}, "cannot be written as YAML"),
])
def test_wrong_cases_are_refused(vessel: rill.Geometry, case: dict[str, Any], keys: tuple[str, ...], value: Any,
                                 words: str) -> None:
    place = case
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    with pytest.raises(rill.UsageError, match=words):
        rill.run(case, geometry=vessel)


def test_wrong_arguments_are_refused(vessel: rill.Geometry, case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    for more, words in (({"resume": True}, "needs the directory"), ({"fields": "all"}, "fields = 'all'"),
                        ({"checkpoint_every": -1.0}, "checkpoint_every"), ({"device": "abacus"}, "abacus")):
        with pytest.raises(rill.UsageError, match=words):
            rill.run(case, geometry=vessel, **more)
    with pytest.raises(rill.UsageError, match="missing.yaml"):
        rill.run("missing.yaml")
    with pytest.raises(rill.UsageError, match="missing.geom.h5"):
        rill.run({**case, "geometry": "missing.geom.h5"})
    (tmp_path / "file").write_text("")
    with pytest.raises(rill.UsageError, match="cannot be made"):
        rill.run(case, tmp_path / "file", geometry=vessel)
