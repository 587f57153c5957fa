# SPDX-License-Identifier: Apache-2.0
"""Processes that are made by fork, spawn and forkserver, before and after a computation; and control-C in them."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import rill
from rill import _library

BEGIN = """
import multiprocessing, numpy, os, pathlib, rill, signal, sys, threading, time
im = numpy.ones((12, 10, 8), bool)
im[:, :2] = False

def k(axis="x", **more):
    return rill.permeability(im, "2 um", axis=axis, device="cpu", **more)

def value(axis):
    return k(axis).k

def child(work):
    # Run some work in a forked process. Return how it ended, or None if it hangs.
    number = os.fork()
    if number == 0:
        code = 99
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    for _ in range(12000):
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(number, signal.SIGKILL)
    return None

if __name__ == "__main__":
"""


def script(text: str, tmp_path: pathlib.Path) -> str:
    """Run a program, and return what it prints."""
    path = tmp_path / "script.py"
    path.write_text(BEGIN + "\n".join("    " + line for line in text.strip().splitlines()))
    done = subprocess.run([sys.executable, "-W", "ignore", str(path)], capture_output=True, text=True, timeout=900, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_forked_process_computes_after_the_first_did(tmp_path: pathlib.Path) -> None:
    printed = script("""
first = k().k
rill.voxelize(im).save("a.geom.h5")
opened = rill.open("a.geom.h5")

def work():
    assert k().k == first and k(fields=True).fields["x"].velocity.any()
    assert rill.permeability_many([im, im], "2 um", axis="x", device="cpu").rows[1].k == first
    assert (opened["voxels"][...] == im).all() and rill.open("a.geom.h5").geometry().fluid_nodes == im.sum()
    assert child(lambda: k()) == 0                       # a process of a process
    thread = threading.Thread(target=k)
    thread.start()
    thread.join()
    try:
        rill.permeability(im, tolerance="x")
    except rill.UsageError as error:
        assert "tolerance" in str(error)
    try:
        rill.voxelize(~im[:, :2])
    except rill.Error:
        pass

print(child(work), child(lambda: k("y") if False else k("z")), k().k == first)
""", tmp_path)
    assert printed.split() == ["0", "0", "True"]


def test_a_process_is_forked_while_a_thread_computes(tmp_path: pathlib.Path) -> None:
    printed = script("""
big = numpy.ones((64, 64, 64), bool)
big[0] = False
steps, end = threading.Event(), threading.Event()
def watch(m):
    if m.steps:
        steps.set()
    return not end.is_set()
def busy():
    try:
        rill.permeability(big, axis="x", device="cpu", acceleration="none", start="rest", tolerance=1e-12, max_steps=10**12, progress=watch)
    except rill.Cancelled:
        pass
thread = threading.Thread(target=busy)
thread.start()
steps.wait()
print(child(k))
end.set()
thread.join()
""", tmp_path)
    assert printed.split() == ["0"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(tmp_path: pathlib.Path, method: str) -> None:
    printed = script(f"""
first = value("x")
with multiprocessing.get_context("{method}").Pool(2) as pool:
    print(pool.map(value, ["x", "z"]) == [first, value("z")])
    print(pool.apply(k, ("x",), {{"fields": True}}).fields["x"].velocity.shape)
    geometry = rill.voxelize(im, voxel_size="2 um", keep="all")
    print(pool.apply(rill.permeability, (geometry,), {{"axis": "x", "device": "cpu"}}).k == first)
    try:
        pool.apply(k, ("x",), {{"max_steps": 3, "tolerance": 1e-9}})
    except rill.NumericsError as error:
        print(error.result.converged)
""", tmp_path)
    assert printed.splitlines() == ["True", "(3, 12, 10, 8)", "True", "False"]


def test_joblib(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("joblib")
    printed = script("""
import joblib
first = [value("x"), value("z")]
for backend in ("loky", "multiprocessing", "threading"):
    print(joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(value)(a) for a in "xz") == first)
""", tmp_path)
    assert printed.split() == ["True"] * 3


def test_cuda_is_refused_in_a_forked_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_library.library, "_cuda_lost", True)
    for device in ("auto", "cuda", "cuda:1"):
        with pytest.raises(rill.SystemFailure, match="spawn or forkserver"):
            rill.permeability([[[True, False]]], device=device)
    assert os.getpid() and rill.permeability([[[True, False]]], axis="y", device="cpu").k_lu > 0


def test_control_c_ends_a_forked_process(tmp_path: pathlib.Path) -> None:
    printed = script("""
signal.signal(signal.SIGINT, signal.default_int_handler)
k()
big = numpy.ones((96, 96, 96), bool)
big[:2] = False

def work():
    steps = threading.Event()
    def interrupt():
        steps.wait()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt).start()
    try:
        rill.permeability(big, axis="x", device="cpu", acceleration="none", start="rest", tolerance=1e-12, max_steps=10**12,
                          progress=lambda m: steps.set() if m.steps else None)
    except KeyboardInterrupt:
        assert k().converged
    else:
        os._exit(3)

print(child(work))
""", tmp_path)
    assert printed.split() == ["0"]
