# SPDX-License-Identifier: Apache-2.0
"""rill with the programs of its users: PoreSpy, OpenPNM and pyvista, where they are installed."""

from __future__ import annotations

import numpy as np
import pytest

import rill


def test_a_porespy_image_gives_k_with_fields() -> None:
    porespy = pytest.importorskip("porespy")
    np.random.seed(1)
    im = porespy.generators.blobs(shape=[32, 32, 32], porosity=0.6, blobiness=1)
    result = rill.permeability(im, voxel_size="5 um", axis="x", order="xyz", sides="mirror", fields=True)
    assert result.k > 0 and result.porosity.total == pytest.approx(im.mean())
    speed = np.linalg.norm(result.fields["x"].velocity, axis=0)
    assert speed.shape == im.shape and not speed[~im].any()


def test_k_becomes_a_property_of_an_openpnm_network() -> None:
    openpnm = pytest.importorskip("openpnm")
    im = np.zeros((12, 12, 6), bool)
    im[1:11, 1:11] = True  # a duct along z of im[x, y, z]
    result = rill.permeability(im, voxel_size="2 um", axis="z", order="xyz", tolerance=1e-4)
    length, area = 6 * 2e-6, (12 * 2e-6) ** 2
    network = openpnm.network.Cubic(shape=[1, 1, 4], spacing=length)
    phase = openpnm.phase.Phase(network=network)
    phase["throat.hydraulic_conductance"] = np.full(network.Nt, result.k * area / (1e-3 * length))
    flow = openpnm.algorithms.StokesFlow(network=network, phase=phase)
    flow.set_value_BC(pores=network.pores("bottom") if "pore.bottom" in network else [0], values=1.0)
    flow.set_value_BC(pores=network.pores("top") if "pore.top" in network else [3], values=0.0)
    flow.run()
    darcy = result.k * area / 1e-3 / (3 * length)  # three throats in a row
    assert abs(flow.rate(pores=[0])[0]) == pytest.approx(darcy, rel=1e-6)


def test_pyvista_shows_fields_and_voxelizes_surfaces(vessel: rill.Geometry) -> None:
    pyvista = pytest.importorskip("pyvista")
    tube = pyvista.Cylinder(radius=1e-3, height=4e-3, resolution=48, capping=False).triangulate()
    geometry = rill.voxelize(tube, dx="0.1 mm")
    assert [o.area for o in geometry.openings] == pytest.approx([np.pi * 1e-6] * 2, rel=0.01)
    assert geometry.fluid_nodes * 1e-12 == pytest.approx(4e-9 * np.pi, rel=0.03)
    grid = vessel.to_pyvista()
    assert int(np.asarray(grid.cell_data["voxels"] > 0).sum()) == vessel.fluid_nodes
