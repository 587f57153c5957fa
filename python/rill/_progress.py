# SPDX-License-Identifier: Apache-2.0
"""How far long work has come: a tqdm bar, a function, and the end by control-C."""

from __future__ import annotations

import dataclasses
import importlib
import math
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Union

from . import _interface as c
from ._arguments import shown
from ._library import check, need, text
from ._words import spoken
from .errors import UsageError


@dataclasses.dataclass(frozen=True)
class Moment:
    """How far long work has come.

    Attributes
    ----------
    what, detail : str
        What is being done, e.g. ``"flow along x"``, and further text.
    fraction : float or None
        How much of it is done, 0 to 1.
    seconds_left : float or None
        Estimated wall-clock time until the work ends, s.
    steps : int or None
        Time steps made along the axis, while a permeability is computed.
    k, predicted, uncertainty : float or None
        Permeability along the axis now and its final value, lattice units, and the relative uncertainty of that.
    cycles, time, mach : float or None
        While a vessel is run: cycles made, physical time in s, largest Mach number.
    """

    what: str
    detail: str
    fraction: float | None
    seconds_left: float | None
    steps: int | None = None
    k: float | None = None
    predicted: float | None = None
    uncertainty: float | None = None
    cycles: float | None = None
    time: float | None = None
    mach: float | None = None


#: None: a tqdm bar if tqdm is installed and standard error is a terminal; True: a tqdm bar; False: nothing; a function: it
#: gets a `Moment` a few times a second, and cancels the work by returning False.
Progress = Union[None, bool, Callable[[Moment], Union[bool, None]]]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def moment_of(m: Any) -> Moment:
    """Return a moment of the C library as one of Python."""
    more: dict[str, Any] = {}
    if m.permeability:
        p = m.permeability.contents
        more = {"steps": int(p.steps), "k": _finite(p.k), "predicted": _finite(p.predicted),
                "uncertainty": _finite(p.uncertainty)}
    elif m.run:
        r = m.run.contents
        more = {"cycles": r.cycles, "time": r.time, "mach": _finite(r.mach)}
    return Moment(text(m.what), spoken(text(m.detail)), m.fraction if m.fraction >= 0 else None,
                  m.seconds_left if m.seconds_left >= 0 else None, **more)


class _Bar:
    """A tqdm bar: one for each thing that is done."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm, self.bar, self.what = tqdm, None, ""

    def __call__(self, moment: Moment) -> None:
        if self.bar is None or moment.what != self.what:
            self.close()
            self.what = moment.what
            self.bar = self.tqdm(total=1.0, desc=moment.what, bar_format="{desc}: {percentage:3.0f}% |{bar}| {postfix}")
        bar: Any = self.bar
        bar.n = moment.fraction or 0
        words = [moment.detail] if moment.detail else []
        if moment.predicted is not None and moment.uncertainty is not None:
            words.append(f"k {moment.predicted:.5g} lu ± {100 * moment.uncertainty:.2g} %")
        if moment.cycles is not None:
            words.append(f"cycle {moment.cycles:.2f}")
        if moment.seconds_left is not None:
            words.append(f"about {moment.seconds_left:.0f} s left")
        bar.set_postfix_str(", ".join(words), refresh=False)
        bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _bar(progress: Progress) -> _Bar | None:
    if progress is None:
        if not sys.stderr.isatty():
            return None
        try:
            return _Bar(importlib.import_module("tqdm.auto").tqdm)
        except ImportError:
            return None
    return _Bar(need("tqdm.auto", "progress=True").tqdm) if progress is True else None


class Watch:
    """Progress of one call of the library, as a context.

    Control-C is noted by a signal handler and ends the work at the next report, so that the library frees what it
    allocated and leaves no unfinished file. Then KeyboardInterrupt is raised.
    """

    def __init__(self, progress: Progress) -> None:
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise UsageError(f"progress = {shown(progress)} is neither None, True, False nor a function of a Moment.")
        self._bar = _bar(progress)
        self._function = progress if callable(progress) else self._bar
        self._error: BaseException | None = None
        self._interrupted = False
        self._handler: Any = None
        self._call = c.rill_progress_fn(self._report)
        self.c = c.rill_progress(self._call, None)

    def _report(self, _context: Any, moment: Any) -> bool:
        try:
            go_on = self._function(moment_of(moment.contents)) if self._function else None
        except BaseException as error:  # it must not pass through C
            self._error = error
            return False
        return go_on is not False and not self._interrupted

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._interrupted = True

    def __enter__(self) -> Watch:
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._handler = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._bar:
            self._bar.close()
        if self._interrupted and kind is None:
            raise KeyboardInterrupt

    def check(self, status: int) -> None:
        """Raise what ended the work: an exception of the progress function, control-C, or the library's refusal."""
        if self._error is not None:
            raise self._error
        if status == c.RILL_CANCELLED and self._interrupted:
            raise KeyboardInterrupt
        check(status)
