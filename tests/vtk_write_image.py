#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small image of image_files.h (u8 and u16) as VTI in every coding that VTK has, into the current directory."""
from vtkmodules.util import numpy_support
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOXML import vtkXMLImageDataWriter
import numpy

NX, NY, NZ = 5, 6, 4
k, j, i = numpy.meshgrid(range(NZ), range(NY), range(NX), indexing="ij")
VALUE = 1 + i + 5 * j + 30 * k


def write(name, values, cells, mode, compressor, wide, big):
    image = vtkImageData()
    image.SetDimensions(*(n + cells for n in (NX, NY, NZ)))
    image.SetSpacing(2, 2, 3)
    array = numpy_support.numpy_to_vtk(values.ravel(), deep=True)
    array.SetName("seg")
    (image.GetCellData() if cells else image.GetPointData()).SetScalars(array)
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
