# SPDX-License-Identifier: Apache-2.0
"""Samples that several tests use."""

from __future__ import annotations

import pathlib
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import rill

Image = npt.NDArray[np.bool_]


@pytest.fixture(scope="session", autouse=True)
def control_c() -> Iterator[None]:
    """Control-C interrupts, even where the tests run in the background of a shell, which ignores it there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def rock() -> Image:
    """A periodic random medium of 24³ voxels, True = pore, that conducts along each axis: im[z, y, x]."""
    rng = np.random.default_rng(3)
    noise = np.fft.fftn(rng.standard_normal((24, 24, 24)))
    k = np.fft.fftfreq(24)
    square = k[:, None, None] ** 2 + k[None, :, None] ** 2 + 4 * k[None, None, :] ** 2
    field = np.fft.ifftn(noise * np.exp(-square / (2 * 0.08**2))).real
    return np.asarray(field < np.quantile(field, 0.55))


@pytest.fixture(scope="session")
def plates() -> Image:
    """The gap between two plates normal to z, 16 voxels wide."""
    im = np.ones((18, 4, 4), bool)
    im[[0, -1]] = False
    return im


@pytest.fixture(scope="session")
def vessel(tmp_path_factory: pytest.TempPathFactory) -> rill.Geometry:
    """A small bifurcation."""
    path = tmp_path_factory.mktemp("vessel") / "v.stl"
    rill.command("generate", "bifurcation", "--radius", "1mm", "--inlet", "3mm", "--outlet", "5mm", "--edge", "0.2mm", "-o", path)
    return rill.voxelize(path, units="mm", dx="0.25 mm", extend="0.5D", names={"opening-1": "inlet"})


@pytest.fixture
def case() -> dict[str, Any]:
    """A steady flow through that bifurcation."""
    outlet = {"kind": "pressure", "pressure": "0 mmHg"}
    return {
        "fluid": {"density": "1060 kg/m3", "viscosity": "3.5 mPa.s"},
        "openings": {"inlet": {"kind": "inlet", "flow": "0.1 mL/s"}, "opening-2": outlet, "opening-3": outlet},
        "run": {"duration": "150 ms", "tolerance": "2 %"},
        "output": {"surface": True, "checkpoint-every": "0 s"},
    }


@pytest.fixture(scope="session")
def result_file(tmp_path_factory: pytest.TempPathFactory, rock: Image) -> Callable[[str], pathlib.Path]:
    """Files that the program wrote: result, fields and geometry of the rock."""
    folder = tmp_path_factory.mktemp("results")
    rill.voxelize(rock, voxel_size="2 um", keep="all").save(folder / "rock.geom.h5")
    rill.command("permeability", folder / "rock.geom.h5", "--axis", "z", "--fields", "image", "-o", folder / "rock.h5", "--json",
                 folder / "rock.json", "--backend", "cpu", "-q")
    return lambda name: folder / name
