# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments, one at a time: each is an error of rill with one sentence that names it, never one from inside."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image

DUCT = np.ones((12, 10, 8), bool)
DUCT[:, :2] = False
TRIANGLE = (np.eye(3), np.array([[0, 1, 2]]))


class Broken:
    """An object whose conversions all fail."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def __fspath__(self) -> str:
        raise RuntimeError("no path")

    def __iter__(self) -> Any:
        raise RuntimeError("no iterator")


class Unreadable:
    """An array that cannot be read."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("no array")


class OnDevice:
    """An array in the memory of a GPU."""

    __cuda_array_interface__ = {"shape": (1, 1, 1)}


def refused(call: Callable[[], Any], words: str) -> None:
    """Assert that a call is refused with one sentence that has these words."""
    with pytest.raises(rill.Error) as caught:
        call()
    sentence = str(caught.value)
    assert words in sentence, sentence
    assert "\n" not in sentence and 10 < len(sentence) < 1024, sentence
    assert caught.value.status in (1, 2, 3)


@pytest.mark.parametrize(("im", "words"), [
    (None, "The image is None"), (3, "0 axes instead of 3"), (np.bool_(True), "0 axes instead of 3"), (DUCT[0, 0], "1 axes instead of 3"),
    (DUCT[None], "4 axes instead of 3"), (np.zeros((0, 4, 4), bool), "voxel"), (np.zeros((4, 0, 4), bool), "voxel"), ([], "The list of slices is empty"),
    (DUCT.astype(complex), "complex128"), (DUCT.astype(np.longdouble), "float128"), (DUCT.astype("M8[s]"), "datetime64"),
    (DUCT.astype(object), "type object"), (np.array([[["a"]]]), "<U1"), (np.array([[[b"a"]]]), "|S1"), ([[["a"]]], "<U1"),
    (np.zeros((4, 4, 4), [("a", "u1")]), "('a', 'u1')"), ([[1], [2, 3]], "cannot be read as an array"), (Unreadable(), "no array"),
    ({"a": 1}, "type object"), ({1, 2}, "type object"), (OnDevice(), "copy it to the host"), (lambda: 1, "type object"),
    (np.full((4, 4, 4), np.nan), "NaN"), (rill, "type object"), (b"a.npy", "|S5"), ("", "is empty"), ("a\0b.npy", "NUL"),
    ("\ud800.npy", "no path"), ("missing.npy", "missing.npy"), (pathlib.Path("."), "."),
    (np.broadcast_to(True, (2**20, 2**20, 2**20)), "memory"),
])
def test_images(im: Any, words: str) -> None:
    more = {"pore": 0} if getattr(im, "dtype", None) == float or isinstance(im, list) else {}
    refused(lambda: rill.permeability(im, axis="x", device="cpu", **more), words)


@pytest.mark.parametrize(("change", "words"), [
    (change, f"{next(iter(change))} = ") for change in (
        {"axis": None}, {"axis": 3}, {"axis": -1}, {"axis": True}, {"axis": 1.0}, {"axis": "w"}, {"axis": ""}, {"axis": "xx"}, {"axis": ["x"]},
        {"axis": "x0"}, {"axis": b"x"}, {"axis": Broken()},
        {"order": 3}, {"order": "xy"}, {"order": ["x", "y", "z"]}, {"order": "zyxw"},
        {"sides": 3}, {"sides": {"x": "wall"}}, {"sides": "open"}, {"sides": [1, 2, 3]}, {"sides": ()}, {"sides": ["wall"] * 4}, {"sides": b"wall"}, {"sides": Broken()},
        {"drive": None}, {"drive": 1}, {"acceleration": True}, {"start": []},
        {"tolerance": None}, {"tolerance": "many"}, {"tolerance": 5000 * "many"}, {"tolerance": "1 % 2"}, {"tolerance": [1]}, {"tolerance": 1j}, {"tolerance": True},
        {"tolerance": float("nan")}, {"tolerance": -1}, {"tolerance": "0 %"}, {"tolerance": "200 %"}, {"tolerance": Broken()},
        {"max_steps": None}, {"max_steps": "many"}, {"max_steps": 1e400}, {"max_steps": float("nan")}, {"max_steps": [1]}, {"max_steps": 2**70},
        {"max_steps": True}, {"max_steps": Broken()}, {"reservoir": -1}, {"reservoir": 0.5},
        {"tau": "x"}, {"tau": []}, {"tau": 0}, {"tau": 2**63}, {"tau": 1e308}, {"sample": np.ones(2)}, {"tau": float("inf")}, {"tau": 1j}, {"tau": Broken()}, {"force": "x"}, {"force": -1e-6},
        {"voxel_size": [1e-6] * 3}, {"voxel_size": b"1 um"}, {"voxel_size": 1j}, {"voxel_size": True}, {"voxel_size": 0}, {"voxel_size": -1},
        {"voxel_size": float("inf")}, {"voxel_size": object()}, {"voxel_size": "0 m"}, {"voxel_size": Broken()},
        {"variant": 3}, {"variant": "a\0"}, {"device": None}, {"device": 0}, {"device": "tpu"}, {"device": "cuda:"  "99999"}, {"device": "cpu:1"},
        {"progress": 3}, {"progress": "bar"}, {"fields": "no"}, {"fields": 1}, {"error_bar": None},
    )
])
def test_keywords_of_a_permeability(change: dict[str, Any], words: str) -> None:
    refused(lambda: rill.permeability(DUCT, **{"axis": "x", "device": "cpu", **change}), words)


@pytest.mark.parametrize("pore", [
    Broken(), [Broken()], {"a"}, b"1", [b"1"], "", "x", "0-", "1-0", float("nan"), [float("nan")], [(0, float("nan"))], 1j, [1j], {"x": 1}, [],
    list(range(0, 80, 2)), (0, 1), (0, 1, 2), (1,), [[0, 1]], [(1, 0)], [None], ..., slice(1, 2), np.array([[1]]), DUCT, 1e400, [7], rill, 10**400, [10**400], range(10**400), range(0, 10**9, 2), range(0, 10**400, 2),
])
def test_grey_values_of_pores(pore: Any) -> None:
    refused(lambda: rill.permeability(DUCT.astype("u1"), axis="x", device="cpu", pore=pore), "pore")


@pytest.mark.parametrize(("change", "words"), [
    ({"crop": {"x": 3}}, "crop['x'] = 3"), ({"crop": {"x": ("a", "b")}}, "crop['x'] = 'a'"), ({"crop": [1]}, "crop = [1]"),
    ({"crop": {"x": (0.5, 3)}}, "crop['x'] = 0.5"), ({"crop": {"x": (1, 2, 3)}}, "no range"), ({"crop": {"w": (0, 1)}}, "crop = 'w'"),
    ({"crop": {"x": (-1, 3)}}, "crop['x'] = -1"), ({"crop": {"x": (0, 99)}}, "crop"),
    ({"mirror": 3}, "mirror = 3"), ({"mirror": "w"}, "mirror = 'w'"), ({"keep": None}, "keep = None"), ({"keep": ["all"]}, "keep = "),
    ({"axis": "xy"}, "axis = 'xy'"), ({"axis": 7}, "axis = 7"), ({"resample": -1}, "resample = -1"), ({"resample": []}, "resample = "),
    ({"dx": 1e-6}, "dx="), ({"cells": 3}, "cells="), ({"units": "mm"}, "units="), ({"voxel_size": "5 kg"}, "kg"),
    ({"order": "xyz "}, "order = "), ({"order": np.zeros((2, 2))}, "order = "), ({"order": Broken()}, "order = "), ({"cells": np.ones((2, 2))}, "cells = "),
])
def test_keywords_of_images(change: dict[str, Any], words: str) -> None:
    refused(lambda: rill.voxelize(DUCT, **change), words)


@pytest.mark.parametrize(("change", "words"), [
    ({"shape": 3}, "shape = 3"), ({"shape": (1, 2)}, "three axes"), ({"shape": "123"}, "shape = "), ({"shape": (1, -2, 3)}, "shape = -2"),
    ({"dtype": "nonsense"}, "dtype = 'nonsense'"), ({"dtype": complex}, "dtype = "), ({"dtype": object}, "dtype = "),
    ({"order": "xyz"}, "order = 'xyz'"), ({"axis": 0}, "axis = 0"),
])
def test_keywords_of_raw_files(change: dict[str, Any], words: str, tmp_path: pathlib.Path) -> None:
    DUCT.tofile(tmp_path / "a_8x10x12.raw")
    refused(lambda: rill.voxelize(tmp_path / "a_8x10x12.raw", **{"pore": 1, **change}), words)


@pytest.mark.parametrize(("source", "change", "words"), [
    (TRIANGLE, {"names": 3}, "names = 3"), (TRIANGLE, {"names": {1: "a"}}, "names = 1"), (TRIANGLE, {"names": {"a": "b\0"}}, "NUL"),
    (TRIANGLE, {"min_cells": "a"}, "min_cells = 'a'"), (TRIANGLE, {"extend": "xD"}, "x"), (TRIANGLE, {"extend": []}, "extend = "),
    (TRIANGLE, {"units": []}, "units = "), (TRIANGLE, {"units": "parsec-ish"}, "parsec-ish"), (TRIANGLE, {"units": -1}, "units = -1"),
    (TRIANGLE, {"caps": 3}, "caps = 3"), (TRIANGLE, {"close_holes": "no"}, "close_holes = 'no'"), (TRIANGLE, {"axes": "xzy"}, "axes = 'xzy'"),
    (TRIANGLE, {"cells": 1.5}, "cells = 1.5"), (TRIANGLE, {"pore": 1}, "pore="), (TRIANGLE, {"dx": "5"}, "unit"),
    ((np.eye(3), np.array([[0, 1, 2.5]])), {}, "float64"), ((np.eye(3), np.array([["a", "b", "c"]])), {}, "<U1"),
    ((np.eye(3) * np.nan, TRIANGLE[1]), {}, "not finite"), ((1, 2), {}, "no surface"), ((["a"], TRIANGLE[1]), {}, "no arrays of numbers"),
    ((np.eye(3), TRIANGLE[1] - 1), {}, "name vertices -1"),
])
def test_surfaces(source: Any, change: dict[str, Any], words: str) -> None:
    refused(lambda: rill.voxelize(source, **{"dx": "0.1 mm", **change}), words)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: rill.open(None), "path = None"), (lambda: rill.open(3), "path = 3"), (lambda: rill.open("a\0b.h5"), "NUL"),
    (lambda: rill.open(""), "is empty"), (lambda: rill.open("a.raw", shape=3), "shape = 3"), (lambda: rill.open("a.raw", shape=(1, 2)), "three axes"),
    (lambda: rill.open("a.h5", shape=(1, 2, 3)), "shape="), (lambda: rill.open(Broken()), "no path"), (lambda: rill.open(5000 * "a"), "File name too long"),
    (lambda: rill.voxelize(DUCT).save("a\0"), "NUL"), (lambda: rill.voxelize(DUCT).save(None), "path = None"),
    (lambda: rill.quantity(3, "m"), "text = 3"), (lambda: rill.quantity("3\0 m", "m"), "NUL"), (lambda: rill.quantity("3 m", None), "unit = None"),
    (lambda: rill.variants(porosity="a"), "porosity = 'a'"), (lambda: rill.variants(all=3), "all = 3"), (lambda: rill.variants(porosity=2), "porosity = 2"),
    (lambda: rill.permeability_many(None), "images = None"), (lambda: rill.permeability_many(3), "images = 3"),
    (lambda: rill.permeability_many("a.npy"), "images = 'a.npy'"), (lambda: rill.permeability_many([]), "no image"),
    (lambda: rill.permeability_many(DUCT), "one image"), (lambda: rill.permeability_many({"a\0": DUCT}), "NUL"),
    (lambda: rill.permeability_many([DUCT], resume=1), "resume = 1"), (lambda: rill.permeability_many([DUCT], csv=3), "path = 3"),
    (lambda: rill.permeability_many([DUCT], at_once=-1), "at_once = -1"), (lambda: rill.permeability_many(["a.npy"], order="xyz"), "order = 'xyz'"),
    (lambda: rill.permeability_many([DUCT, "a.npy"], axis=0), "axis = 0"),
    (lambda: rill.blocks(DUCT, None), "edges = None"), (lambda: rill.blocks(DUCT, []), "list at least one"), (lambda: rill.blocks(DUCT, 4.5), "edges = 4.5"),
    (lambda: rill.blocks(DUCT, "4", "1 um"), "unit"), (lambda: rill.blocks(DUCT, "4 um"), "voxel size is unknown"), (lambda: rill.blocks(DUCT, [True]), "edges = True"),
    (lambda: rill.run(3), "case = 3"), (lambda: rill.run(None), "case = None"), (lambda: rill.run({}, fields=3), "fields = 3"),
    (lambda: rill.run({}, checkpoint_every="a"), "checkpoint_every = 'a'"), (lambda: rill.run({}, geometry=3), "geometry = 3"),
    (lambda: rill.run({"fluid": Broken()}), "cannot be written as YAML"), (lambda: rill.run({"fluid": {1, 2}}), "cannot be written as YAML"),
    (lambda: rill.run({}, directory=3), "\"geometry\""), (lambda: rill.run("a\0\n"), "NUL"), (lambda: rill.run({}, resume=True), "geometry"),
    (lambda: rill.command(3), "argument = 3"), (lambda: rill.command("a\0"), "NUL"), (lambda: rill.command("info", "-", input="text"), "bytes"),
    (lambda: rill.command(""), "unknown command"),
])
def test_other_functions(call: Callable[[], Any], words: str) -> None:
    refused(call, words)


def test_what_a_field_is_given(rock: Image) -> None:
    field = rill.permeability(rock, "2 um", axis="z", fields=True, device="cpu").fields["z"]
    for change, words in (({"viscosity": "5 m"}, "m"), ({"viscosity": None}, "viscosity = None"), ({"gradient": 0}, "gradient = 0"),
                          ({"gradient": [1]}, "gradient = [1]"), ({"viscosity": float("nan")}, "viscosity = nan")):
        refused(lambda change=change: field.si(**change), words)  # type: ignore[misc]


def test_star_import_keeps_the_open_of_python() -> None:
    code = "from rill import *; import builtins; assert open is builtins.open and permeability; import rill; assert rill.open is not open"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_data_outside_the_directory_of_a_header_are_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    header = tmp_path / "in" / "a.mhd"
    header.write_text("NDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\nElementDataFile = ../data\n")
    (tmp_path / "data").write_bytes(bytes(range(64)))
    more: dict[str, Any] = {"voxel_size": "1 um", "pore": range(32)}
    with pytest.raises(rill.UsageError, match="outside its directory"):
        rill.voxelize(header, keep="all", **more)
    with pytest.raises(rill.UsageError, match="outside its directory"):
        rill.permeability(header, device="cpu", **more)
    assert rill.voxelize(header, keep="all", allow_outside=True, **more).shape == (4, 4, 4)
    row, = rill.permeability_many([header], device="cpu", **more).rows
    assert row.exit_reason == "input refused"
    row, = rill.permeability_many([header], device="cpu", allow_outside=True, **more).rows
    assert row.exit_reason != "input refused"


def test_a_crash_of_the_hdf5_library_is_an_exception(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """rill-inspect crashes in place of this process."""
    path = tmp_path / "a.geom.h5"
    rill.command("generate", "spheres", "--cells", "12", "-q", "-o", path)
    inspector = tmp_path / "inspector"
    inspector.write_text("#!/bin/sh\nkill -SEGV $$\n")
    inspector.chmod(0o755)
    monkeypatch.setenv("RILL_INSPECT", str(inspector))
    readers: list[Callable[[Any], Any]] = [rill.open, lambda name: rill.permeability(name, axis="z", device="cpu")]
    for read in readers:
        with pytest.raises(rill.UsageError, match="a.geom.h5: it is a damaged HDF5 file"):
            read(path)
    monkeypatch.setenv("RILL_INSPECT", str(tmp_path / "none"))
    other = tmp_path / "b.geom.h5"  # a refused file is not inspected again
    other.write_bytes(path.read_bytes())
    with pytest.raises(rill.SystemFailure, match="RILL_INSPECT names"):
        rill.open(other)


def test_a_file_that_another_one_replaces_is_read(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program writes under a temporary name, and renames, is inspected anew; bytes that change in place are refused."""
    path = tmp_path / "a.geom.h5"
    rill.command("generate", "spheres", "--cells", "12", "-q", "-o", path)
    inspector = tmp_path / "inspector"
    once = '#!/bin/sh\n[ -e "$5.once" ] || { : >"$5.once"; %s; }; printf K\n'
    inspector.write_text(once % 'cp "$5" "$5.other"; mv "$5.other" "$5"')
    inspector.chmod(0o755)
    monkeypatch.setenv("RILL_INSPECT", str(inspector))
    assert rill.open(path).geometry().shape == (12, 12, 12)
    (tmp_path / "a.geom.h5.once").unlink()
    inspector.write_text(once % 'printf x >>"$5"')
    path.touch()
    with pytest.raises(rill.UsageError, match="a.geom.h5: another program changes it"):
        rill.open(path)
