# SPDX-License-Identifier: Apache-2.0
"""The examples run at a small size and leave their pictures."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(os.environ.get("RILL_EXAMPLES_PYTHON", pathlib.Path(__file__).resolve().parents[1] / "examples"))


@pytest.mark.parametrize("name", sorted(p.stem for p in EXAMPLES.glob("*.py")) or ["none"])
def test_an_example_leaves_its_picture(name: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    source = EXAMPLES / f"{name}.py"
    if "import porespy" in source.read_text():
        pytest.importorskip("porespy")
    line = [sys.executable, str(source), "--small", "-o", str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=900, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    pictures = list(tmp_path.glob("*.png"))
    assert len(pictures) == 1 and pictures[0].read_bytes()[:4] == b"\x89PNG" and pictures[0].stat().st_size > 5000
