#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A network of svZeroDSolver (PyPI: svzerod) as a coupled model of `rill run`: docs/coupled-models.md describes the protocol.

svzerod_model.py [--si] NETWORK.json [OUTLET=BLOCK ...]: the blocks are those of "external_solver_coupling_blocks", of type FLOW. An
outlet without BLOCK takes the block of its name. The network counts in cm, g and s; with --si in m, kg and s.

svzerod has no function for one time step, so each exchange runs a solver of its own from the state that the last one ended with. Its
time begins at 0 each time: networks with waveforms, chambers or a closed loop are refused.
"""
import json
import sys

import svzerod

POINTS = 11  # of time in an exchange
si = "--si" in sys.argv
path, *pairs = [text for text in sys.argv[1:] if text != "--si"]
blocks = dict(pair.split("=") for pair in pairs)
with open(path, encoding="utf-8") as file:
    network = json.load(file)
couplings = {block["name"]: block for block in network.get("external_solver_coupling_blocks", [])}
state = [network.get("initial_condition", {}), network.get("initial_condition_d", {})]  # values and derivatives of variables
outlets = []


def fault():
    """Say why the network cannot be coupled; None: it can."""
    for key in ("chambers", "closed_loop_blocks"):
        if network.get(key):
            return f"{path} has {key}, which depend on time"
    for boundary in network.get("boundary_conditions", []):
        if len(boundary["bc_values"].get("t", [])) > 1:
            return f"{boundary['bc_name']} of {path} has a waveform"
    for name in outlets:
        block = couplings.get(blocks.get(name, name))
        if block is None or block["type"] != "FLOW":
            return f"{path} has no external_solver_coupling_block {blocks.get(name, name)} of type FLOW"
    return None


def run(dt, flows):
    """Advance the network by dt with constant flows out of the vessel, m3/s; return the pressures, Pa, and the state."""
    names = [blocks.get(name, name) for name in outlets]
    for name, flow in zip(names, flows):
        into = flow * (1 if si else 1e6) * (1 if couplings[name]["location"] == "inlet" else -1)
        couplings[name].update(values={"t": [0.0, dt], "Q": [into, into]}, periodic=True)
    given = {key: value for key, value in network["simulation_parameters"].items() if key not in ("coupled_simulation", "number_of_time_pts")}
    given.update(number_of_cardiac_cycles=1, number_of_time_pts_per_cardiac_cycle=POINTS, cardiac_period=dt, steady_initial=False,
                 output_variable_based=True, output_derivative=True, output_all_cycles=True, output_mean_only=False)
    solver = svzerod.Solver({**network, "simulation_parameters": given, "initial_condition": state[0], "initial_condition_d": state[1]})
    solver.run()
    table = solver.get_full_result()
    end = table[table.time == table.time.max()]
    values = dict(zip(end.name, end.y.tolist()))
    pressures = []
    for name in names:
        ends = (name, couplings[name]["connected_block"])
        pressures.append(values["pressure:" + ":".join(ends if couplings[name]["location"] == "inlet" else ends[::-1])] * (1 if si else 0.1))
    return pressures, [values, dict(zip(end.name, end.ydot.tolist()))]


for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "hello":
        version, *outlets = rest.split()
        wrong = fault() if version == "1" else f"version {version} of the protocol is not known"
        answer = f"error {wrong}" if wrong else "ready saves"
    elif word == "step":
        _, dt, *flows = map(float, rest.split())
        pressures, after = run(dt or 1e-9, flows)
        state = after if dt else state
        answer = "pressure " + " ".join(map(repr, pressures))
    elif word == "save":
        answer = "state " + json.dumps(state)
    elif word == "restore":
        state = json.loads(rest)
        answer = "restored"
    else:
        answer = f"error {word} is no word of the protocol"
    print(answer, flush=True)
