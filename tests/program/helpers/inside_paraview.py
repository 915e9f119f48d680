"""Runs in ParaView's Python, and prints what that makes of a run's frames, as JSON:

    pvpython inside_paraview.py RUN_DIR

`surface` and `octree` are series of VTKHDF files, `series` is the XDMF file; each has a list of
steps with time, points, cells and the values of all fields."""

import glob
import json
import os
import sys

from paraview import simple

run_dir, = sys.argv[1:]


def frame_files(kind):
    return sorted(glob.glob(os.path.join(run_dir, f"{kind}_*.vtkhdf")))


def tuples(array):
    return [array.GetTuple(i) for i in range(array.GetNumberOfTuples())]


def fields(data):
    return {data.GetArrayName(i): tuples(data.GetArray(i))
            for i in range(data.GetNumberOfArrays())}


def cell(grid, i):
    ids = grid.GetCell(i).GetPointIds()
    return [ids.GetId(k) for k in range(ids.GetNumberOfIds())]


def steps(reader):
    for time in reader.TimestepValues:
        reader.UpdatePipeline(time)
        grid = reader.GetClientSideObject().GetOutputDataObject(0)
        yield {"time": time, "points": tuples(grid.GetPoints().GetData()),
               "cells": [cell(grid, i) for i in range(grid.GetNumberOfCells())],
               "cell_fields": fields(grid.GetCellData()),
               "point_fields": fields(grid.GetPointData())}


readers = {
    "surface": simple.VTKHDFReader(FileName=frame_files("surface")),
    "octree": simple.VTKHDFReader(FileName=frame_files("octree")),
    "series": simple.XDMFReader(FileNames=[os.path.join(run_dir, "surface.xmf")]),
}
print(json.dumps({name: list(steps(reader)) for name, reader in readers.items()}))
