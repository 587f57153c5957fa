#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Open a VTKHDF file with Debian's VTK and print what VTK sees as JSON. Used by test_vtkhdf.c."""
import json
import sys

from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOHDF import vtkHDFReader


def arrays(attributes):
    found = {}
    for i in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(i)
        rows = [list(array.GetTuple(t)) for t in range(array.GetNumberOfTuples())]
        components = array.GetNumberOfComponents()
        found[array.GetName()] = {
            "rows": rows,
            "ranges": [list(array.GetRange(c)) for c in range(components)],
        }
    return found


reader = vtkHDFReader()
if not reader.CanReadFile(sys.argv[1]):
    sys.exit("VTK cannot read " + sys.argv[1])
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutputDataObject(0)
seen = {
    "class": data.GetClassName(),
    "points": data.GetNumberOfPoints(),
    "cells": data.GetNumberOfCells(),
    "bounds": list(data.GetBounds()),
    "point_data": arrays(data.GetPointData()),
    "cell_data": arrays(data.GetCellData()),
}
if isinstance(data, vtkImageData):
    seen["dimensions"] = list(data.GetDimensions())
    seen["spacing"] = list(data.GetSpacing())
    seen["origin"] = list(data.GetOrigin())
else:
    cells = range(data.GetNumberOfCells())
    seen["types"] = sorted({data.GetCellType(c) for c in cells})
    seen["corners"] = [
        [data.GetPoint(data.GetCell(c).GetPointId(corner)) for corner in range(data.GetCell(c).GetNumberOfPoints())]
        for c in cells
    ]
json.dump(seen, sys.stdout)
