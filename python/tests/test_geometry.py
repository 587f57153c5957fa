# SPDX-License-Identifier: Apache-2.0
"""Geometries of arrays, image files and surfaces."""

from __future__ import annotations

import gc
import pathlib

import numpy as np
import pytest

import rill
from conftest import Image


def test_voxels_are_those_of_the_array(rock: Image) -> None:
    geometry = rill.voxelize(rock, voxel_size="2 um", keep="all", sides=("wall", "mirror", "periodic"))
    assert np.array_equal(geometry.voxels, rock) and geometry.shape == rock.shape
    assert geometry.voxel_size == pytest.approx(2e-6) and geometry.sides == ("wall", "mirror", "periodic")
    assert geometry.fluid_nodes == rock.sum() and geometry.porosity.total == pytest.approx(rock.mean())
    assert geometry.surface is None and geometry.openings == []
    assert geometry.coordinates()["x"][0] == pytest.approx(1e-6)


def test_a_view_of_voxels_outlives_its_geometry_and_cannot_be_written(rock: Image) -> None:
    voxels = rill.voxelize(rock, keep="all").voxels
    gc.collect()
    assert np.array_equal(voxels, rock)
    with pytest.raises(ValueError, match="read-only"):
        voxels[0, 0, 0] = 1


def test_options_of_images(rock: Image) -> None:
    part = rill.voxelize(rock, keep="all", crop={"x": (2, 10), "z": (0, 5)})
    assert np.array_equal(part.voxels, rock[:5, :, 2:10])
    twice = rill.voxelize(rock, keep="all", mirror="z")
    assert np.array_equal(twice.voxels, np.concatenate([rock, rock[::-1]]))
    coarse = rill.voxelize(rock, keep="all", voxel_size=1e-6, resample=2e-6)
    assert coarse.shape == (12, 12, 12)
    assert rill.voxelize(rock, axis="z").fluid_nodes <= rock.sum()


def test_files_of_images_are_read(rock: Image, tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "a.npy", rock)
    rock.astype(np.uint16).tofile(tmp_path / "a.raw")
    assert np.array_equal(rill.voxelize(tmp_path / "a.npy", keep="all").voxels, rock)
    raw = rill.voxelize(str(tmp_path / "a.raw"), shape=rock.shape, dtype=np.uint16, pore=1, keep="all")
    assert np.array_equal(raw.voxels, rock)
    with pytest.raises(rill.UsageError, match="a.raw"):
        rill.voxelize(tmp_path / "a.raw", shape=(2, 3, 4), dtype=np.uint16)


def test_what_is_saved_is_read_back(rock: Image, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.geom.h5"
    rill.voxelize(rock, voxel_size=1e-6, keep="all").save(path)
    with rill.open(path) as file:
        assert np.array_equal(file.geometry().voxels, rock)
    assert rill.permeability(path, axis="z").k_lu == rill.permeability(rock, axis="z").k_lu
    with pytest.raises(rill.Error, match="nowhere"):
        rill.voxelize(rock).save(tmp_path / "nowhere" / "a.geom.h5")


def test_a_surface_has_openings(vessel: rill.Geometry) -> None:
    assert [o.name for o in vessel.openings] == ["inlet", "opening-2", "opening-3"]
    inlet = vessel.openings[0]
    assert inlet.area == pytest.approx(np.pi * 1e-6, rel=0.02) and np.allclose(inlet.normal, (0, 0, 1), atol=1e-3)
    assert vessel.surface is not None
    vertices, triangles = vessel.surface
    assert triangles.max() < len(vertices) and vessel.copy().openings[0].area == inlet.area


def test_groups_of_a_surface_have_names(vessel: rill.Geometry, tmp_path: pathlib.Path) -> None:
    assert vessel.patches == {} and vessel.surface is not None
    vertices, triangles = vessel.surface
    half = len(triangles) // 2
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices * 1e3]
    for name, part in (("first", triangles[:half]), ("second", triangles[half:])):
        lines += [f"g {name}", *(f"f {a} {b} {c}" for a, b, c in part + 1)]
    (tmp_path / "a.obj").write_text("\n".join(lines))
    patches = rill.voxelize(tmp_path / "a.obj", units="mm", dx="0.25 mm").patches
    assert {n: len(t) for n, t in patches.items() if n} == {"first": half, "second": len(triangles) - half}


def test_surfaces_in_memory_are_those_of_files(vessel: rill.Geometry, tmp_path: pathlib.Path) -> None:
    assert vessel.surface is not None
    vertices, triangles = vessel.surface
    memory = rill.voxelize((vertices, triangles), dx="0.25 mm", extend="0.5D", names={"opening-1": "inlet"})
    assert memory.fluid_nodes == vessel.fluid_nodes and [o.name for o in memory.openings] == [o.name for o in vessel.openings]
    for bad, words in (((vertices, triangles + len(vertices)), "name vertices"), ((vertices[:, :2], triangles), "no surface"),
                       ((vertices, triangles[:0]), "no triangles")):
        with pytest.raises(rill.UsageError, match=words):
            rill.voxelize(bad, dx="0.25 mm")


def test_options_of_the_other_kind_are_refused(rock: Image, tmp_path: pathlib.Path) -> None:
    with pytest.raises(rill.UsageError, match="image: dx="):
        rill.voxelize(rock, dx=1e-6)
    with pytest.raises(rill.UsageError, match="surface: voxel_size="):
        rill.voxelize(tmp_path / "a.stl", units="mm", voxel_size=1e-6)
    with pytest.raises(rill.UsageError, match="does not state its unit"):
        rill.voxelize(tmp_path / "a.stl", dx=1e-6)
    with pytest.raises(rill.UsageError, match="a.stl"):
        rill.voxelize(tmp_path / "a.stl", units="mm", dx=1e-6)
    with pytest.raises(rill.UsageError, match="no range of voxels"):
        rill.voxelize(rock, crop={"x": (5, 2)})
    with pytest.raises(rill.UsageError, match="cells = -3"):
        rill.voxelize(tmp_path / "a.stl", units="mm", cells=-3)


def test_pyvista_and_xarray(vessel: rill.Geometry) -> None:
    pytest.importorskip("xarray")
    assert vessel.to_xarray().dims == ("z", "y", "x")
    pytest.importorskip("pyvista")
    assert vessel.to_pyvista().n_cells == vessel.voxels.size


def test_voxel_sizes_of_no_pore_need_their_unit(rock: Image, tmp_path: pathlib.Path) -> None:
    for size in (5.7, 0.0011, 0.9e-9, 1, np.float32(5.7)):
        with pytest.raises(rill.UsageError, match=f"voxel_size = .* m, .* write voxel_size='{size:g} um' for micrometres"):
            rill.permeability(rock, voxel_size=size, axis="x", device="cpu")
        with pytest.raises(rill.UsageError, match="voxel_size = "):
            rill.permeability_many([rock], size, axis="x", device="cpu")
    with pytest.raises(rill.UsageError, match="resample = 2.0 .*resample='2 um'"):
        rill.voxelize(rock, voxel_size="1 um", resample=2.0)
    for size, metres in (("2 mm", 2e-3), ("0.5 nm", 5e-10), (1e-3, 1e-3), (1e-9, 1e-9), (5.7e-6, 5.7e-6)):
        geometry = rill.voxelize(rock, voxel_size=size, keep="all")
        assert geometry.voxel_size == pytest.approx(metres, rel=1e-12)
    with pytest.raises(rill.UsageError, match="voxel_size = 5.7 is 5.7 m"):
        rill.permeability(geometry, voxel_size=5.7, axis="x", device="cpu")
    assert rill.permeability(geometry, voxel_size="3 mm", axis="x", device="cpu").voxel_size == pytest.approx(3e-3)
    header = "ObjectType = Image\nNDims = 3\nDimSize = 24 24 24\nElementType = MET_UCHAR\nElementSize = 2.5 2.5 2.5\nElementDataFile = a.raw\n"
    (tmp_path / "a.mhd").write_text(header)
    np.where(rock, 0, 1).astype(np.uint8).tofile(tmp_path / "a.raw")
    with pytest.raises(rill.UsageError, match=r"ElementSize states 2.5 x 2.5 x 2.5 mm .*such as voxel_size='2.5um'$"):
        rill.voxelize(tmp_path / "a.mhd", pore=0)
    with pytest.warns(rill.RillWarning, match="the voxel size given counts"):
        assert rill.voxelize(tmp_path / "a.mhd", pore=0, voxel_size="2.5 um").voxel_size == pytest.approx(2.5e-6)
