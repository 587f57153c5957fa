# SPDX-License-Identifier: Apache-2.0
"""What is an image in memory: arrays of all kinds, quantities, and which axis is x, y and z."""

from __future__ import annotations

import inspect
import pathlib
import typing
from typing import Any

import numpy as np
import pytest

import rill
from conftest import Image
from rill import _arrays, _geometry, _permeability, _values, _vessel


@pytest.fixture(scope="module")
def k(rock: Image) -> float:
    return rill.permeability(rock, axis="x", device="cpu").k_lu


@pytest.fixture(scope="module")
def settled(rock: Image) -> float:
    """Return k of a run that fields are kept of: it goes on until the mean momentum is settled."""
    return rill.permeability(rock, axis="x", fields=True, device="cpu").k_lu


class Dlpack:
    """An array that offers DLPack alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **more: Any) -> Any:
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Protocol:
    """An array that offers __array__ alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Interface:
    """An array that offers __array_interface__ alone."""

    def __init__(self, array: Any) -> None:
        self.array, self.__array_interface__ = array, array.__array_interface__


def test_arrays_of_other_libraries_and_layouts_are_the_same_image(rock: Image, k: float) -> None:
    grey = np.where(rock, 1, 7)
    wide = np.zeros((24, 24, 48), bool)
    wide[:, :, ::2] = rock
    readonly = rock.copy()
    readonly.flags.writeable = False
    for im in (Dlpack(rock.astype("u1")), Protocol(grey), Interface(grey), rock.astype("u1"), grey.astype(">u2"), grey.astype(">f8"), grey.astype(">i8"),
               grey.tolist(), grey.astype("f2")):
        assert rill.permeability(im, axis="x", pore=1, device="cpu").k_lu == k
    for im in (wide[:, :, ::2], rock[::-1][::-1], readonly, rock.tolist(), Protocol(rock), Interface(rock)):
        assert rill.permeability(im, axis="x", device="cpu").k_lu == k
    assert rill.permeability(rock[::-1, :, ::-1], axis="x", device="cpu").k_lu == pytest.approx(k, rel=1e-3)  # negative strides


def test_raw_files_of_big_endian_numbers(rock: Image, tmp_path: pathlib.Path) -> None:
    np.where(rock, 1, 7).astype(">u2").tofile(tmp_path / "a.raw")
    geometry = rill.voxelize(tmp_path / "a.raw", shape=rock.shape, dtype=">u2", pore=1, keep="all")
    assert np.array_equal(geometry.voxels, rock)


@pytest.mark.parametrize("order", ["zyx", "xyz", "zxy", "xzy", "yzx", "yxz"])
def test_every_order_of_the_axes_is_the_same_image(rock: Image, k: float, settled: float, order: Any) -> None:
    im = rock.transpose(["zyx".index(a) for a in order])
    result = rill.permeability(im, axis="x", order=order, fields=True, device="cpu")
    assert result.k_lu == settled and result.array_axes == order == result.fields["x"].array_axes
    assert f"x, y, z are axes {order.index('x')}, {order.index('y')}, {order.index('z')} of the image" in repr(result)
    assert result.fields["x"].pressure.shape == im.shape and not result.fields["x"].velocity[:, ~im].any()
    assert rill.permeability(im, axis=order.index("x"), order=order.upper(), device="cpu").k_lu == k
    pytest.importorskip("xarray")
    other = rill.permeability(rock, axis="x", fields=True, device="cpu").fields["x"].to_xarray()
    assert result.fields["x"].to_xarray().equals(other)


@pytest.mark.parametrize("names", [("x", "y", "z"), ("Z", "Y", "X"), ("y", "x", "z"), ("X", "Z", "Y")])
def test_the_dims_of_xarray_are_the_order(rock: Image, k: float, names: tuple[str, ...]) -> None:
    xarray = pytest.importorskip("xarray")
    order = "".join(names).lower()
    data = xarray.DataArray(rock.transpose(["zyx".index(a) for a in order]), dims=names)
    result = rill.permeability(data, axis="x", device="cpu")
    assert result.k_lu == k and result.array_axes == order
    assert rill.permeability(data, axis="x", order=order, device="cpu").k_lu == k
    with pytest.raises(rill.UsageError, match="contradicts the dims"):
        rill.permeability(data, axis="x", order="zyx" if order != "zyx" else "xyz", device="cpu")


def test_other_dims_of_xarray(rock: Image, k: float) -> None:
    xarray = pytest.importorskip("xarray")
    assert rill.permeability(xarray.DataArray(rock), axis="x", device="cpu").k_lu == k  # dim_0, dim_1, dim_2
    assert rill.permeability(xarray.DataArray(rock.T), axis="x", order="xyz", device="cpu").k_lu == k
    for data in (xarray.DataArray(rock, dims=("slice", "y", "x")), xarray.DataArray(rock[None], dims=("t", "z", "y", "x"))):
        with pytest.raises(rill.UsageError, match="dims of the image"):
            rill.permeability(data, axis="x", device="cpu")
    geometry = rill.voxelize(rock, keep="all", voxel_size="2 um")
    assert rill.permeability(geometry.to_xarray().transpose("x", "z", "y"), pore=1, axis="x", device="cpu").k_lu == k


def test_the_dims_of_a_slice_of_xarray() -> None:
    xarray = pytest.importorskip("xarray")
    im = np.ones((8, 8), bool)
    im[3:5, 2:6] = False
    expected = rill.permeability(im, axis="xy", device="cpu")  # im[y, x]
    for dims, array in ((("y", "x"), im), (("x", "y"), im.T)):
        result = rill.permeability(xarray.DataArray(array, dims=dims), axis="xy", device="cpu")
        assert result.axes == "xy" and result.array_axes[:2] == "".join(dims)
        assert result.tensor_lu[0, 0] == pytest.approx(expected.tensor_lu[0, 0], rel=1e-3)
    result = rill.permeability(xarray.DataArray(im, dims=("z", "x")), axis="xz", device="cpu")
    assert result.axes == "xz" and result.tensor_lu[0, 0] == pytest.approx(expected.tensor_lu[0, 0], rel=1e-3)
    with pytest.raises(rill.UsageError, match="contradicts the dims"):
        rill.permeability(xarray.DataArray(im, dims=("x", "y")), order="zyx", device="cpu")


def test_axes_by_letter_and_number(rock: Image, k: float) -> None:
    for axis in ("X", 2, np.int64(2), "2"):
        assert rill.permeability(rock, axis=axis, device="cpu").k_lu == k
    for everything in ("XYZ", "z,y,x", "0,1,2"):
        assert rill.permeability(rock, axis=everything, device="cpu", tolerance="1 %").axes == "xyz"  # type: ignore[arg-type]
    assert rill.permeability_many([rock], axis=2, device="cpu").rows[0].k_lu == k
    grid = rill.blocks(rock, 24, axis=0, order="xyz", sides="periodic", device="cpu")
    assert grid.grids[0].array_axes == "xyz" and "[x, y, z]" in repr(grid.grids[0]) and "along x, y, z" in repr(rill.voxelize(rock))
    assert grid.rows[0].k_lu == rill.permeability(rock, axis="x", order="xyz", device="cpu").k_lu


def test_the_order_of_a_file_of_an_array(rock: Image, k: float, settled: float, tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "a.npy", rock.T)
    result = rill.permeability(tmp_path / "a.npy", axis="x", order="xyz", fields=True, device="cpu")
    assert result.k_lu == settled and result.array_axes == "xyz" and not result.fields["x"].velocity[:, ~rock.T].any()
    np.save(tmp_path / "a.npy", np.asfortranarray(rock))
    result = rill.permeability(tmp_path / "a.npy", axis=2, device="cpu")
    assert result.k_lu == k and result.array_axes == "zyx"
    rock.astype("u1").tofile(tmp_path / "a_24x24x24.raw")
    result = rill.permeability(tmp_path / "a_24x24x24.raw", axis=0, pore=1, device="cpu")
    assert result.k_lu == k and result.array_axes == "xyz" and result.axes == "x"


def test_quantities_of_pint(rock: Image, tmp_path: pathlib.Path) -> None:
    pint = pytest.importorskip("pint")
    unit = pint.UnitRegistry()
    text = rill.permeability(rock, "5.7 um", axis="x", tolerance="0.2 %", fields=True, device="cpu")
    pinted = rill.permeability(rock, 5.7 * unit.um, axis="x", tolerance=0.002 * unit.dimensionless, fields=True, device="cpu")
    assert pinted.k == pytest.approx(text.k, rel=1e-14) and pinted.uncertainty == text.uncertainty
    field = text.fields["x"]
    for one, other in zip(field.si(1e-3 * unit.Pa * unit.s, 10 * unit.kPa / unit.m), field.si("1 mPa.s", "10 kPa/m")):
        assert np.allclose(one, other, rtol=1e-6)
    assert rill.voxelize(rock, keep="all", voxel_size=1 * unit.um, resample=2 * unit.um).shape == (12, 12, 12)
    assert rill.blocks(rock, 24 * unit.um, 2 * unit.um, axis="x", device="cpu").grids[0].edge == 12
    with pytest.raises(rill.UsageError, match="voxel_size = .* has no value in m"):
        rill.permeability(rock, 3 * unit.kg)
    case = {"geometry": "none.geom.h5", "fluid": {"density": 1060 * unit.kg / unit.m**3, "viscosity": 3.5 * unit.mPa * unit.s},
            "openings": {"inlet": {"kind": "inlet", "flow": np.float64(1) * unit.mL / unit.s},
                         "out": {"kind": "pressure", "pressure": 80 * unit.mmHg}}, "run": {"duration": 1 * unit.s}}
    with pytest.raises(rill.UsageError, match="none.geom.h5"):  # all quantities are understood before
        rill.run(case)


def test_choices_of_signatures_are_those_that_are_taken() -> None:
    for literal, table in ((_permeability.Axis, _permeability.AXES), (_permeability.Drive, _permeability.DRIVES), (_values.Side, _values.SIDES),
                           (_permeability.Acceleration, _permeability.ACCELERATIONS), (_permeability.Start, _permeability.STARTS),
                           (_geometry.Keep, _geometry.KEEPS), (_geometry.Caps, _geometry.CAPS), (_vessel.Fields, _vessel.FIELDS),
                           (_arrays.Order, dict.fromkeys(_arrays.ORDERS))):
        assert set(typing.get_args(literal)) == set(table)
    for function in (rill.permeability, rill.permeability_many, rill.blocks, rill.voxelize):
        assert "Literal" in str(typing.get_type_hints(function)["axis"]) and "Literal" in str(typing.get_type_hints(function)["sides"])
        assert inspect.signature(function).parameters["order"].default is None


def test_tables_become_data_frames(rock: Image, tmp_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    batch = rill.permeability_many({"a": rock, "lost": "lost.npy"}, "2 um", axis="x", device="cpu", csv=tmp_path / "k.csv")
    frame = batch.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and list(frame["name"]) == ["a", "lost.npy"] and frame["k_m2"][0] == batch.rows[0].k
    table = rill.open(tmp_path / "k.csv").to_dataframe()
    assert float(table["k_xx_lu"][0]) == batch.rows[0].k_lu
    series = rill.permeability(rock, axis="x", device="cpu").runs[0].to_dataframe()
    assert series.index.name == "step" and series["k"].iloc[-1] > 0
