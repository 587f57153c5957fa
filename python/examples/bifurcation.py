# SPDX-License-Identifier: Apache-2.0
"""Wall shear stress in a bifurcation with steady flow, from a surface to a picture.

    python bifurcation.py
    python bifurcation.py --flow "4 mL/s" --dx "0.2 mm"

The surface is generated, voxelized with the distance to the wall on every link, and run until the flow is steady. The picture
shows the mean wall shear stress on the triangles, seen along y. With pyvista, ``result.to_pyvista().plot()`` shows it in three
dimensions.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rill


def vessel(dx: str, small: bool) -> rill.Geometry:
    """Return the geometry of a bifurcation with an inlet, a large and a small outlet."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bifurcation.stl"
        lengths = ("--radius", "1mm", "--inlet", "3mm", "--outlet", "5mm", "--edge", "0.15mm") if small else ()
        rill.command("generate", "bifurcation", *lengths, "-o", path)
        names = {"opening-1": "inlet", "opening-2": "large", "opening-3": "small"}
        return rill.voxelize(path, units="mm", dx=dx, extend="0.5D", names=names)


def main() -> None:
    """Run, print flow and wall shear, and write bifurcation.png."""
    parser = argparse.ArgumentParser(description="Wall shear stress in a bifurcation with steady flow.")
    parser.add_argument("--flow", default="", help="inflow, e.g. '2 mL/s'")
    parser.add_argument("--dx", default="", help="edge of a voxel, e.g. '0.25 mm'")
    parser.add_argument("--small", action="store_true", help="a small vessel")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    geometry = vessel(arguments.dx or ("0.2 mm" if arguments.small else "0.25 mm"), arguments.small)
    case = {
        "fluid": {"density": "1060 kg/m3", "viscosity": "3.5 mPa.s"},
        "openings": {
            "inlet": {"kind": "inlet", "flow": arguments.flow or ("0.15 mL/s" if arguments.small else "2 mL/s")},
            "large": {"kind": "pressure", "pressure": "80 mmHg"},
            "small": {"kind": "pressure", "pressure": "80 mmHg"},
        },
        "run": {"duration": "0.2 s" if arguments.small else "2 s", "tolerance": "1 %"},
        "output": {"surface": True},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # remarks of the plan: result.remarks has them
        result = rill.run(case, geometry=geometry)
    for name, flow in result.flow.items():
        print(f"{name:6s} flow {1e6 * flow:8.4f} mL/s, pressure {result.pressure[name] / 133.322:.3f} mmHg")
    print(f"wall shear {result.shear_mean:.4g} Pa in the mean, at most {result.shear_max:.4g} Pa")
    plot(result, arguments.output / "bifurcation.png")


def plot(result: rill.VesselRun, path: pathlib.Path) -> None:
    """Draw the triangles in front, coloured by the wall shear stress."""
    surface = result.geometry.surface
    assert surface is not None
    vertices, triangles = surface
    tawss, _ = result.wall_shear()
    corners = vertices[triangles] * 1e3
    normal_y = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 1]
    seen = np.flatnonzero((normal_y < 0) & np.isfinite(tawss))
    seen = seen[np.argsort(-corners[seen, :, 1].mean(1))]  # the nearest last
    figure, ax = plt.subplots(figsize=(5, 6), layout="constrained")
    colours = ax.tripcolor(vertices[:, 0] * 1e3, vertices[:, 2] * 1e3, triangles[seen], facecolors=tawss[seen],
                           vmin=0, vmax=np.quantile(tawss[seen], 0.99))
    ax.set(xlabel="x, mm", ylabel="z, mm", aspect="equal")
    figure.colorbar(colours, label="wall shear stress, Pa")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
