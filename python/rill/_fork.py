# SPDX-License-Identifier: Apache-2.0
"""Processes that were made by fork.

The threads of OpenMP do not survive a fork, but the thread that forked still counts on those that it had: its next parallel loop
would wait for them forever. In a forked process the calls of this thread are therefore made by a thread that is new. CUDA does not
survive a fork at all, and is refused there.
"""

from __future__ import annotations

import ctypes
import functools
import os
import queue
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from . import _interface as c
from .errors import SystemFailure


class _Job:
    """A call of the library, and what came of it."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
        self.done.set()


class _Relay:
    """A thread that makes the calls of another one."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def _work(self) -> None:
        while True:
            self._jobs.get().run()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the thread, and return or raise what it does. Control-C is raised when it has ended."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="rill", daemon=True)
            self._thread.start()
        job, interrupt = _Job(function, arguments), None
        self._jobs.put(job)
        while not job.done.is_set():
            try:
                job.done.wait()
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt
        if job.error is not None:
            raise job.error
        return job.result


class Library:
    """The functions of the library, each called as if it were one of the CDLL itself."""

    def __init__(self, functions: ctypes.CDLL) -> None:
        self._functions = functions
        self._forked: int | None = None
        self._relay = _Relay()
        self._cuda: bool | None = None
        self._cuda_lost = False
        os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self) -> None:
        self._forked, self._relay, self._cuda_lost = threading.get_ident(), _Relay(), bool(self._cuda)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._functions, name)
        if self._forked is None or self._forked != threading.get_ident():
            return function
        return functools.partial(self._relay.call, function)

    def uses_cuda(self, may: bool) -> None:
        """Note that this process uses CUDA, if it may; refuse that where it was forked from one that did."""
        if may and self._cuda_lost:
            raise SystemFailure("This process was forked from one that had used CUDA, which CUDA does not survive: start the workers with spawn "
                                "or forkserver (multiprocessing.get_context('spawn'), or loky), or give device='cpu'.")
        if may and self._cuda is None:
            self._cuda = bool(self.rill_backend_available(c.RILL_BACKEND_CUDA))


class Lock:
    """A lock that a forked process finds open: the thread that held it is not there."""

    def __init__(self) -> None:
        self._open()
        os.register_at_fork(after_in_child=self._open)

    def _open(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._lock.release()
