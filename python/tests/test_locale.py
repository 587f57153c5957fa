# SPDX-License-Identifier: Apache-2.0
"""A locale with a decimal comma, set by the host program, changes nothing that is read or written."""

from __future__ import annotations

import csv
import locale
import pathlib
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image


@pytest.fixture(params=["de_DE", "tr_TR"])
def comma(request: pytest.FixtureRequest, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile a locale and set it for the process."""
    if shutil.which("localedef") is None or not pathlib.Path("/usr/share/i18n/locales").exists():
        pytest.skip("localedef and the sources of locales are not installed")
    name = f"{request.param}.UTF-8"
    subprocess.run(["localedef", "-i", request.param, "-f", "UTF-8", tmp_path / name], capture_output=True)
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    before = locale.setlocale(locale.LC_ALL)
    locale.setlocale(locale.LC_ALL, name)
    assert locale.localeconv()["decimal_point"] == ","
    yield
    locale.setlocale(locale.LC_ALL, before)


def test_lengths(comma: None) -> None:
    assert rill.quantity("5.7 um", "m") == pytest.approx(5.7e-6, rel=1e-12)
    assert rill.quantity("0.25 mmHg.s/mL", "Pa.s/m3") == pytest.approx(0.25 * 133.322387415e6)
    with pytest.raises(rill.UsageError, match="5,7"):
        rill.quantity("5,7 um", "m")


def test_images_and_tables(comma: None, plates: Image, tmp_path: pathlib.Path) -> None:
    raw = tmp_path / "plates-4x4x18-u8-5.7um.raw"
    np.where(plates, 0, 1).astype(np.uint8).tofile(raw)
    header = "ObjectType = Image\nNDims = 3\nDimSize = 4 4 18\nElementType = MET_UCHAR\nElementSpacing = 0.0057 0.0057 0.0057\n"
    (tmp_path / "a.mhd").write_text(f"{header}ElementDataFile = {raw.name}\n")
    assert rill.voxelize(raw, pore=0).voxel_size == pytest.approx(5.7e-6)
    with pytest.warns(rill.RillWarning):
        assert rill.voxelize(tmp_path / "a.mhd", pore=0).voxel_size == pytest.approx(5.7e-6)
    table = tmp_path / "k.csv"
    batch = rill.permeability_many([raw], pore=0, axis="y", csv=table, device="cpu")
    rows = list(csv.reader(table.open()))
    assert len(rows[0]) == len(rows[1])
    row = dict(zip(*rows))
    assert float(row["k_yy_m2"]) == pytest.approx(batch.rows[0].k, rel=1e-12) and batch.rows[0].k > 0
    assert rill.permeability_many([raw], pore=0, axis="y", csv=table, resume=True, device="cpu").rows[0].resumed


def test_surfaces_and_cases(comma: None, case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    corners = [(x, y, z) for z in (0.0, 2.25) for x, y in ((-0.75, -0.5), (0.75, -0.5), (0.75, 0.5), (-0.75, 0.5))]
    faces = [(1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 4, 8), (3, 8, 7), (4, 1, 5), (4, 5, 8)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "a.obj").write_text("\n".join(lines) + "\n")
    duct = rill.voxelize(tmp_path / "a.obj", units="mm", dx="0.125 mm", extend="0.5D")
    assert sorted(o.area for o in duct.openings) == pytest.approx([1.5e-6, 1.5e-6])
    duct.save(tmp_path / "a.geom.h5")
    (tmp_path / "wave.csv").write_text("time [ms], flow [mL/s]\n0, 0.15\n2.5, 0.2\n5.5, 0.125\n10, 0.15\n")
    (tmp_path / "a.yaml").write_text(
        "geometry: a.geom.h5\nfluid: {density: 1056.5 kg/m3, viscosity: 3.5 mPa.s}\nopenings:\n"
        "  opening-1: {kind: inlet, waveform: wave.csv}\n  opening-2: {kind: pressure, pressure: 0.5 mmHg}\n"
        "run: {cycles: 3, mach: 0.15}\noutput: {slices: no}\n")
    result = rill.run(tmp_path / "a.yaml", device="cpu")
    assert result.time == pytest.approx(0.03, rel=1e-3)
    assert result.pressure["opening-2"] == pytest.approx(0.5 * 133.322, rel=0.02)
