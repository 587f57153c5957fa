# SPDX-License-Identifier: Apache-2.0
"""Images that other programs wrote, compared voxel for voxel."""

from __future__ import annotations

import gzip
import io
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import rill

h5py = pytest.importorskip("h5py")
nibabel = pytest.importorskip("nibabel")
netcdf = pytest.importorskip("netCDF4")
pydicom = pytest.importorskip("pydicom")
tifffile = pytest.importorskip("tifffile")

Grey = npt.NDArray[Any]


@pytest.fixture
def grey() -> Grey:
    """A segmented image of three phases, im[z, y, x]."""
    return np.random.default_rng(5).integers(0, 3, (9, 21, 33)).astype(np.uint8)  # slices of 693 voxels


def same(path: pathlib.Path | str, im: Grey, voxel_size: float | None = None) -> rill.Geometry:
    """Assert that rill sees every voxel of im, and the voxel size."""
    for value in (1, 2):
        geometry = rill.voxelize(path, pore=float(value), keep="all")
        assert np.array_equal(geometry.voxels, im == value), f"{path}: {value}"
    assert geometry.voxel_size == (None if voxel_size is None else pytest.approx(voxel_size, rel=1e-5))
    return geometry


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
@pytest.mark.parametrize("big", [False, True])
def test_tifffile(grey: Grey, tmp_path: pathlib.Path, dtype: str, big: bool) -> None:
    im = grey.astype(dtype)
    for name, options in {"pages": {}, "deflate": {"compression": "zlib"}, "motorola": {"byteorder": ">"},
                          "volume": {"volumetric": True, "tile": (16, 16, 16)}, "tiles": {"tile": (16, 16)}}.items():
        path = tmp_path / f"{name}.tif"
        tifffile.imwrite(path, im, bigtiff=big, photometric="minisblack", **options)
        assert (path.read_bytes()[2:4] in (b"+\0", b"\0+")) == big
        same(path, im)


def test_tifffile_with_voxel_size(grey: Grey, tmp_path: pathlib.Path) -> None:
    for unit, metres, edge in (("µm", 1e-6, 5.7), ("nm", 1e-9, 5.7), ("mm", 1e-3, 0.0057)):
        size = {"PhysicalSizeX": edge, "PhysicalSizeY": edge, "PhysicalSizeZ": edge, "axes": "ZYX"}
        path = tmp_path / "a.ome.tif"
        tifffile.imwrite(path, grey, ome=True, bigtiff=True, metadata={**size, **{f"PhysicalSize{a}Unit": unit for a in "XYZ"}})
        same(path, grey, edge * metres)
    tifffile.imwrite(tmp_path / "j.tif", grey, imagej=True, resolution=(1 / 2.5, 1 / 2.5), metadata={"spacing": 2.5, "unit": "um", "axes": "ZYX"})
    same(tmp_path / "j.tif", grey, 2.5e-6)


@pytest.mark.parametrize("dtype", ["u1", "i2", "f8"])
@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
def test_nibabel(grey: Grey, tmp_path: pathlib.Path, dtype: str, suffix: str) -> None:
    im = grey.astype(dtype)
    for kind, order in ((nibabel.Nifti1Image, "<"), (nibabel.Nifti1Image, ">"), (nibabel.Nifti2Image, "<")):
        header = kind.header_class(endianness=order)
        header.set_data_dtype(np.dtype(dtype).newbyteorder(order))
        image = kind(im.T, np.diag([0.25, 0.25, 0.25, 1]), header)  # im.T[x, y, z]
        path = tmp_path / ("a" + suffix)
        image.header.set_xyzt_units("mm")
        nibabel.save(image, path)
        same(path, im, 2.5e-4)
        image.header.set_xyzt_units("micron")
        nibabel.save(image, path)
        same(path, im, 2.5e-7)


def test_nibabel_pair(grey: Grey, tmp_path: pathlib.Path) -> None:
    nibabel.save(nibabel.Nifti1Pair(grey.T, np.eye(4)), tmp_path / "a.img")
    same(tmp_path / "a.hdr", grey)


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4", "NETCDF4_CLASSIC"])
@pytest.mark.parametrize("unlimited", [False, True])
def test_netcdf(grey: Grey, tmp_path: pathlib.Path, kind: str, unlimited: bool) -> None:
    path = tmp_path / "a.nc"
    for dtype in ("i1", "f4"):
        im = grey.astype(dtype)
        with netcdf.Dataset(path, "w", format=kind) as file:
            for name, n in zip("zyx", im.shape):
                file.createDimension(name, None if unlimited and name == "z" else n)
                coordinate = file.createVariable(name, "f8", (name,))
                coordinate.units = "um"
                coordinate[:] = 3 + 2 * np.arange(n)
            packed = {"zlib": True, "chunksizes": (4, 7, 9)} if kind == "NETCDF4" else {}
            file.createVariable("phase", dtype, ("z", "y", "x"), **packed)[:] = im
        same(f"{path}:/phase", im, 2e-6)


def test_netcdf_without_coordinates(grey: Grey, tmp_path: pathlib.Path) -> None:
    for kind, unlimited in (("NETCDF3_CLASSIC", False), ("NETCDF3_CLASSIC", True), ("NETCDF3_64BIT_DATA", True), ("NETCDF4", True)):
        with netcdf.Dataset(tmp_path / "a.nc", "w", format=kind) as file:
            for name, n in zip("zyx", grey.shape):
                file.createDimension(name, None if unlimited and name == "z" else n)
            file.createVariable("phase", "i1", ("z", "y", "x"))[:] = grey
        same(tmp_path / "a.nc", grey)


@pytest.mark.parametrize("options", [{}, {"chunks": (4, 5, 6), "compression": "gzip", "shuffle": True, "fletcher32": True},
                                     {"chunks": (9, 21, 33), "compression": "gzip"}])
@pytest.mark.parametrize("dtype", ["u1", ">i2", "f2", "f8"])
def test_h5py(grey: Grey, tmp_path: pathlib.Path, options: dict[str, Any], dtype: str) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("/scan/phase", data=grey.astype(dtype), **options)
        dataset.attrs["element_size_um"] = [4.5, 4.5, 4.5]
    same(f"{tmp_path}/a.h5:/scan/phase", grey.astype(dtype), 4.5e-6)


def test_h5py_bool_and_scales(grey: Grey, tmp_path: pathlib.Path) -> None:
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["im"] = grey > 0
        for k, name in enumerate("zyx"):
            file[name] = 1.5 * np.arange(grey.shape[k])
            file[name].attrs["units"] = "um"
            file[name].make_scale(name)
            file["im"].dims[k].attach_scale(file[name])
    geometry = rill.voxelize(tmp_path / "b.h5", keep="all")  # True is pore
    assert np.array_equal(geometry.voxels, grey > 0) and geometry.voxel_size == pytest.approx(1.5e-6)


def test_numpy_archives(grey: Grey, tmp_path: pathlib.Path) -> None:
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", phase=grey, steps=np.arange(5))
        same(tmp_path / "a.npz", grey)
        save(tmp_path / "b.npz", phase=grey, fortran=np.asfortranarray(grey.astype(">i4")))
        same(f"{tmp_path}/b.npz:/fortran", grey.astype("i4"))
        with pytest.raises(rill.UsageError, match="phase, fortran"):
            rill.voxelize(tmp_path / "b.npz")


def test_slices_of_pillow(grey: Grey, tmp_path: pathlib.Path) -> None:
    image = pytest.importorskip("PIL.Image")
    palette = [255, 0, 0, 0, 255, 0, 0, 0, 255]
    for name, make in {"8": image.fromarray, "16": lambda im: image.fromarray(im.astype(np.uint16)),
                       "rgb": lambda im: image.fromarray(np.dstack([im, im, im])), "alpha": lambda im: image.fromarray(np.dstack([im, im * 0 + 255])),
                       "palette": lambda im: _palette(image, im, palette)}.items():
        folder = tmp_path / name
        folder.mkdir()
        for k, im in enumerate(grey):
            make(im).save(folder / f"s{k}.png")
        same(folder, grey)
        same(f"{folder}/s*.png", grey)
    for k, im in enumerate(grey):
        image.fromarray(im > 0).save(tmp_path / f"b{k:02}.png")
    assert np.array_equal(rill.voxelize(tmp_path / "b%02d.png", pore=1, keep="all").voxels, grey > 0)
    image.fromarray(np.dstack([grey[0], grey[0], grey[1]])).save(tmp_path / "c.png")
    with pytest.raises(rill.UsageError, match="red, green and blue differ"):
        rill.voxelize(tmp_path / "c.png", pore=1)
    image.fromarray(grey[0]).save(tmp_path / "c.bmp")
    with pytest.raises(rill.UsageError, match="BMP"):
        rill.voxelize(tmp_path / "c.bmp", pore=1)


def _palette(image: Any, im: Grey, colours: list[int]) -> Any:
    picture = image.new("P", im.shape[::-1])
    picture.putpalette(colours)
    picture.putdata(im.ravel().tolist())
    return picture


@pytest.mark.parametrize("options", [{"fmt": "%d"}, {}, {"fmt": "%d", "delimiter": ","}])
def test_savetxt(grey: Grey, tmp_path: pathlib.Path, options: dict[str, Any]) -> None:
    with open(tmp_path / "a.txt", "w") as file:
        for im in grey:
            np.savetxt(file, im, **options)
            file.write("# next slice\n")
    same(tmp_path / "a.txt", grey)
    np.savetxt(tmp_path / "list_33x21x9_2um.dat", grey.ravel(), fmt="%d")
    same(tmp_path / "list_33x21x9_2um.dat", grey, 2e-6)


def test_raw_gz_and_matlab(grey: Grey, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a_33x21x9.raw.gz").write_bytes(gzip.compress(grey.tobytes()))
    same(tmp_path / "a_33x21x9.raw.gz", grey)
    with h5py.File(tmp_path / "a.mat", "w", userblock_size=512) as file:  # as MATLAB 7.3 does
        file["im"] = grey
    same(tmp_path / "a.mat", grey)
    same(f"{tmp_path}/a.mat:/im", grey)


def test_dicom_is_refused_with_what_converts_it(grey: Grey, tmp_path: pathlib.Path) -> None:
    meta = pydicom.dataset.FileMetaDataset()
    meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = pydicom.uid.CTImageStorage
    meta.MediaStorageSOPInstanceUID = "1.2.3"
    slices = tmp_path / "series"
    slices.mkdir()
    data = pydicom.dataset.FileDataset(None, {}, file_meta=meta, preamble=b"\0" * 128)
    data.SOPClassUID, data.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    data.Rows, data.Columns, data.BitsAllocated, data.BitsStored, data.HighBit = 21, 33, 8, 8, 7
    data.SamplesPerPixel, data.PhotometricInterpretation, data.PixelRepresentation = 1, "MONOCHROME2", 0
    data.PixelData = grey[0].tobytes()
    if int(pydicom.__version__.split(".")[0]) < 3:
        data.is_little_endian, data.is_implicit_VR = True, False
    pydicom.dcmwrite(slices / "IM0001", data, **_whole(pydicom.dcmwrite))
    for path in (slices / "IM0001", slices):
        with pytest.raises(rill.UsageError, match="dcm2niix"):
            rill.voxelize(path)


def _whole(write: Callable[..., Any]) -> dict[str, Any]:
    """The argument that makes pydicom write a whole file, in its versions 2 and 3."""
    names = write.__code__.co_varnames[: write.__code__.co_argcount + write.__code__.co_kwonlyargcount]
    return {"enforce_file_format": True} if "enforce_file_format" in names else {"write_like_original": False}


def test_standard_input(grey: Grey, tmp_path: pathlib.Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, grey)
    out = tmp_path / "a.geom.h5"
    rill.command("voxelize", "-", "--pore", "1", "--keep", "all", "-o", out, "-q", input=buffer.getvalue())
    with rill.open(out) as file:
        assert np.array_equal(file.geometry().voxels, grey == 1) and file.geometry().source == "standard input"
    size = "x".join(str(n) for n in reversed(grey.shape))
    rill.command("voxelize", "-", "--size", size, "--pore", "2", "--keep", "all", "-o", out, "--overwrite", "-q", input=grey.tobytes())
    with rill.open(out) as file:
        assert np.array_equal(file.geometry().voxels, grey == 2)
