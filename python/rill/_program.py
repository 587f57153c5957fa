# SPDX-License-Identifier: Apache-2.0
"""The program rill that is installed with the library, for what the library's interface does not have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from ._arguments import path_text
from ._library import beside
from .errors import SystemFailure, UsageError, of_status


def command(*arguments: str | os.PathLike[str], input: bytes | None = None) -> str:
    """Run the program ``rill`` and return what it prints to standard output.

    Parameters
    ----------
    *arguments : str or path
        E.g. ``"generate", "grf", "--porosity", "0.3", "-o", "rock.geom.h5"``.
    input : bytes, optional
        What the program reads from standard input where a file is called ``-``.

    Raises
    ------
    Error
        The class of the exit code, with the sentence of the program.

    Examples
    --------
    >>> import rill
    >>> rill.command("variants").splitlines()[0].split()[0]
    'variant'
    """
    line = [beside("rill"), *(path_text(a, "argument") if a != "" else "" for a in arguments)]
    if input is not None and not isinstance(input, (bytes, bytearray, memoryview)):
        raise UsageError(f"input is of the type {type(input).__name__}: give bytes, e.g. text.encode().")
    try:
        done = subprocess.run(line, input=input, capture_output=True, check=False)
    except OSError as error:
        raise SystemFailure(f"The program {line[0]} cannot be run: {error}.") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise of_status(done.returncode, lines[-1] if lines else f"{line[0]} ended with exit code {done.returncode}.")
    return done.stdout.decode(errors="replace")


def bench(*options: str) -> dict[str, Any]:
    """Measure the speed of variants on this machine by ``rill bench``.

    Parameters
    ----------
    *options : str
        Options of ``rill bench``, see ``rill bench --help``.

    Returns
    -------
    dict
        What ``rill bench --json`` writes.
    """
    found: dict[str, Any] = json.loads(command("bench", *options, "--json", "-"))
    return found


def main() -> None:
    """Become the program: the command ``rill`` of an installed wheel."""
    program = beside("rill")
    try:
        os.execvp(program, ["rill", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"rill: the program {program} cannot be run: {error}")
