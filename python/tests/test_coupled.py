# SPDX-License-Identifier: Apache-2.0
"""Outlets whose pressures another program computes."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import pytest

import rill

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SCRIPTS = pathlib.Path(__file__).parents[2] / "examples" / "coupled"
OUTLETS = ("opening-2", "opening-3")
RESISTANCES = (5e8, 8e8)  # Pa s/m3, a fifth of it proximal


def coupled(case: dict[str, Any], *arguments: str) -> dict[str, Any]:
    """Return the case with both outlets coupled to a script of the examples."""
    if not SCRIPTS.is_dir():
        pytest.skip("the examples lie in the source tree")
    openings = {name: {"kind": "model", "pressure": "30 Pa", "proximal": f"{0.2 * resistance} Pa.s/m3"}
                for name, resistance in zip(OUTLETS, RESISTANCES)}
    return {**case, "run": {"duration": "1 s", "tolerance": "0.1 %"},
            "openings": {"inlet": case["openings"]["inlet"], **openings},
            "model": {"program": sys.executable, "time-constant": "8 ms", "arguments": [str(SCRIPTS / arguments[0]), *arguments[1:]]}}


def expect_pressures(result: rill.VesselRun) -> None:
    """Expect that each pressure is that of the resistance with the flow."""
    for name, resistance in zip(OUTLETS, RESISTANCES):
        assert result.pressure[name] == pytest.approx(-resistance * result.flow[name], rel=2e-3)


def test_a_program_needs_permission_and_gives_the_pressures(vessel: rill.Geometry, case: dict[str, Any]) -> None:
    circuits = [f"{name}={0.2 * r!r},{8e-3 / (0.8 * r)!r},{0.8 * r!r},30" for name, r in zip(OUTLETS, RESISTANCES)]
    given = coupled(case, "rcr.py", *circuits)
    with pytest.raises(rill.UsageError, match="allow_program"):
        rill.run(given, geometry=vessel, device="cpu")
    expect_pressures(rill.run(given, geometry=vessel, device="cpu", allow_program=True))


def test_a_network_of_svzerod_gives_the_pressures(vessel: rill.Geometry, case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    pytest.importorskip("svzerod")
    boundaries, blocks = [], []
    for name, r in zip(OUTLETS, RESISTANCES):  # 1 dyn s/cm5 is 1e5 Pa s/m3
        boundaries.append({"bc_name": f"RCR-{name}", "bc_type": "RCR",
                           "bc_values": {"Rp": 0.2e-5 * r, "Rd": 0.8e-5 * r, "C": 8e-3 / (0.8e-5 * r), "Pd": 0.0}})
        blocks.append({"name": name, "type": "FLOW", "location": "inlet", "connected_block": f"RCR-{name}", "periodic": False,
                       "values": {"t": [0.0, 1.0], "Q": [1.0, 1.0]}})
    network = {"simulation_parameters": {"coupled_simulation": True, "number_of_time_pts": 50}, "junctions": [], "vessels": [],
               "boundary_conditions": boundaries, "external_solver_coupling_blocks": blocks}
    (tmp_path / "network.json").write_text(json.dumps(network))
    given = coupled(case, "svzerod_model.py", str(tmp_path / "network.json"))
    expect_pressures(rill.run(given, geometry=vessel, device="cpu", allow_program=True))
