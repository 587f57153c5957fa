#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small image of image_files.h (u8 and u16) as VTI in every coding that VTK has, and as legacy VTK, into the current directory."""
from vtkmodules.util import numpy_support
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOLegacy import vtkStructuredPointsWriter
from vtkmodules.vtkIOXML import vtkXMLImageDataWriter
import numpy

NX, NY, NZ = 5, 6, 4
k, j, i = numpy.meshgrid(range(NZ), range(NY), range(NX), indexing="ij")
VALUE = 1 + i + 5 * j + 30 * k


def image_of(values, cells):
    """Return the image, and where its arrays are."""
    image = vtkImageData()
    image.SetDimensions(*(n + cells for n in (NX, NY, NZ)))
    image.SetSpacing(2, 2, 3)
    array = numpy_support.numpy_to_vtk(values.ravel(), deep=True)
    array.SetName("seg")
    arrays = image.GetCellData() if cells else image.GetPointData()
    arrays.SetScalars(array)
    return image, arrays


def write_legacy(name, values, cells, binary, field):
    """field: the image is one of the arrays behind others."""
    image, arrays = image_of(values, cells)
    vectors = numpy_support.numpy_to_vtk(numpy.zeros((values.size, 3), "f4"), deep=True)
    vectors.SetName("v")
    arrays.SetVectors(vectors)
    if field:
        arrays.SetActiveScalars(None)
    writer = vtkStructuredPointsWriter()
    writer.SetFileName(name)
    writer.SetInputData(image)
    writer.SetFileType(2 if binary else 1)
    if not writer.Write():
        raise SystemExit(name + " was not written")


def write(name, values, cells, mode, compressor, wide, big):
    image, _ = image_of(values, cells)
    writer = vtkXMLImageDataWriter()
    writer.SetFileName(name)
    writer.SetInputData(image)
    writer.SetDataMode({"ascii": 0, "binary": 1, "appended": 2, "raw": 2}[mode])
    writer.SetEncodeAppendedData(mode == "appended")
    writer.SetCompressorType(compressor)
    writer.SetBlockSize(64)  # several blocks
    writer.SetHeaderType(64 if wide else 32)
    writer.SetByteOrder(0 if big else 1)
    if not writer.Write():
        raise SystemExit(name + " was not written")


for mode in ("ascii", "binary", "appended", "raw"):
    for compressor in (0, 1):  # none, zlib
        for bits in range(8):
            wide, big, cells = bits & 1, bits >> 1 & 1, bits >> 2
            write("%s-%d-%d-u8.vti" % (mode, compressor, bits), VALUE.astype("u1"), cells, mode, compressor, wide, big)
            write("%s-%d-%d-u16.vti" % (mode, compressor, bits), (400 * VALUE).astype("u2"), cells, mode, compressor, wide, big)
write("lz4.vti", VALUE.astype("u1"), 0, "raw", 2, 0, 0)
for bits in range(8):
    cells, binary, field = bits & 1, bits >> 1 & 1, bits >> 2
    write_legacy("%d-u8.vtk" % bits, VALUE.astype("u1"), cells, binary, field)
    write_legacy("%d-u16.vtk" % bits, (400 * VALUE).astype("u2"), cells, binary, field)
