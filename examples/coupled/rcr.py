#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three-element Windkessels as a coupled model of `rill run`: docs/coupled-models.md describes the protocol.

rcr.py OUTLET=PROXIMAL,COMPLIANCE,DISTAL,STORED ...: for each outlet of kind model its resistances, Pa s/m3, its compliance, m3/Pa,
and the pressure of the compliance at the start, Pa. The case gives PROXIMAL, too.
"""
import math
import sys

circuits = {name: [float(value) for value in values.split(",")] for name, values in (text.split("=") for text in sys.argv[1:])}
outlets = []


def pressures(dt, flows):
    """Advance the compliances by dt with constant flows, which is exact, and return the pressures at the outlets."""
    for name, flow in zip(outlets, flows):
        proximal, compliance, distal, stored = circuits[name]
        left = math.exp(-dt / (distal * compliance))
        circuits[name][3] = left * stored + (1 - left) * distal * flow
        yield circuits[name][3] + proximal * flow


for line in sys.stdin:
    word, *rest = line.split()
    if word == "hello":
        outlets = rest[1:]
        unknown = [name for name in outlets if name not in circuits]
        answer = "ready saves"
        if unknown:
            answer = f"error no circuit is given for {unknown[0]}"
        if rest[0] != "1":
            answer = f"error version {rest[0]} of the protocol is not known"
    elif word == "step":
        _, dt, *flows = map(float, rest)
        answer = "pressure " + " ".join(map(repr, pressures(dt, flows)))
    elif word == "save":
        answer = "state " + " ".join(repr(circuits[name][3]) for name in outlets)
    elif word == "restore":
        for name, stored in zip(outlets, rest):
            circuits[name][3] = float(stored)
        answer = "restored"
    else:
        answer = f"error {word} is no word of the protocol"
    print(answer, flush=True)
