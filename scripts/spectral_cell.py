# SPDX-License-Identifier: Apache-2.0
"""Flow and dispersion in a square array of cylinders, by spectral elements, for scripts/dispersion-references.

The cell of edge 1 around a cylinder is four elements with exact circular walls. Velocity and concentration are polynomials of one degree in both coordinates of an element,
the pressure of two degrees less, without continuity (Maday & Patera 1989). Nothing is shared with rill: no voxels, no lattice, no finite volumes."""
import numpy
from numpy.polynomial import legendre


def lobatto(degree):
    """@return the points of Gauss, Lobatto and Legendre"""
    return numpy.r_[-1, legendre.legroots(legendre.legder(numpy.eye(degree + 1)[degree])), 1]


def lagrange(nodes, x):
    """@return Lagrange polynomials of the nodes at x, and their derivatives: [x, node]"""
    degree = len(nodes) - 1
    inverse = numpy.linalg.inv(legendre.legvander(nodes, degree))
    slopes = numpy.stack([legendre.legval(x, legendre.legder(row)) if k else 0 * x for k, row in enumerate(numpy.eye(degree + 1))], 1)
    return legendre.legvander(x, degree) @ inverse, slopes @ inverse


def product(first, second):
    """@return products of polynomials of both coordinates: [point, node]"""
    return numpy.einsum("ai,bj->abij", first, second).reshape(len(first) * len(second), -1)


def place(radius, quarter, xi, eta):
    """@return x and y of points of an element, and their derivatives; xi = -1 is the wall, xi = 1 a side of the cell"""
    s, angle = (1 + xi) / 2, numpy.pi / 4 * eta
    at = [(1 - s) * radius * numpy.cos(angle) + s / 2, (1 - s) * radius * numpy.sin(angle) + s * eta / 2]
    along_xi = [(0.5 - radius * numpy.cos(angle)) / 2, (eta / 2 - radius * numpy.sin(angle)) / 2]
    along_eta = [-(1 - s) * radius * numpy.sin(angle) * numpy.pi / 4, (1 - s) * radius * numpy.cos(angle) * numpy.pi / 4 + s / 2]
    cos, sin = [(1, 0), (0, 1), (-1, 0), (0, -1)][quarter]
    return [(cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]) for v in (at, along_xi, along_eta)]


class Cell:
    """Stokes flow along x through the array, driven by a force of 1 at viscosity 1."""

    def __init__(self, solid, degree):
        radius, points = numpy.sqrt(solid / numpy.pi), lobatto(degree)
        quadrature, weights = legendre.leggauss(degree + 6)
        values, slopes = lagrange(points, quadrature)
        pressures = product(*2 * [lagrange(legendre.leggauss(degree - 1)[0], quadrature)[0]])
        self.values = product(values, values)
        numbers, wall, self.elements = {}, set(), []
        for quarter in range(4):
            xy = place(radius, quarter, *numpy.meshgrid(points, points, indexing="ij"))[0]
            names = [tuple(name) for name in numpy.round((numpy.stack(xy, -1).reshape(-1, 2) + 0.5 + 1e-9) % 1, 7)]
            index = numpy.array([numbers.setdefault(name, len(numbers)) for name in names])
            wall.update(index[:degree + 1])
            _, (dx, dy), (ex, ey) = [[v.ravel() for v in pair] for pair in place(radius, quarter, *numpy.meshgrid(quadrature, quadrature, indexing="ij"))]
            area = dx * ey - dy * ex
            along_xi, along_eta = product(slopes, values), product(values, slopes)
            gradient = [(ey / area)[:, None] * along_xi - (dy / area)[:, None] * along_eta, (dx / area)[:, None] * along_eta - (ex / area)[:, None] * along_xi]
            self.elements.append((index, numpy.outer(weights, weights).ravel() * area, gradient))
        self.nodes = len(numbers)
        self.laplace, self.mass = numpy.zeros((self.nodes, self.nodes)), numpy.zeros(self.nodes)
        each = pressures.shape[1]
        divergence = numpy.zeros((2, self.nodes, 4 * each))
        for e, (index, weight, gradient) in enumerate(self.elements):
            self.add(self.laplace, index, sum(g.T @ (weight[:, None] * g) for g in gradient))
            numpy.add.at(self.mass, index, self.values.T @ weight)
            for a in range(2):
                numpy.add.at(divergence[a], (index[:, None], numpy.arange(e * each, (e + 1) * each)), gradient[a].T @ (weight[:, None] * pressures))
        free = numpy.array([k for k in range(self.nodes) if k not in wall])
        n, m = len(free), 4 * each
        zero, diffuse = numpy.zeros((n, n)), self.laplace[numpy.ix_(free, free)]
        push = -divergence[:, free].reshape(2 * n, m)
        matrix = numpy.block([[numpy.block([[diffuse, zero], [zero, diffuse]]), push], [push.T, numpy.zeros((m, m))]])
        matrix[2 * n], matrix[2 * n, 2 * n] = 0, 1  # one pressure is given
        self.u = numpy.zeros((2, self.nodes))
        self.u[:, free] = numpy.linalg.solve(matrix, numpy.r_[self.mass[free], numpy.zeros(n + m)])[:2 * n].reshape(2, n)
        self.permeability = float(self.mass @ self.u[0])

    @staticmethod
    def add(matrix, index, values):
        """Both ends of a side are one node: a node may be listed twice."""
        numpy.add.at(matrix, (index[:, None], index), values)

    def dispersion(self, peclet):
        """@return D / D0 along x and y, per pore volume, at a Peclet number with the edge of the cell"""
        pores = self.mass.sum()
        mean = numpy.array([self.permeability / pores, 0])
        scale = peclet / mean[0]
        matrix, right = self.laplace.copy(), numpy.zeros((2, self.nodes))
        for index, weight, gradient in self.elements:
            u = [self.values @ component[index] for component in self.u]
            self.add(matrix, index, scale * self.values.T @ sum((weight * u[a])[:, None] * gradient[a] for a in range(2)))
            for a in range(2):
                numpy.add.at(right[a], index, scale * self.values.T @ (weight * (mean[a] - u[a])) - gradient[a].T @ weight)
        closure = numpy.zeros((2, self.nodes))
        closure[:, 1:] = numpy.linalg.solve(matrix[1:, 1:], right[:, 1:].T).T
        return [sum(float(weight @ sum((g @ closure[a][index] + (a == b))**2 for b, g in enumerate(gradient))) for index, weight, gradient in self.elements) / pores for a in range(2)]
