# SPDX-License-Identifier: Apache-2.0
"""Walls of a geometry where a level is 0 along its links: scripts/coverage and scripts/wall-derivative make flows with interpolated bounce-back of them. Needs python3-h5py."""
import numpy

# Velocities of the lattice in the order of the directions of wall links (docs/files.md).
HALF = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1), (1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1))
VELOCITIES = [c for half in HALF for c in (half, tuple(-x for x in half))]


def padded(values, sides, width):
    """@return the values with so many more at each face, mirrored or periodic"""
    return numpy.pad(values, width, mode="symmetric" if sides == "mirror" else "wrap")


def put_walls(path, level, sides="periodic"):
    """Give a geometry with walls half-way those where the level, positive in pores, is 0 along its links."""
    import h5py
    pore, around = level > 0, padded(level, sides, 1)
    number = numpy.full(pore.size, -1)
    order = numpy.flatnonzero(pore.transpose(2, 1, 0).ravel())
    number[order] = numpy.arange(len(order))
    nodes, directions, places = [], [], []
    for i, c in enumerate(VELOCITIES):
        other = around[tuple(slice(1 - x, 1 - x + n) for x, n in zip(c, pore.shape))]  # at x - c
        hit = pore & (other <= 0)
        at = numpy.flatnonzero(hit.transpose(2, 1, 0).ravel())
        part = level / numpy.where(hit, level - other, 1)
        nodes.append(number[at])
        directions.append(numpy.full(len(at), i + 1))
        places.append(numpy.clip(part.transpose(2, 1, 0).ravel()[at], 0.01, 0.99))
    nodes, directions, places = map(numpy.concatenate, (nodes, directions, places))
    order = numpy.lexsort((directions, nodes))
    with h5py.File(path, "r+") as file:
        file["surface/vertices"] = numpy.array([[0, 0, 0], [1e-6, 0, 0], [0, 1e-6, 0]], float)
        file["surface/triangles"] = numpy.array([[0, 1, 2]], numpy.uint32)
        file.create_group("patches")
        file["walls/node"] = nodes[order].astype(numpy.uint32)
        file["walls/direction"] = directions[order].astype(numpy.uint8)
        file["walls/q"] = places[order].astype(numpy.float32)
        file["walls/triangle"] = numpy.full(len(order), 4294967295, numpy.uint32)
