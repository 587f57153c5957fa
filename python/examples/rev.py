# SPDX-License-Identifier: Apache-2.0
"""How large must a sample be? Permeability and porosity of sub-volumes of one rock against their size.

    python rev.py                          # a generated rock of 160³ voxels
    python rev.py rock.tif --pore 0 --voxel-size "5.7 um"

For each size, blocks are cut from the rock, and the permeability along z is computed with mirrored domain boundaries. A size at
which the blocks agree with each other is a representative elementary volume (REV).
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rill


def rock_of(arguments: argparse.Namespace) -> rill.Geometry:
    """Return the rock with all its pores."""
    if arguments.image:
        return rill.voxelize(arguments.image, pore=arguments.pore, voxel_size=arguments.voxel_size, keep="all")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rock.geom.h5"
        size = "64" if arguments.small else "160"
        shape = ("--size", size, "--porosity", "0.3", "--correlation", "5", "--voxel-size", "2 um")
        rill.command("generate", "grf", *shape, "-o", path)
        with rill.open(path) as file:
            return file.geometry()


def blocks(voxels: np.ndarray, edge: int, most: int) -> list[np.ndarray]:
    """Return up to `most` blocks of edge³ voxels, spread over the rock."""
    starts = [np.linspace(0, n - edge, min(3, n // edge)).astype(int) for n in voxels.shape]
    corners = [(z, y, x) for z in starts[0] for y in starts[1] for x in starts[2]]
    chosen = corners[:: max(1, len(corners) // most)][:most]
    return [voxels[z : z + edge, y : y + edge, x : x + edge] for z, y, x in chosen]


def main() -> None:
    """Compute, print a table and write rev.png."""
    parser = argparse.ArgumentParser(description="Permeability of sub-volumes against their size.")
    parser.add_argument("image", nargs="?")
    parser.add_argument("--pore", help="values that are pore, such as 0 or 0-99; not for bool")
    parser.add_argument("--voxel-size")
    parser.add_argument("--small", action="store_true", help="a small rock, few blocks")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    rock = rock_of(arguments)
    if rock.voxel_size is None:
        parser.error("the voxel size of the image is unknown: give --voxel-size")
    edges = (16, 24, 32) if arguments.small else (24, 32, 48, 64, 96, 128)
    table = []
    for edge in (e for e in edges if e <= min(rock.shape)):
        for block in blocks(rock.voxels, edge, 3 if arguments.small else 9):
            im = block > 0
            try:
                k = rill.permeability(im, rock.voxel_size, axis="z", sides="mirror").k_darcy
            except rill.NumericsError:
                k = 0.0  # nothing conducts
            table.append((edge * rock.voxel_size * 1e6, im.mean(), k))
            print("%6.1f um   porosity %.4f   k %8.4g darcy" % table[-1])
    plot(np.array(table), arguments.output / "rev.png")


def plot(table: np.ndarray, path: pathlib.Path) -> None:
    """Plot porosity and permeability of the blocks and their means against the edge of a block."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for ax, column, label in zip(axes, (1, 2), ("porosity", "permeability along z, darcy")):
        ax.plot(table[:, 0], table[:, column], "o", color="0.55", markersize=4, label="one block")
        edges = np.unique(table[:, 0])
        ax.plot(edges, [table[table[:, 0] == e, column].mean() for e in edges], "k-", label="mean")
        ax.set(xlabel="edge of a block, µm", ylabel=label, ylim=(0, None))
        ax.legend(frameon=False)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
