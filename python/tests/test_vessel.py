# SPDX-License-Identifier: Apache-2.0
"""Runs of vessels: results in memory and in files, control-C and resumption, refusals."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import pickle
import signal
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


def test_drops_and_helicity_have_the_names_of_the_program(vessel: rill.Geometry, case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    case["output"] = {"surface": "no", "slices": "no", "centre-line": "no", "helicity": "yes",
                      "planes": {"a": {"centre": ["0 mm", "0 mm", "2 mm"]}},
                      "drops": {"left": {"from": "a", "to": "opening-2", "venous": "-20 Pa"}, "right": {"from": "inlet", "to": "opening-3"}}}
    case["run"]["duration"] = "1 s"
    result = rill.run(case, geometry=vessel, device="cpu")
    assert list(result.drops) == ["left", "right"] and result.drops["left"]["from"] == "a" and result.drops["left"]["to"] == "opening-2"
    right = result.drops["right"]
    assert right["from_pa"] == result.pressure["inlet"] and right["to_pa"] == result.pressure["opening-3"]
    assert right["drop_pa"] == right["from_pa"] - right["to_pa"] and right["drop_low_pa"] <= right["drop_pa"] <= right["drop_high_pa"]
    left = result.drops["left"]
    assert left["ratio"] == pytest.approx((left["to_pa"] + 20) / (left["from_pa"] + 20))
    vessel.save(tmp_path / "v.geom.h5")
    (tmp_path / "v.yaml").write_text(json.dumps({**case, "geometry": "v.geom.h5"}))
    rill.command("run", tmp_path / "v.yaml", "--no-measure", "--backend", "cpu", "-q", "-o", tmp_path / "out")
    summary = rill.open(tmp_path / "out").summary
    assert [{"name": name, **drop} for name, drop in result.drops.items()] == summary["drops"]
    assert result.helicity == summary["helicity"] and result.helicity is not None and result.helicity["h2_m_per_s2"] > 0


def test_error_bars_are_those_of_the_program(tmp_path: pathlib.Path, case: dict[str, Any]) -> None:
    rill.command("generate", "bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm", "--outlet", "2mm", "--edge", "0.2mm", "-o",
                 tmp_path / "p.stl")
    rill.command("voxelize", tmp_path / "p.stl", "--units", "mm", "--dx", "0.15mm", "--name", "0mm,0mm,0mm=inlet", "--name",
                 "0mm,0mm,4mm=outlet", "-o", tmp_path / "p.geom.h5")
    case["openings"] = {"inlet": case["openings"]["inlet"], "outlet": {"kind": "pressure", "pressure": "0 Pa"}}
    case["run"] = {"tolerance": "0.5 %"}
    (tmp_path / "p.yaml").write_text(json.dumps({**case, "geometry": "p.geom.h5"}))
    rill.command("run", tmp_path / "p.yaml", "--no-measure", "--backend", "cpu", "-q", "--error-bar", "-o", tmp_path / "out")
    bar = rill.open(tmp_path / "out").summary["error_bar"]
    assert len(bar["grids"]) == 3
    quantities = {(q["key"], q["opening"]): q for q in bar["quantities"]}
    tawss = quantities["tawss_mean_pa", None]
    assert len(tawss["values"]) == 3 and tawss["uncertainty"] > 0
    assert tawss["limit"] == pytest.approx(4 * 3.5e-3 * 1e-7 / (np.pi * 1e-9), abs=3 * tawss["uncertainty"])

    own = rill.run(tmp_path / "p.yaml", tmp_path / "own", error_bar=True, device="cpu").error_bar
    assert own is not None and own.spacing == tuple(g["spacing_m"] for g in bar["grids"]) and own.converged == (True, True, True)
    assert {(q.key, q.opening): (list(q.values), q.limit, q.uncertainty, q.order_used) for q in own.quantities} == {
        key: (q["values"], q["limit"], q["uncertainty"], q["order_used"]) for key, q in quantities.items()}
    assert own["pressure_pa", "inlet"].values[2] > 0 and "tawss_mean_pa" in repr(own)
    with pytest.raises(rill.UsageError, match="no osi_mean: it has tawss_mean_pa"):
        own["osi_mean"]
    assert own.tawss is not None and own.tawss_limit is not None and own.tawss_uncertainty is not None
    with rill.open(tmp_path / "own" / "error-bar.vtkhdf") as mine, rill.open(tmp_path / "out" / "error-bar.vtkhdf") as other:
        for name, values in (("TAWSS", own.tawss[2]), ("TAWSS_LIMIT", own.tawss_limit), ("TAWSS_ERROR", own.tawss_uncertainty)):
            assert np.array_equal(mine.fields()[name][...], values, equal_nan=True)
            assert np.array_equal(other.fields()[name][...], values, equal_nan=True)

    pipe = rill.voxelize(tmp_path / "p.stl", units="mm", dx="0.15 mm", names={"0mm,0mm,0mm": "inlet", "0mm,0mm,4mm": "outlet"})
    memory = rill.run(case, geometry=pipe, error_bar=True, device="cpu").error_bar
    assert memory is not None and memory["tawss_mean_pa"].values == own["tawss_mean_pa"].values
    with pytest.raises(rill.UsageError, match="leave resume=True out"):
        rill.run(case, tmp_path / "out", geometry=pipe, error_bar=True, resume=True)
    with pytest.raises(rill.UsageError, match="does not say how it was made"):
        rill.run(case, geometry=pickle.loads(pickle.dumps(pipe)), error_bar=True, device="cpu")
    (tmp_path / "p.stl").unlink()
    with pytest.raises(rill.UsageError, match="the surface that it was made from is not at"):
        rill.run(tmp_path / "p.yaml", error_bar=True, device="cpu")


def test_planning_and_setting_up_are_cancelled(vessel: rill.Geometry, case: dict[str, Any]) -> None:
    for what in ("planning the vessel", "setting up the vessel"):
        with pytest.raises(rill.Cancelled, match=f"cancelled: {what}"):
            rill.run(case, geometry=vessel, device="cpu", progress=lambda m, what=what: m.what != what)  # type: ignore[misc]


def test_control_c_leaves_a_checkpoint_from_which_it_goes_on(vessel: rill.Geometry, case: dict[str, Any],
                                                             tmp_path: pathlib.Path) -> None:
    done = rill.run(case, geometry=vessel)

    def interrupt(moment: rill.Moment) -> None:
        times.append(moment.time or 0.0)
        if moment.time is not None and moment.time > 0:  # at the first report of the steps, which ends the run
            signal.raise_signal(signal.SIGINT)

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
