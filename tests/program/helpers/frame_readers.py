"""Frames as VTK and readers of XDMF see them."""

import collections
import json
import math
import os
import re
import subprocess
import xml.etree.ElementTree

import program
import surface_files

VTK_SCRIPT = """\
import json, sys
from vtkmodules.vtkIOHDF import vtkHDFReader
def ranges(data):
    arrays = [data.GetArray(i) for i in range(data.GetNumberOfArrays())]
    return {array.GetName(): array.GetRange(-1 if array.GetNumberOfComponents() > 1 else 0)
            for array in arrays}
for path in sys.argv[1:]:
    reader = vtkHDFReader()
    if not reader.CanReadFile(path):
        sys.exit("VTK cannot read " + path)
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    print(json.dumps({"points": grid.GetNumberOfPoints(), "cells": grid.GetNumberOfCells(),
                      "type": grid.GetCellType(0), "bounds": grid.GetBounds(),
                      "point_data": ranges(grid.GetPointData()),
                      "cell_data": ranges(grid.GetCellData())}))
"""
KINDS = {("Int", "8"): "int64", ("Int", "4"): "int32", ("Float", "8"): "float64",
         ("Float", "4"): "float32"}

Grid = collections.namedtuple("Grid", "time file fields items")


def arrays(path):
    """The paths of a frame's fields."""
    listed = surface_files.dump(path, "-n")
    return set(re.findall(r"dataset +(/VTKHDF/(?:Point|Cell)Data/\S+)", listed))


def vtk(test, *paths):
    """What VTK finds in each file; lengths of vectors have ranges as numbers do."""
    python = program.python_with("vtkmodules.vtkIOHDF")
    if not python:
        test.skipTest("VTK for Python is not installed")
    done = subprocess.run([python, "-c", VTK_SCRIPT, *paths], capture_output=True, text=True,
                          timeout=program.TIMEOUT)
    test.assertEqual(done.returncode, 0, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def grids(path):
    """The frames of a series."""
    found = []
    for grid in xml.etree.ElementTree.parse(path).getroot().findall("Domain/Grid/Grid"):
        items = list(grid.iter("DataItem"))
        (file,) = {item.text.split(":")[0] for item in items}
        fields = {field.get("Name") for field in grid.iter("Attribute")}
        found.append(Grid(float(grid.find("Time").get("Value")), file, fields, items))
    return found


def check_arrays(test, grid, path):
    """The file has the arrays that the series names, of the types and sizes that it says."""
    for item in grid.items:
        kind = KINDS[item.get("NumberType"), item.get("Precision")]
        count = math.prod(map(int, item.get("Dimensions").split()))
        dataset = item.text.split(":")[1]
        test.assertEqual(len(surface_files.numbers(path, dataset, kind)), count, dataset)
