# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class for each status of the C library, with its sentence."""

from __future__ import annotations

import unicodedata
from typing import Any


LONGEST = 1000  # characters of a sentence: of a longer one, which quotes a long argument, the middle is left out


def printable(text: str) -> str:
    """Return a text with its control characters escaped as the program escapes them: names in files may hold any."""
    return "".join(f"\\u{{{ord(ch):x}}}" if unicodedata.category(ch) in ("Cc", "Cf", "Cs", "Zl", "Zp") else ch for ch in text)


class Error(Exception):
    """A function of librill failed. The text is one sentence: what happened, the value, the limit, what to do.

    Attributes
    ----------
    status : int
        Status of the C library and exit code of the program ``rill``: 1 usage, 2 numerics, 3 system, 4 cancelled.
    result : Permeability, VesselRun or None
        What was computed before the failure, e.g. the last value of a permeability that did not converge.
    """

    status: int = 0
    result: Any = None

    def __str__(self) -> str:
        sentence = printable(super().__str__())
        return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST // 2]} … {sentence[-LONGEST // 2 :]}"


class RillWarning(UserWarning):
    """A note of the library that changes or qualifies a value; results have it in `notes`, too."""


class UsageError(Error, ValueError):
    """A wrong argument, option, unit or input file."""

    status = 1


class NumericsError(Error, ArithmeticError):
    """The flow diverged or did not converge, or no valid answer exists (no pore conducts along the axis)."""

    status = 2


class SystemFailure(Error, RuntimeError):
    """Not enough memory, no room on the disk, or no device."""

    status = 3


class Cancelled(Error):
    """A progress function returned False."""

    status = 4


def of_status(status: int, sentence: str) -> Error:
    """Return the exception of a status."""
    classes: dict[int, type[Error]] = {1: UsageError, 2: NumericsError, 3: SystemFailure, 4: Cancelled}
    return classes.get(status, Error)(sentence)
