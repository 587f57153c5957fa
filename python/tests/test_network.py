# SPDX-License-Identifier: Apache-2.0
"""Pore networks: their permeability by a solution of NumPy and by OpenPNM, what they conserve, pore sizes."""

from __future__ import annotations

import numpy as np
import pytest

import rill
from conftest import Image


def solved(network: rill.Network, axis: str) -> float:
    """Return k in voxel² of a network between pressures at two faces, by its conductances alone."""
    n, g, (a, b) = len(network.coords), network.conductance, network.conns.T
    matrix = np.zeros((n, n))
    np.add.at(matrix, (a, b), -g)
    np.add.at(matrix, (b, a), -g)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    low, high = network.faces[f"{axis}min"], network.faces[f"{axis}max"]
    fixed = low | high
    pressure = low.astype(float)
    # Boundary pores of other faces have one throat: they take the pressure of their chamber.
    pressure[~fixed] = np.linalg.solve(matrix[np.ix_(~fixed, ~fixed)], -matrix[np.ix_(~fixed, fixed)] @ pressure[fixed])
    length = np.ptp(network.coords[:, "xyz".index(axis)])
    return float((matrix @ pressure)[low].sum() * length)


def test_the_permeability_is_that_of_the_equations(rock: Image) -> None:
    for axis in "xyz":
        network = rill.network(rock, axis=axis, edge=4)
        area = 24 * 24
        assert network.k["xyz".index(axis)] == pytest.approx(solved(network, axis) / area, rel=1e-4)
        made = rill.permeability(rock, axis=axis, sides="mirror", device="cpu").k_lu
        assert made / 3 < network.k["xyz".index(axis)] < 3 * made


def test_a_network_has_the_pores_of_the_image(rock: Image) -> None:
    network = rill.network(rock, "2 um", keep="all", edge=6)
    geometry = rill.voxelize(rock, keep="all")
    assert network.volume.sum() == pytest.approx(geometry.fluid_nodes * 8e-18)
    inner = network.volume > 0
    centre = (network.coords * network.volume[:, None]).sum(axis=0) / network.volume.sum()
    assert centre == pytest.approx([2e-6 * (np.nonzero(rock)[k].mean() + 0.5) for k in (2, 1, 0)])
    assert (network.conns[:, 0] < network.conns[:, 1]).all() and len(np.unique(network.conns, axis=0)) == len(network.conns)
    assert network.conns.max() == len(network.coords) - 1 and (network.conductance > 0).all()
    on_face = {name: network.coords[on] for name, on in network.faces.items()}
    assert sum(map(len, on_face.values())) == np.count_nonzero(~inner) > 0
    assert np.allclose(on_face["xmin"][:, 0], 0) and np.allclose(on_face["zmax"][:, 2], 48e-6)
    turned = rill.network(rock.transpose(2, 1, 0), "2 um", keep="all", edge=6, order="xyz")
    assert np.array_equal(turned.coords, network.coords) and np.array_equal(turned.conductance, network.conductance)
    walled = rill.network(rock, keep="all", edge=6, sides=("mirror", "wall", "wall"))
    assert walled.faces["xmin"].any() and not walled.faces["ymin"].any() and np.isnan(walled.k[1]) and walled.k[0] > 0


def test_plates_conduct_as_the_exact_solution(plates: Image) -> None:
    network = rill.network(np.repeat(plates, 12, axis=2), "1 um", axis="x", edge=24)  # one chamber across the gap
    exact = 16**2 / 12 * 16 / 18
    assert network.k[0] * 1e12 == pytest.approx(exact, rel=0.35)  # a slit has three quarters of it, see src/network/throats.c
    assert network.k_darcy[0] == pytest.approx(network.k[0] / 9.869233e-13)
    assert "chambers" in repr(network) and len(repr(network)) < 200


def test_pore_sizes_of_plates_and_of_a_sphere(plates: Image) -> None:
    sizes = rill.network(plates, "2 um", axis="x").pore_sizes([f"{2 * d} um" for d in (1, 8, 14, 15, 17, 20)])
    assert sizes.diameter == pytest.approx(2e-6 * np.array([1, 8, 14, 15, 17, 20]))
    assert sizes.covered[:4] == pytest.approx(1) and sizes.covered[4:] == pytest.approx(0)
    assert sizes.fraction == pytest.approx([0, 0, 0, 1, 0, 0]) and 28e-6 <= sizes.median <= 34e-6
    z, y, x = np.ogrid[:31, :31, :31]
    ball = (z - 15) ** 2 + (y - 15) ** 2 + (x - 15) ** 2 < 10.5**2
    ball[14:17, 14:17] = True  # a channel along x
    found = rill.network(ball, axis="x").pore_sizes([3.0, 19.0])
    assert found.covered[0] > 0.98 and found.covered[1] == pytest.approx(4 / 3 * np.pi * 10**3 / ball.sum(), rel=0.15)
    assert rill.network(ball, axis="x").pore_sizes(10).fraction.sum() == pytest.approx(1)


def test_pore_sizes_are_those_of_distances_by_scipy(rock: Image) -> None:
    edt = pytest.importorskip("scipy.ndimage").distance_transform_edt
    diameters = [1.0, 2.5, 4.0, 5.0]
    network = rill.network(rock, keep="all")
    for diameter, part in zip(diameters, network.pore_sizes(diameters).covered):
        seeds = edt(rock) >= (diameter + 1) / 2
        assert part == pytest.approx((edt(~seeds) < (diameter + 1) / 2)[rock].mean(), abs=1e-6)
    assert network.diameter.max() == pytest.approx(2 * edt(rock).max() - 1)


def test_openpnm_finds_the_same_permeability(rock: Image) -> None:
    op = pytest.importorskip("openpnm")
    network = rill.network(rock, "2 um", axis="x", edge=4)
    project = network.to_openpnm("1 mPa.s")
    flow = op.algorithms.StokesFlow(network=project.network, phase=project.phases[0])
    flow.set_value_BC(pores=project.network.pores("xmin"), values=1000.0)
    flow.set_value_BC(pores=project.network.pores("xmax"), values=0.0)
    flow.run()
    length = 48e-6
    k = flow.rate(pores=project.network.pores("xmin"))[0] * 1e-3 * length / (length**2 * 1000.0)
    assert k == pytest.approx(network.k[0], rel=1e-4)


def test_pores_that_touch_the_others_at_corners_alone_are_no_part() -> None:
    im = np.zeros((8, 8, 8), bool)
    im[2:4, 2:4] = im[4, 3, 1] = True  # a duct along x with a branch
    im[5, 4, 2] = True  # touches the branch at a corner, in another block
    network = rill.network(im, axis="x", edge=4)
    assert network.volume.sum() == 33 and network.faces["xmin"].sum() == network.faces["xmax"].sum() > 0
    reached = {0}
    for _ in network.conns:
        reached |= {int(end) for pair in network.conns if reached & set(map(int, pair)) for end in pair}
    assert reached == set(range(len(network.coords))) and network.conns.max() == len(network.coords) - 1
    assert rill.network(im, axis="x", edge=4, keep="all").volume.sum() == 34
    assert rill.network(rill.voxelize(im, sides="mirror", keep="all"), edge=4).volume.sum() == 33 and rill.network(im, edge=4, sides="wall").volume.sum() == 34
    stairs = np.zeros((8, 8, 8), bool)
    stairs[3, 3, :4] = stairs[4, 4, 4:] = True
    with pytest.raises(rill.NumericsError, match="through corners of voxels alone"):
        rill.network(stairs, axis="x", edge=4)


def test_arrays_have_the_names_of_openpnm(rock: Image) -> None:
    network = rill.network(rock, "2 um", edge=6)
    arrays = network.to_dict("2 mPa.s")
    pores, throats = len(network.coords), len(network.conns)
    assert all(len(v) == (pores if name.startswith("pore.") else throats) for name, v in arrays.items())
    g = arrays["throat.hydraulic_conductance"]
    assert g == pytest.approx(network.conductance / 2e-3)
    tube = np.pi * arrays["throat.diameter"] ** 4 / (128 * 2e-3 * arrays["throat.length"])  # Hagen-Poiseuille
    assert g == pytest.approx(tube)
    assert (arrays["pore.diameter"] >= 2e-6 * 0.99).all() and arrays["pore.boundary"].sum() == (network.volume == 0).sum()
    without = rill.network(rock, edge=6).to_dict()
    assert without["throat.hydraulic_conductance"] == pytest.approx(network.conductance / 8e-18)


def test_axes_of_the_array_are_counted(rock: Image) -> None:
    named, counted = (rill.network(rock, edge=6, axis=axis) for axis in ("z", 0))
    assert np.array_equal(named.coords, counted.coords) and np.array_equal(named.conns, counted.conns)


def test_wrong_arguments_of_a_network_are_refused(rock: Image) -> None:
    for call, words in (
        (lambda: rill.network(rock, edge=65), "edge of 1 to 64"), (lambda: rill.network(rock, edge=-1), "edge = -1"),
        (lambda: rill.network(rock, sides="periodic"), "are periodic: give sides='mirror'"), (lambda: rill.network(~rock & rock), "pore"),
        (lambda: rill.network(rock).pore_sizes(0.5), "diameters = 0.5"), (lambda: rill.network(rock).pore_sizes([]), "diameters = []"),
        (lambda: rill.network(rock).pore_sizes([0.5]), "smaller than a voxel"), (lambda: rill.network(rock).k_darcy, "voxel size is unknown"),
        (lambda: rill.network(rock, "2 um").to_dict(viscosity=-1), "viscosity"), (lambda: rill.network(rock, axis=3), "axis = 3"),
        (lambda: rill.network(rill.voxelize(rock), keep="some"), "keep = 'some'"),
    ):
        with pytest.raises(rill.Error) as caught:
            call()
        assert words in str(caught.value)
