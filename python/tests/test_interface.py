# SPDX-License-Identifier: Apache-2.0
"""The declarations that are made of the headers agree with the C compiler's, and the library is the one of the package."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import rill
from rill import _interface as c

INCLUDE = os.environ.get("RILL_INCLUDE", str(pathlib.Path(__file__).resolve().parents[2] / "include"))


def structures() -> dict[str, type[ctypes.Structure]]:
    return {n: t for n, t in vars(c).items()
            if isinstance(t, type) and issubclass(t, ctypes.Structure) and t is not ctypes.Structure and hasattr(t, "_fields_")}


@pytest.mark.skipif(not shutil.which("cc") or not os.path.isdir(INCLUDE), reason="no C compiler or no headers")
def test_sizes_and_offsets_are_those_of_the_compiler(tmp_path: pathlib.Path) -> None:
    found = structures()
    assert len(found) > 40
    lines = ["#include <rill.h>", "#include <stdio.h>", "int main(void) {"]
    expected = []
    for name, kind in found.items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append(ctypes.sizeof(kind))
        for member in kind._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {member[0]}));')
            expected.append(getattr(kind, member[0]).offset)
    numbers = {n: v for n, v in vars(c).items() if n.startswith("RILL_") and isinstance(v, int)}
    for name, value in numbers.items():
        lines.append(f'printf("%lld\\n", (long long){name});')
        expected.append(value)
    (tmp_path / "a.c").write_text("\n".join([*lines, "return 0; }"]))
    subprocess.run(["cc", "-I", INCLUDE, "-include", "stddef.h", str(tmp_path / "a.c"), "-o", str(tmp_path / "a")], check=True)
    printed = subprocess.run([str(tmp_path / "a")], capture_output=True, text=True, check=True).stdout.split()
    assert [int(n) for n in printed] == expected


def test_the_version_is_that_of_the_library() -> None:
    assert rill.version().startswith(rill.__version__)
    assert rill.command("--version").split()[1] == rill.__version__


def test_a_processor_without_the_instructions_of_the_library_is_refused() -> None:
    """In place of an illegal instruction; scripts/test-processors tries the program on emulated processors."""
    lacks = rill._library.lacks
    assert lacks("processor\t: 0\nflags\t\t: fpu sse sse2 ssse3 sse4_1\n") and lacks("flags : popcnt sse4a\n")
    assert not lacks("flags\t\t: fpu sse4_1 sse4_2 popcnt\n") and not lacks("Features : asimd\n") and not lacks("")
    assert not lacks(pathlib.Path("/proc/cpuinfo").read_text())


def test_a_missing_library_is_named(tmp_path: pathlib.Path) -> None:
    environment = {**os.environ, "RILL_LIBRARY": str(tmp_path / "none.so")}
    done = subprocess.run([sys.executable, "-c", "import rill"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "none.so" in done.stderr and "RILL_LIBRARY" in done.stderr
