# SPDX-License-Identifier: Apache-2.0
"""The program beside the library, variants, quantities, doctests and types."""

from __future__ import annotations

import doctest
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import rill


def test_variants_are_those_of_the_program() -> None:
    names = [v.name for v in rill.variants()]
    printed = [line.split()[0] for line in rill.command("variants").splitlines() if line.startswith(("d3q", "d2q"))]
    assert [n for n in names if n in printed] == names and len(names) > 5
    everything = rill.variants(all=True, porosity=0.1)
    assert len(everything) == len({v.name for v in everything}) > 1000 and {*names} <= {v.name for v in everything}
    assert all(v.stored > 0 and v.moved > 0 for v in everything)
    with pytest.raises(rill.UsageError, match="porosity"):
        rill.variants(porosity=0)


def test_bench_measures() -> None:
    found = rill.bench("--suite", "box", "--cells", "32", "--seconds", "0.05", "--backend", "cpu")
    assert found["results"][0]["mlups"] > 0


def test_refusals_of_the_program_are_exceptions() -> None:
    with pytest.raises(rill.UsageError, match="nonsense"):
        rill.command("nonsense")
    with pytest.raises(rill.UsageError, match="missing.npy"):
        rill.command("permeability", "missing.npy")
    done = subprocess.run([sys.executable, "-m", "rill", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and rill.__version__ in done.stdout


def test_quantities() -> None:
    assert rill.quantity("120 mL/min", "m3/s") == pytest.approx(2e-6)
    for text in ("5", "5 parsnips", "", "nan m", "5 kg"):
        with pytest.raises(rill.UsageError):
            rill.quantity(text, "m")


MODULES = ["rill"] + [f"rill.{m.name}" for m in pkgutil.iter_modules(rill.__path__) if m.name != "__main__"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_documentation_run(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples_to_run() -> None:
    finder = doctest.DocTestFinder()
    assert sum(len(t.examples) for t in finder.find(rill)) >= 4


def test_every_public_name_is_documented() -> None:
    for name in rill.__all__:
        assert name in ("DARCY", "Progress") or getattr(rill, name).__doc__, name


def test_types_are_complete(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    line = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "-p", "rill"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
