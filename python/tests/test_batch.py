# SPDX-License-Identifier: Apache-2.0
"""Many images, and blocks of one: the same numbers as one by one, failures in rows, tables that are resumed."""

from __future__ import annotations

import csv
import os
import pathlib
import signal
import threading

import numpy as np
import pytest

import rill
from conftest import Image


def test_rows_are_the_results_of_single_images(rock: Image, plates: Image, tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "rock.npy", rock)
    closed = rock.copy()
    closed[:, :, 5] = False
    images = {"rock": rock, "plates": plates, "closed": closed}
    batch = rill.permeability_many(images, "2 um", axis="x", device="cpu", at_once=2)
    single = [rill.permeability(im, "2 um", axis="x", device="cpu") for im in (rock, plates)]
    for row, one in zip(batch.rows, single):
        assert np.array_equal(row.tensor_lu, one.tensor_lu, equal_nan=True) and row.k_lu == one.k_lu
        assert row.k == one.k and row.uncertainty == one.uncertainty and row.steps == one.runs[0].steps
        assert row.porosity.total == one.porosity.total and row.has_result
    assert batch.rows[2].exit_reason == "not percolating" and batch.rows[2].k == 0
    assert 0 < batch.device_use <= 1 and batch.at_once == 2
    paths = rill.permeability_many([tmp_path / "rock.npy", tmp_path / "lost.npy"], "2 um", axis="x", device="cpu")
    assert paths.rows[0].k == single[0].k
    assert paths.rows[1].exit_reason == "input refused" and "lost.npy" in paths.rows[1].message
    assert not paths.rows[1].has_result and np.isnan(paths.rows[1].k)
    columns = paths.columns()
    assert {len(c) for c in columns.values()} == {2} and columns["k_m2"][0] == single[0].k


def test_blocks_are_arrays_in_the_order_of_the_image(rock: Image, tmp_path: pathlib.Path) -> None:
    table = tmp_path / "k.csv"
    batch = rill.blocks(rock, [12, "48 um"], "2 um", axis="z", device="cpu", csv=table)
    small, whole = batch.grids
    assert small.k_lu.shape == (2, 2, 2) and whole.k_lu.shape == (1, 1, 1) and small.tensor_lu.shape == (2, 2, 2, 3, 3)
    block = rock[12:, :12, :12]
    assert small.porosity[1, 0, 0] == block.mean()
    row = small.rows[4]
    assert row.first == (0, 0, 12) and row.voxels == (12, 12, 12)
    assert small.k_lu[1, 0, 0] == row.k_lu
    roots = np.cbrt(small.k_lu)
    deviation = 3 * roots.std(ddof=1) / roots.mean()
    assert small.sample.blocks == 8 and small.sample.deviation == pytest.approx(deviation)
    assert small.sample.half_width == pytest.approx(2.36462 * deviation * (1 + deviation / 15) / 8 ** 0.5, rel=1e-4)
    assert small.sample.low == pytest.approx((1 - small.sample.half_width / 3) ** 3 if small.sample.half_width < 3 else 0) and whole.sample is None
    if row.k_lu > 0:
        assert row.k_lu == rill.permeability(block, axis="z", sides="mirror", device="cpu").k_lu
    assert whole.k_lu[0, 0, 0] == rill.permeability(rock, axis="z", sides="mirror", device="cpu").k_lu
    with table.open() as file:
        lines = list(csv.DictReader(file))
    assert [float(line["k_zz_lu"]) for line in lines] == [r.k_lu for r in batch.rows]
    again = rill.blocks(rock, [12, 24], "2 um", axis="z", device="cpu", csv=table, resume=True)
    assert all(r.resumed for r in again.rows) and [r.k_lu for r in again.rows] == [r.k_lu for r in batch.rows]
    other = rill.blocks(rock.transpose(2, 1, 0), 12, axis="z", order="xyz", device="cpu").grids[0]
    assert np.array_equal(other.porosity.transpose(2, 1, 0), small.porosity)


def test_what_is_wrong_of_a_batch_is_refused(rock: Image, tmp_path: pathlib.Path) -> None:
    for call in (
        lambda: rill.permeability_many([]),
        lambda: rill.blocks(rock, 25, device="cpu"),
        lambda: rill.blocks(rock, "10 um", device="cpu"),
        lambda: rill.permeability_many([rock], resume=True, device="cpu"),
        lambda: rill.permeability_many([rock], axis="w", device="cpu"),
    ):
        with pytest.raises(rill.UsageError):
            call()
    (tmp_path / "k.csv").write_text("a,b\n")
    with pytest.raises(rill.UsageError, match="other columns"):
        rill.permeability_many([rock], csv=tmp_path / "k.csv", resume=True, device="cpu")


def test_control_c_stops_a_batch(rock: Image) -> None:
    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):  # no item would end
        rill.permeability_many([rock] * 4, axis="xyz", tolerance=1e-15, max_steps=10**12, device="cpu", progress=lambda m: begun.set())
    thread.join()
