# SPDX-License-Identifier: Apache-2.0
"""Small cases for campaigns: vessels of some hundred nodes with Windkessel outlets, rocks of some thousand voxels."""
import os
import sys

import common

sys.path.insert(0, str(common.ROOT / "scripts"))
from variants import names  # noqa: E402

STREAMS, ADDRESSINGS, STORAGES = names("STREAM"), names("ADDRESSING"), names("STORAGE")
LATTICES, COLLISIONS = ("d3q15", "d3q19", "d3q27"), names("COLLISION")
WINDKESSEL = "{kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 2e-10 m3/Pa}"
OUTLETS = (WINDKESSEL, "{kind: resistance, resistance: 5e7 Pa.s/m3}", "{kind: pressure, pressure: 20 Pa}")
OUTPUTS = ("{snapshots: 0}", "{snapshots: 2, slices: no}",
           "{snapshots: 2, slices: no, fields: yes, probes: {mid: [0 mm, 0 mm, 2 mm]}, planes: {half: {centre: [0 mm, 0 mm, 2 mm], normal: [0, 0, 1]}}}")


def combinations(c):
    """Return every (streaming scheme, addressing, storage) that `rill variants` lists: CPUs and GPUs run all of them."""
    def listed():
        if c.arguments.backend == "cuda":  # most are compiled when they are first used
            c.must("variants", "--compile", "d3q19-trt-second-order-esotwist-chase-fp16", directory=c.directory)
        known = {line.split()[0] for line in c.must("variants", "--all", directory=c.directory).out.splitlines() if line.strip()}
        return [(s, a, f) for s in STREAMS for a in ADDRESSINGS for f in STORAGES if "d3q19-trt-second-order-%s-%s-%s" % (s, a, f) in known]
    return c.once("combinations", listed)


def _made(c, name, shape, cut):
    """Return a directory with v.geom.h5 and wave.csv, made once."""
    def make():
        path = c.fresh(name)
        c.must("generate", *shape, "-q", "-o", "v.stl", directory=path)
        c.must("voxelize", "v.stl", "--units", "mm", *cut, "-q", "-o", "v.geom.h5", directory=path)
        (path / "wave.csv").write_text("time [ms], flow [mL/s]\n0, 0.1\n10, 0.25\n20, 0.1\n30, 0.05\n40, 0.1\n")
        return path
    return c.once(name, make)


def pipe(c, dx="0.33mm"):
    """A straight pipe of radius 1 mm from "in" to "out", along z: 400 nodes, 1,600 with voxels of 0.2 mm and 9,000 with 0.11 mm, which can be divided."""
    return _made(c, "pipe-" + dx, ("bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm", "--outlet", "2mm", "--edge", "0.3mm"),
                 ("--dx", dx, "--name", "0mm,0mm,0mm=in", "--name", "0mm,0mm,4mm=out"))


def fork(c):
    """A bifurcation of 800 nodes, from "opening-1" to "opening-2" and "opening-3"."""
    return _made(c, "fork", ("bifurcation", "--radius", "1mm", "--inlet", "3mm", "--outlet", "4.2mm", "--edge", "0.35mm"),
                 ("--dx", "0.33mm", "--min-cells", "1"))


def link(directory, into):
    """Make the files of a geometry visible in another directory."""
    for path in directory.iterdir():
        target = into / path.name
        if not target.exists():
            os.symlink(path, target)


def vessel(c, into, random, run="", collision="trt", outputs=OUTPUTS, fine=False, cycles=None):
    """Write v.yaml with its geometry into a directory. @param run  further keys of `run`; @param fine  for several parts"""
    forked = not fine and random.random() < 0.5
    steady = not fine and random.random() < 0.2
    link(fork(c) if forked else pipe(c, "0.11mm" if fine else "0.33mm"), into)
    profile = random.choice(5 * ("flat", "parabolic") + ("fitted",))  # which takes half a second to solve
    inflow = "{kind: inlet, %s, profile: %s}" % ("flow: 0.1 mL/s" if steady else "waveform: wave.csv", profile)
    if forked:
        openings = "  opening-1: %s\n  opening-2: %s\n  opening-3: %s\n" % (inflow, WINDKESSEL, random.choice((WINDKESSEL,) + OUTLETS))
    else:
        openings = "  in: %s\n  out: %s\n" % (inflow, random.choice((WINDKESSEL,) + OUTLETS))
    span = "duration: 60 ms" if steady else "cycles: %d" % (cycles or (1 if fine else random.choice((1, 2, 3))))
    laws = ("20 mPa.s", "30 mPa.s") + (("{law: casson, plastic-viscosity: 20 mPa.s, yield-stress: 4 mPa}",) if collision == "trt" else ())
    text = "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: %s}\nwalls: %s\nopenings:\n%srun: {%s, mach: %g, tolerance: 0.9, collision: %s%s}\noutput: %s\n" % (
        random.choice(laws), random.choice(("interpolated", "quadratic", "half-way")), openings, span, 0.2 if fine else 0.1, collision, run, random.choice(outputs))
    if not fine and "addressing: dense" not in run and random.random() < 0.3:  # what the flow carries
        text = text.replace("kind: inlet", "kind: inlet, concentration: 1") + "transport: {residence-time: yes}\n"
    (into / "v.yaml").write_text(text)
