#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Open a VTI file with Debian's VTK and print what VTK sees as lines of text. Used by test_batch.c."""
import sys

from vtkmodules.vtkIOXML import vtkXMLImageDataReader

reader = vtkXMLImageDataReader()
if not reader.CanReadFile(sys.argv[1]):
    sys.exit("VTK cannot read " + sys.argv[1])
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
print("points", *data.GetDimensions())
print("spacing", *("%.17g" % x for x in data.GetSpacing()))
print("origin", *("%.17g" % x for x in data.GetOrigin()))
cells = data.GetCellData()
for i in range(cells.GetNumberOfArrays()):
    array = cells.GetArray(i)
    for t in range(array.GetNumberOfTuples()):
        print(array.GetName(), t, *("%.17g" % x for x in array.GetTuple(t)))
