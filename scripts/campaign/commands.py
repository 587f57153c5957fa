# SPDX-License-Identifier: Apache-2.0
"""A small run of each command, and how its outcome is compared with that of an undisturbed run."""
import json
import os
import shutil
from collections import namedtuple

import common
import outputs

Command = namedtuple("Command", "name arguments files")

CASE = """geometry: v.geom.h5
fluid: {density: 1000 kg/m3, viscosity: 20 mPa.s}
walls: interpolated
openings:
  in: {kind: inlet, waveform: wave.csv, concentration: 1}
  out: {kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 2e-10 m3/Pa}
transport: {residence-time: yes}
run: {cycles: 1, mach: 0.15, tolerance: 0.9}
output: {snapshots: 2, slices: no, fields: yes}
"""

COMMANDS = [
    Command("generate", "generate pack --size 16 --radius 4 -q --json g.json -o g.geom.h5", "g.geom.h5 g.json"),
    Command("voxelize an image", "voxelize rock.npy -q -o r.geom.h5", "r.geom.h5"),
    Command("voxelize a surface", "voxelize v.stl --units mm --dx 0.33mm -q -o s.geom.h5", "s.geom.h5"),
    Command("info on a geometry", "info --verify --json p.geom.h5", ""),
    Command("info on an image", "info --json rock.npy", ""),
    Command("info on a result", "info --json k.h5", ""),
    Command("info on a wall", "info out/wall.vtkhdf", ""),
    Command("check", "check v.yaml --no-measure -q --json check.json", "check.json"),
    Command("permeability", "permeability rock.npy -q --json k2.json --fields sparse -o k2.h5", "k2.json k2.h5 k2.vtkhdf k2.cells.vtkhdf k2.xmf"),
    Command("permeability of blocks", "permeability p.geom.h5 -q --blocks 8 --csv b.csv --at-once 1", "b.rev.csv b.rev.svg b.map.vti"),
    Command("diffusivity", "diffusivity rock.npy -q --axis xyz --fields image --json d2.json -o d2.h5", "d2.json d2.h5 d2.x.vtkhdf d2.y.vtkhdf d2.z.vtkhdf d2.z.xmf"),
    Command("diffusivity of two phases", "diffusivity rock.npy -q --phase 0=0.05 --phase 1=1 --drive outside --sides mirror --fields sparse --json d3.json -o d3.h5",
            "d3.json d3.h5 d3.vtkhdf d3.cells.vtkhdf d3.xmf"),
    Command("diffusivity of blocks", "diffusivity p.geom.h5 -q --blocks 8 --csv b.csv --at-once 1", "b.rev.csv b.rev.svg b.map.vti"),
    Command("dispersion", "dispersion rock.npy -q --peclet 0,10 --fields image --json d4.json -o d4.h5", "d4.json d4.h5 d4.pe0.vtkhdf d4.pe10.vtkhdf d4.pe10.xmf"),
    Command("free surface", "free-surface drop --nx 10 --ny 9 --nz 14 --depth 4 --radius 3 --height 9 --tension 1e-3 --gravity 1e-4 --steps 40 --every 20 -q -o f2.h5",
            "f2.h5 f2.0.vtkhdf f2.20.vtkhdf f2.40.vtkhdf f2.40.xmf"),
    Command("capsule", "capsule sphere --nx 12 --ny 12 --nz 12 --radius 3 --level 1 --re 0.3 --strain 0.1 --every 0.05 -q -o c2.h5",
            "c2.h5 c2.0.vtkhdf c2.9.vtkhdf c2.9.membrane.vtkhdf c2.18.vtkhdf c2.18.membrane.vtkhdf"),
    Command("export of a fill level", "export f.20.vtkhdf --slice y=50% --field fill -o f2.png", "f2.png"),
    Command("export of a slice", "export k.vtkhdf --slice z=50% -o k.png", "k.png"),
    Command("export of a wall", "export out/wall.vtkhdf --field WSS -o w.png", "w.png"),
    Command("export of fields", "export k.vtkhdf -o alone.vtkhdf", "alone.vtkhdf"),
    Command("run", "run v.yaml --no-measure -q --checkpoint-every 100ms -o results",
            "results/run.h5 results/wall.vtkhdf results/summary.json results/fields-0001.vtkhdf results/fields.cells.vtkhdf results/openings.csv "
            "results/wall.csv results/wall.xmf results/wall-tawss.png"),
]


def inputs(c):
    """Return a directory with all inputs, made once."""
    def make():
        path = c.fresh("inputs")
        common.rock(path / "rock.npy", 12, 1, 0.8)
        c.must("generate", "pack", "--size", 16, "--radius", 4, "-q", "-o", "p.geom.h5", directory=path)
        c.must("generate", "bend", "--radius", "1mm", "--angle", 0, "--inlet", "2mm", "--outlet", "2mm", "--edge", "0.3mm", "-q", "-o", "v.stl", directory=path)
        c.must("voxelize", "v.stl", "--units", "mm", "--dx", "0.33mm", "--name", "0mm,0mm,0mm=in", "--name", "0mm,0mm,4mm=out", "-q", "-o", "v.geom.h5",
               directory=path)
        (path / "wave.csv").write_text("time [ms], flow [mL/s]\n0, 0.1\n10, 0.25\n20, 0.1\n30, 0.05\n40, 0.1\n")
        (path / "v.yaml").write_text(CASE)
        c.must("permeability", "rock.npy", "-q", "--fields", "sparse", "-o", "k.h5", directory=path)
        c.must("permeability", "rock.npy", "-q", "--fields", "image", "-o", "u.h5", directory=path)
        c.must("diffusivity", "rock.npy", "-q", "--fields", "sparse", "-o", "d.h5", directory=path)
        c.must("free-surface", "drop", "--nx", 10, "--ny", 9, "--nz", 14, "--depth", 4, "--radius", 3, "--height", 9, "--steps", 20, "--every", 20, "-q", "-o", "f.h5", directory=path)
        c.must("capsule", "sphere", "--nx", 12, "--ny", 12, "--nz", 12, "--radius", 3, "--level", 1, "--re", 0.5, "--ca", 0.25, "--strain", 0.1, "--every", 0.1, "-q", "-o", "c.h5", directory=path)
        c.must("run", "v.yaml", "--no-measure", "-q", "-o", "out", directory=path)
        return path
    return c.once("inputs", make)


def is_copied(path):
    """Return whether an input is copied instead of linked: fields refer to it, and rill follows no link out of their directory."""
    return path.name.endswith(".cells.vtkhdf")


def place(c, directory):
    """Make the inputs visible in a directory."""
    for path in inputs(c).iterdir():
        if is_copied(path):
            shutil.copy(path, directory / path.name)
        else:
            os.symlink(path, directory / path.name)
    return directory


def undisturbed(c, command):
    """Return (directory, Result) of an undisturbed run, made once."""
    def make():
        path = place(c, c.fresh("undisturbed-" + command.name.replace(" ", "-")))
        return path, c.must(*command.arguments.split(), directory=path)
    return c.once("undisturbed " + command.name, make)


def same(a, b):
    """Compare two files of one name. @return difference in a sentence, or None"""
    try:
        if a.name.endswith((".h5", ".vtkhdf")):
            found = outputs.compare_hdf5(a, b)
        elif a.name.endswith(".json"):
            found = outputs.compare_json(a, b)
        elif a.name == "b.csv":
            found = outputs.compare_table(a, b)
        else:
            found = [] if a.read_bytes() == b.read_bytes() else ["the bytes differ"]
    except Exception as error:  # h5py and json have no common one
        found = ["it does not load: %s" % error]
    return "%s: %s" % (a.name, found[0]) if found else None


def differs(c, command, directory, result=None):
    """Compare the outcome of a run that succeeded with the undisturbed one. @return a sentence, or None"""
    whole, expected = undisturbed(c, command)
    if result is not None and result.out != expected.out:
        return "another standard output"
    for name in command.files.split():
        if not (directory / name).exists():
            return "%s is missing" % name
        if (found := same(directory / name, whole / name)):
            return found
    return None


def broken(c, command, directory, old=None):
    """Check the files of a run that failed: each is absent, the old one, or whole. A JSON may lack its error bar, which is computed behind k. @return a sentence, or None"""
    whole, _ = undisturbed(c, command)
    for name in command.files.split():
        path = directory / name
        if old is not None and not path.exists():
            return "the old %s is gone" % name
        if not path.exists() or old is not None and path.read_bytes() == old.get(name):
            continue
        if (found := same(path, whole / name)) and not without_error_bar(path, whole / name) and not of_some_blocks(directory, whole):
            return found
    return None


def of_some_blocks(directory, whole):
    """Return whether a table of blocks lacks results, which exit code 3 says, and has those of the undisturbed one else: curve and map are of fewer blocks."""
    tables = [path / "b.csv" for path in (directory, whole)]
    if not all(path.exists() for path in tables):
        return False
    rows, expected = map(outputs.table, tables)
    return len(rows) == len(expected) and any(row["exit_reason"] != "converged" for row in rows) and all(
        row == other for row, other in zip(rows, expected) if row["exit_reason"] == "converged")


def without_error_bar(path, whole):
    """Return whether a JSON is whole but for an error bar, whose further runs are not known."""
    if path.suffix != ".json":
        return False
    try:
        bar = json.loads(path.read_text())["error_bar"]
        return bar is not None and any(row["state"] == "not known" for row in bar["contributions"]) and not outputs.compare_json(path, whole, outputs.MEASURED | {"error_bar"})
    except (ValueError, KeyError):
        return False


def sentence(result):
    """Return whether standard error tells what happened."""
    return result.err.strip() and any(line.startswith("rill") for line in result.err.splitlines())
