# SPDX-License-Identifier: Apache-2.0
"""How far long work has come: a tqdm bar, a function, the logger ``rill``, and the end by control-C."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import logging
import math
import signal
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any, Union

from . import _interface as c
from ._arguments import shown
from ._library import check, library, need, text
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
        Estimated wall-clock time until the work ends, s; of a permeability until the flow along this axis ends.
    part : int or None
        Number of the further run of an error bar, from 0.
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
    part: int | None = None


#: None: a tqdm bar if tqdm is installed, in Jupyter and where standard error is a terminal; True: a tqdm bar; False: nothing; a function: it
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
                  m.seconds_left if m.seconds_left >= 0 else None, part=m.part if m.part >= 0 else None, **more)


#: Remarks of the library, and what permeabilities are computed and found. Set its level to see them.
logger = logging.getLogger("rill")
logger.addHandler(logging.NullHandler())
SMALLEST_PERCENT = 1e-3


def percent(uncertainty: float) -> str:
    """Return a relative uncertainty for people: never as 0."""
    value = 100 * uncertainty
    return f"± {value:.2g} %" if value >= SMALLEST_PERCENT else f"within {SMALLEST_PERCENT:g} %"


class Bar:
    """One tqdm bar for a computation. Its fraction is the time that has passed over that and the time that is left.

    `flows`: number of axes along which a permeability is computed; those that have not begun count as long as the mean of the others. 0: other
    work, whose fraction is that of its stage.
    """

    def __init__(self, tqdm: Any, flows: int = 0) -> None:
        self.tqdm, self.flows, self.bar, self.before = tqdm, flows, None, 0
        self.what, self.begun, self.shown = "", clock.monotonic(), 0.0
        self.words: list[str] = []  # behind the bar, but for the time left
        self.part: int | None = None
        self.spent: list[float] = []  # s of the flows that have ended
        self.flow = 0.0  # when this one began

    def fraction(self, moment: Moment) -> float:
        """Return how much of the computation is done."""
        now = clock.monotonic()
        if moment.what != self.what or moment.part != self.part:
            if self.what.startswith("flow"):
                self.spent.append(now - self.flow)
            if moment.part != self.part:  # a further run of an error bar is a computation of its own
                self.spent, self.shown, self.begun = [], 0.0, now
            if not self.flows:
                self.shown = 0.0  # of the next stage
            self.what, self.part, self.flow = moment.what, moment.part, now
        done = None if self.flows else moment.fraction
        if self.flows and moment.seconds_left is not None and moment.steps is not None:
            this = now - self.flow + moment.seconds_left
            others = max(0, self.flows - len(self.spent) - 1) if moment.part is None else 0
            left = moment.seconds_left + others * (sum(self.spent) + this) / (len(self.spent) + 1)
            passed = now - self.begun
            done = passed / (passed + left) if passed + left > 0 else 0.0
        if done is not None:
            self.shown = max(self.shown, min(done, 1.0))
        return self.shown

    def __call__(self, moment: Moment) -> None:
        done = self.fraction(moment)
        if self.bar is None:
            self.bar = self.tqdm(total=1.0, bar_format="{desc}: {percentage:3.0f}% |{bar}| {postfix}")
        bar: Any = self.bar
        bar.set_description_str(moment.what if moment.part is None else f"error bar, run {moment.part + 1}: {moment.what}", refresh=False)
        bar.n = done
        self.words = [moment.detail] if moment.detail else []
        if self.flows and moment.fraction is not None:
            self.words.append(f"{100 * moment.fraction:.0f} %")
        if moment.predicted is not None and moment.uncertainty is not None:
            self.words.append(f"k {moment.predicted:.5g} lu {percent(moment.uncertainty)}")
        if moment.cycles is not None:
            self.words.append(f"cycle {moment.cycles:.2f}")
        left = [] if moment.seconds_left is None else [f"about {moment.seconds_left:.0f} s left"]
        bar.set_postfix_str(", ".join(self.words + left), refresh=False)
        bar.refresh()

    def close(self, succeeded: bool) -> None:
        """Fill the bar of work that succeeded; leave that of other work as it is."""
        if self.bar is None:
            return
        if succeeded:
            self.bar.n = self.shown = 1.0
            self.bar.set_postfix_str(", ".join(self.words), refresh=False)
            self.bar.refresh()
        self.bar.close()


def in_jupyter() -> bool:
    """Return whether a kernel of Jupyter runs this, whose cells show what is printed."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _bar(progress: Progress) -> Bar | None:
    if progress is None:
        if not (sys.stderr.isatty() or in_jupyter()):
            return None
        try:
            return Bar(importlib.import_module("tqdm.auto").tqdm)
        except ImportError:
            return None
    return Bar(need("tqdm.auto", "progress=True").tqdm) if progress is True else None


@contextlib.contextmanager
def one_bar(progress: Progress) -> Iterator[Progress]:
    """Give the parts of one computation a bar in common, where there is one. It is full when all of them succeeded."""
    bar, succeeded = _bar(progress), False
    try:
        yield progress if bar is None else bar
        succeeded = True
    finally:
        if bar is not None:
            bar.close(succeeded)


def _remark(_context: Any, level: int, line: bytes | None) -> None:
    """Hand a remark of the library to the logger."""
    try:
        logger.log(logging.INFO if level == c.RILL_LOG_NOTE else logging.DEBUG, "%s", spoken(text(line)))
    except Exception:  # of a handler: it must not pass through C
        pass


_REMARK = c.rill_log_fn(_remark)


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
        library.rill_log_to(_REMARK if logger.isEnabledFor(logging.INFO) else c.rill_log_fn(), None)
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._handler = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        library.rill_log_to(c.rill_log_fn(), None)
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._bar:
            self._bar.close(kind is None and not self._interrupted)
        if self._interrupted and kind is None:
            raise KeyboardInterrupt

    def check(self, status: int) -> None:
        """Raise what ended the work: an exception of the progress function, control-C, or the library's refusal."""
        if self._error is not None:
            raise self._error
        if status == c.RILL_CANCELLED and self._interrupted:
            raise KeyboardInterrupt
        check(status)
