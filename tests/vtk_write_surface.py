#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a closed vessel, a cylinder of diameter 4 and length 10 along y, into the current directory: whole.stl; as VTP with
ModelFaceID (1 wall, 2 and 3 ends) in every coding that VTK has; and as SimVascular's folder mesh-surfaces and as a folder of
STL files, one for each face."""
import os

from vtkmodules.util import numpy_support
from vtkmodules.vtkCommonCore import vtkIdTypeArray
from vtkmodules.vtkCommonDataModel import vtkSelection, vtkSelectionNode
from vtkmodules.vtkFiltersCore import vtkTriangleFilter
from vtkmodules.vtkFiltersExtraction import vtkExtractSelection
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkFiltersSources import vtkCylinderSource
from vtkmodules.vtkIOGeometry import vtkSTLWriter
from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter
import numpy

NAMES = {1: "wall_vessel", 2: "inflow", 3: "outflow"}

source = vtkCylinderSource()
source.SetResolution(24)
source.SetRadius(2)
source.SetHeight(10)
source.SetCenter(1, 2, 3)
source.Update()
vessel = source.GetOutput()
ids = []
for c in range(vessel.GetNumberOfCells()):
    cell = vessel.GetCell(c)
    y = [vessel.GetPoint(cell.GetPointId(k))[1] for k in range(cell.GetNumberOfPoints())]
    ids.append(1 if max(y) > min(y) else 2 if y[0] > 2 else 3)
faces = numpy_support.numpy_to_vtk(numpy.array(ids, "i4"), deep=True)
faces.SetName("ModelFaceID")
vessel.GetCellData().AddArray(faces)
vessel.GetPointData().Initialize()


def write_vtp(data, name, mode="appended", compressor=1, wide=False, big=False):
    writer = vtkXMLPolyDataWriter()
    writer.SetFileName(name)
    writer.SetInputData(data)
    writer.SetDataMode({"ascii": 0, "binary": 1, "appended": 2, "raw": 2}[mode])
    writer.SetEncodeAppendedData(mode == "appended")
    writer.SetCompressorType(compressor)
    writer.SetHeaderType(64 if wide else 32)
    writer.SetByteOrder(0 if big else 1)
    if not writer.Write():
        raise SystemExit(name + " was not written")


def write_stl(data, name):
    triangles = vtkTriangleFilter()
    triangles.SetInputData(data)
    writer = vtkSTLWriter()
    writer.SetFileName(name)
    writer.SetInputConnection(triangles.GetOutputPort())
    writer.SetFileTypeToBinary()
    if not writer.Write():
        raise SystemExit(name + " was not written")


def face(number):
    cells = vtkIdTypeArray()
    for c, i in enumerate(ids):
        if i == number:
            cells.InsertNextValue(c)
    node = vtkSelectionNode()
    node.SetFieldType(vtkSelectionNode.CELL)
    node.SetContentType(vtkSelectionNode.INDICES)
    node.SetSelectionList(cells)
    selection = vtkSelection()
    selection.AddNode(node)
    extract = vtkExtractSelection()
    extract.SetInputData(0, vessel)
    extract.SetInputData(1, selection)
    surface = vtkGeometryFilter()
    surface.SetInputConnection(extract.GetOutputPort())
    surface.Update()
    return surface.GetOutput()


write_stl(vessel, "whole.stl")
for mode in ("ascii", "binary", "appended", "raw"):
    for bits in range(8):
        write_vtp(vessel, "%s-%d.vtp" % (mode, bits), mode, bits & 1, bits >> 1 & 1, bits >> 2)
for folder in ("mesh-surfaces", "patches"):
    os.mkdir(folder)
for number, name in NAMES.items():
    write_vtp(face(number), "mesh-surfaces/%s.vtp" % name)
    write_stl(face(number), "patches/%s.stl" % name)
