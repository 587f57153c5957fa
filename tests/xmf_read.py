#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follow an .xmf to the arrays that it names, check their sizes, and print what is there as JSON."""
import json
import os
import sys
import xml.etree.ElementTree as tree

import h5py

path = sys.argv[1]
domain = tree.parse(path).getroot().find("Domain")
top = domain.find("Grid")
grids = top.findall("Grid") if top.get("GridType") == "Collection" else [top]
seen = []
for grid in grids:
    arrays = {}
    for item in grid.iter("DataItem"):
        if item.get("Format") != "HDF":
            continue
        name, dataset = item.text.strip().split(":")
        with h5py.File(os.path.join(os.path.dirname(path), name)) as file:
            found, said = file[dataset], [int(n) for n in item.get("Dimensions").split()]
            size = 1
            for n in said:
                size *= n
            if size != found.size or found.dtype.itemsize != int(item.get("Precision")):
                sys.exit(f"{dataset}: {found.shape} {found.dtype} is not {said}")
            arrays[dataset.split("/")[-1]] = said
    seen.append({"time": float(grid.find("Time").get("Value")), "arrays": arrays,
                 "topology": grid.find("Topology").get("TopologyType")})
json.dump(seen, sys.stdout)
