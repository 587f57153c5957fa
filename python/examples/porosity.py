# SPDX-License-Identifier: Apache-2.0
"""Permeability against porosity of generated media, with the Kozeny-Carman curve of random sphere packs.

    python porosity.py

Two families: overlapping spheres, whose Kozeny-Carman estimate is d² φ³ / (180 (1 - φ)²) with the sphere's diameter d,
and thresholded Gaussian random fields.
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

RADIUS = 6.0  # voxels


def media(size: int, porosity: float, folder: pathlib.Path) -> dict[str, rill.Geometry]:
    """Return a medium of each family."""
    common = ("--size", str(size), "--porosity", f"{porosity:g}", "--overwrite", "-o")  # of the porosity before
    rill.command("generate", "pack", "--overlap", "--radius", f"{RADIUS:g}", *common, folder / "spheres.geom.h5")
    rill.command("generate", "grf", "--correlation", "6", *common, folder / "grf.geom.h5")
    found = {}
    for name in ("spheres", "grf"):
        with rill.open(folder / f"{name}.geom.h5") as file:
            found[name] = file.geometry()
    return found


def main() -> None:
    """Compute, print a table and write porosity.png."""
    parser = argparse.ArgumentParser(description="Permeability against porosity of generated media.")
    parser.add_argument("--small", action="store_true", help="small media, few porosities")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    size = 40 if arguments.small else 128
    table: dict[str, list[tuple[float, float]]] = {"spheres": [], "grf": []}
    with tempfile.TemporaryDirectory() as folder:
        for porosity in np.linspace(0.3, 0.7, 3 if arguments.small else 9):
            for name, geometry in media(size, porosity, pathlib.Path(folder)).items():
                result = rill.permeability(geometry, axis="xyz")
                table[name].append((result.porosity.total, result.k_lu))
                print(f"{name:8s} porosity {result.porosity.total:.4f}   k {result.k_lu:8.4g} voxel²")
    plot(table, arguments.output / "porosity.png")


def plot(table: dict[str, list[tuple[float, float]]], path: pathlib.Path) -> None:
    """Plot k of both families, and Kozeny-Carman, on a logarithmic scale."""
    figure, ax = plt.subplots(figsize=(5.5, 4), layout="constrained")
    for name, label, mark in (("spheres", "overlapping spheres, radius 6", "ko-"), ("grf", "Gaussian random field", "s--")):
        ax.semilogy(*np.array(table[name]).T, mark, label=label)
    phi = np.linspace(0.28, 0.72, 60)
    ax.semilogy(phi, (2 * RADIUS) ** 2 * phi**3 / (180 * (1 - phi) ** 2), ":", color="0.4", label="Kozeny-Carman, d = 12")
    ax.set(xlabel="porosity", ylabel="permeability, voxel²")
    ax.legend(frameon=False)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
