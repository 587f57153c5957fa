# SPDX-License-Identifier: Apache-2.0
"""Files that the program wrote, read lazily; h5py reads the same."""

from __future__ import annotations

import errno
import json
import os
import pathlib
from collections.abc import Callable

import numpy as np
import pytest

import rill
from conftest import Image
from rill._arguments import unreadable
from rill._values import Array

Files = Callable[[str], pathlib.Path]


def test_a_result_has_its_series_and_summary(result_file: Files, rock: Image) -> None:
    with rill.open(result_file("rock.h5")) as file:
        assert file.format == "rill-result" and {"run", "series", "summary"} <= set(file)
        series = file.series()["z"]
        k = file.dataset("summary/permeability")
        assert k.shape == (3, 3) and k.attrs["units"] == "lu"
        printed = rill.open(result_file("rock.json"))
        assert k[2, 2] == pytest.approx(printed["permeability"]["lu"]["zz"], rel=1e-12)
        share = file.dataset("summary/edge_share")[...]
        assert np.isnan(share[:2]).all() and share[2] == pytest.approx(printed["runs"][0]["edge_share"], rel=1e-12)
        # Without fields a run may end a cycle earlier.
        assert k[2, 2] == pytest.approx(rill.permeability(rock, axis="z", device="cpu").k_lu, rel=printed["uncertainty"])
        assert len(series["step"]) == len(series["k_zz"]) and str(file.group("run").attrs["software"]) == "rill"
    with pytest.raises(rill.UsageError, match="was closed"):
        _ = file.dataset("summary/permeability")
    assert printed["converged"] is True


@pytest.mark.parametrize("key", [
    np.s_[...], np.s_[3], np.s_[-1, 2:5], np.s_[2:20:3, ..., 0], np.s_[5:5], np.s_[:, ::-1, 1], np.s_[1, 2, 3, 0], np.s_[20:3:-4],
    np.s_[100:200], np.s_[-3:],
])
def test_blocks_are_those_of_numpy(result_file: Files, key: object) -> None:
    data = rill.open(result_file("rock.vtkhdf")).fields()["velocity"]
    whole = np.asarray(data)
    assert whole.shape == data.shape == (24, 24, 24, 3)
    block = data[key]
    assert np.array_equal(block, whole[key]) and block.dtype == np.float32  # type: ignore[index]


def test_indices_beyond_the_end_are_refused(result_file: Files) -> None:
    data = rill.open(result_file("rock.vtkhdf")).fields()["pressure"]
    for key in (24, (0, -25), (0, 0, 0, 0)):
        with pytest.raises(IndexError):
            _ = data[key]


def test_h5py_reads_the_same(result_file: Files) -> None:
    h5py = pytest.importorskip("h5py")
    for name in ("rock.h5", "rock.vtkhdf", "rock.geom.h5"):
        others: dict[str, Array] = {}

        def take(path: str, item: object, into: dict[str, Array] = others) -> None:
            if isinstance(item, h5py.Dataset) and "axis" not in path:
                into[path] = item[...]

        with h5py.File(result_file(name)) as other:  # closed before rill opens it: both may use the same HDF5
            other.visititems(take)
        assert len(others) > 1
        with rill.open(result_file(name)) as file:
            for path, values in others.items():
                assert np.array_equal(file.dataset(path)[...], values, equal_nan=values.dtype.kind == "f"), path


def test_xarray_has_coordinates(result_file: Files) -> None:
    pytest.importorskip("xarray")
    series = rill.open(result_file("rock.h5")).group("series/z").to_xarray()
    assert series["k_zz"].dims == ("step",) and "step" in series.coords
    fields = rill.open(result_file("rock.vtkhdf")).group("VTKHDF/PointData").to_xarray()
    assert fields["velocity"].dims == ("z", "y", "x", "component")
    assert fields["x"].values[1] - fields["x"].values[0] == pytest.approx(2e-6)


def test_pyvista_reads_the_mesh(result_file: Files) -> None:
    pytest.importorskip("pyvista")
    assert rill.open(result_file("rock.vtkhdf")).to_pyvista().n_points == 24**3


def test_other_files_are_refused(result_file: Files, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.txt").write_text("no HDF5")
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "a.xmf").write_text("<Xdmf/>")
    (tmp_path / "cut.h5").write_bytes(result_file("rock.h5").read_bytes()[:3000])
    for name in ("a.txt", "a.json", "a.xmf", "cut.h5", "missing.h5", "missing.json", "missing.xmf", "."):
        with pytest.raises(rill.UsageError):
            rill.open(tmp_path / name)
    with pytest.raises(KeyError):
        _ = rill.open(result_file("rock.h5"))["nothing"]
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = 1
    with pytest.raises(rill.UsageError, match="none that rill wrote"):
        rill.open(tmp_path / "other.h5")


def test_damage_is_reported(result_file: Files, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.vtkhdf"
    data = bytearray(result_file("rock.vtkhdf").read_bytes())
    for k in range(len(data) // 3, len(data) // 2):
        data[k] ^= 0x55
    path.write_bytes(data)
    with pytest.raises(rill.UsageError):
        for dataset in rill.open(path).fields().values():
            _ = dataset[...]


def test_json_is_a_dict(result_file: Files) -> None:
    assert rill.open(result_file("rock.json")) == json.loads(result_file("rock.json").read_text())


def test_files_for_other_programs_are_opened(result_file: Files, tmp_path: pathlib.Path) -> None:
    rill.command("generate", "bend", "--edge", "1mm", "-o", tmp_path / "bend.stl")
    vertices, triangles = rill.open(tmp_path / "bend.stl")
    assert triangles.max() == len(vertices) - 1 and vertices.shape[1] == triangles.shape[1] == 3
    memory = rill.voxelize((vertices, triangles), units="mm", dx="0.9 mm")
    assert memory.fluid_nodes == rill.voxelize(tmp_path / "bend.stl", units="mm", dx="0.9 mm").fluid_nodes
    rill.command("generate", "grf", "--size", "16x16x24", "--porosity", "0.5", "--correlation", "4", "--raw", tmp_path / "a_16x16x24.raw")
    raw = rill.open(tmp_path / "a_16x16x24.raw")
    assert raw.shape == (24, 16, 16) and (raw == 0).mean() == pytest.approx(0.5, abs=1e-3) and not raw.flags.writeable
    (tmp_path / "a_16x16x24.raw").rename(tmp_path / "a.raw")
    assert rill.open(tmp_path / "a.raw", shape=(24, 16, 16)).shape == (24, 16, 16)
    with pytest.raises(rill.UsageError, match="give shape="):
        rill.open(tmp_path / "a.raw")
    with pytest.raises(rill.UsageError, match="6144 bytes"):
        rill.open(tmp_path / "a.raw", shape=(24, 16, 17))
    rill.command("bench", "--suite", "box", "--cells", "16", "--seconds", "0.01", "--backend", "cpu", "-o", tmp_path / "b.csv", "-q")
    table = rill.open(tmp_path / "b.csv")
    assert (table["mlups"] > 0).all() and table["lattice"][0] == "d3q19" and table["nodes"].dtype.kind == "i"
    rill.command("export", result_file("rock.vtkhdf"), "-o", tmp_path / "a.png")
    pytest.importorskip("PIL")
    assert rill.open(tmp_path / "a.png").shape[2] == 3


def test_apostrophes_before_formulas_are_removed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.csv").write_text("file,k\n'=1+1,-1e-12\n''@a,+2\n'-3,3\n'a',4\n", newline="")
    table = rill.open(tmp_path / "a.csv")
    assert list(table["file"]) == ["=1+1", "'@a", "'-3", "'a'"]
    assert list(table["k"]) == [-1e-12, 2, 3, 4]


def test_damaged_tables_and_surfaces_are_refused(tmp_path: pathlib.Path) -> None:
    for name, content, words in (("a.csv", b"a,b\n1\n", "damaged"), ("b.csv", b"", "no header"), ("c.csv", b"a,a\n1,2\n", "no header"),
                                 ("d.csv", b"\xff\xfe", "no table"), ("a.stl", b"solid x", "no binary STL"), ("a_2x2x2.raw", b"", "0 bytes")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(rill.UsageError, match=words):
            rill.open(tmp_path / name)
    for name in ("none.csv", "none.stl", "none_2x2x2.raw"):
        with pytest.raises(rill.UsageError, match="cannot be read: No such file or directory: .* has no none"):
            rill.open(tmp_path / name)
    with pytest.raises(rill.UsageError, match=r"has no a_2x2x3\.raw: did you mean a_2x2x2\.raw\?"):
        rill.open(tmp_path / "a_2x2x3.raw")
    with pytest.raises(rill.UsageError, match="has no none: check its name"):
        rill.open(tmp_path / "none" / "a.csv")
    (tmp_path / "link.csv").symlink_to("gone.csv")
    with pytest.raises(rill.UsageError, match="a link to what is not there"):
        rill.open(tmp_path / "link.csv")
    with pytest.raises(rill.UsageError, match=r"a part of its path is a file: see the path\."):
        rill.open(tmp_path / "a.csv" / "b.csv")
    with pytest.raises(rill.UsageError, match="no raw image"):
        rill.open("none.h5", shape=(1, 2, 3))


def test_other_reasons_have_a_remedy() -> None:
    for number, remedy in ((errno.EACCES, ": see who may read it and its directories (ls -ld)"), (errno.EMFILE, ": raise the limit of open files (ulimit -n)"),
                           (errno.EPERM, ": see who may read it and its directories (ls -ld)"), (errno.EIO, "")):
        reason = os.strerror(number)
        assert str(unreadable(pathlib.Path("a.csv"), OSError(number, reason))) == f"a.csv cannot be read: {reason}{remedy}."


def test_a_name_is_missing_in_a_directory_that_was_removed(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    with pytest.raises(rill.UsageError, match=r": its directory has no a\.csv: check its name"):
        rill.open("a.csv")


def test_names_of_a_file_cannot_write_on_the_terminal(tmp_path: pathlib.Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "forged.h5"
    with h5py.File(path, "w") as written:
        written.attrs["format"], written.attrs["format_version"] = np.bytes_(b"rill-result"), 1
        written.create_group("g\x1b[31m\n").attrs["value"] = 1.0
        written["d\x1b]0;own\x07"] = np.arange(3.0)
    with rill.open(path) as file:
        shown = [repr(file), repr(file.group("g\x1b[31m\n")), repr(file.dataset("d\x1b]0;own\x07"))]
        with pytest.raises(rill.UsageError) as refused:
            file.dataset("g\x1b[31m\n")
    shown.append(str(refused.value))
    assert all(word.isprintable() for word in shown) and "g\\u{1b}[31m\\u{a}" in shown[1]
    (tmp_path / "t.csv").write_text("a\x1b[2J [m]\n1\n")
    assert repr(rill.open(tmp_path / "t.csv")).isprintable()


def test_a_series_has_the_files_beside_it_alone(tmp_path: pathlib.Path) -> None:
    row = '<Grid><Time Value="1"/><DataItem>%s:/VTKHDF/PointData/p</DataItem></Grid>'
    for name in ("../f.vtkhdf", "/tmp/f.vtkhdf", "below/f.vtkhdf"):
        (tmp_path / "s.xmf").write_text("<Xdmf>" + row % name + "</Xdmf>")
        with pytest.raises(rill.UsageError, match="names no snapshots"):
            rill.open(tmp_path / "s.xmf")
    (tmp_path / "s.xmf").write_text("<Xdmf>" + row % "f.vtkhdf" + "</Xdmf>")
    assert rill.open(tmp_path / "s.xmf").paths == [tmp_path / "f.vtkhdf"]
