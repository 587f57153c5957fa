# SPDX-License-Identifier: Apache-2.0
"""Shapes of scripts/coverage, each with a permeability that is known without voxels. A shape is a function of the place, positive in its pore,
periodic in its box; lengths are in voxels. Where there is no formula, the exact value comes from finer grids (scripts/coverage)."""
import math
import pathlib

import numpy

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
# Of 53 shapes: 29 ducts, plates and cylinders, 8 spheres and tilted pipes, 16 packs and Gaussian fields.
KNOWN = ("pipe", "field", "rectangle", "plates", "pack", "ellipse", "spheres", "cylinders", "field", "triangle", "tilted pipe", "pack", "pipe", "plates",
         "field", "rectangle", "cylinders", "pack", "ellipse", "pipe", "field", "spheres", "rectangle", "triangle", "pack", "plates", "cylinders", "tilted pipe",
         "field", "ellipse", "pipe", "pack", "rectangle", "cylinders", "field", "plates", "spheres", "ellipse", "pack", "triangle", "pipe", "cylinders", "field",
         "tilted pipe", "rectangle", "pack", "plates", "ellipse", "field", "spheres", "cylinders", "tilted pipe", "pack")


class Shape:
    """A pore in a periodic box of `voxels` along x, y, z: level(x, y, z) > 0 in the pore, k in voxel edges squared or None, width of the pore."""

    def __init__(self, voxels, axis, level, k, width):
        self.voxels, self.axis, self.level, self.k, self.width = tuple(int(n) for n in voxels), axis, level, k, float(width)

    def values(self, finer=1):
        """@return level at the centres of voxels, finer of them along each edge, as [x, y, z], in edges of these voxels"""
        n = [m * finer if m > 1 else 1 for m in self.voxels]
        places = numpy.meshgrid(*[(numpy.arange(m) + 0.5) * of / m for m, of in zip(n, self.voxels)], indexing="ij")
        return self.level(*places) * finer


# ---- ducts along z: exact by their series ----


def rectangle_flow(width, height):
    """Volume flow for unit pressure gradient over viscosity: White, Viscous Fluid Flow, 3rd edition, eq. 3-48."""
    width, height = max(width, height), min(width, height)
    n = numpy.arange(1, 200, 2)
    return width * height**3 / 12 * (1 - 192 * height / (math.pi**5 * width) * numpy.sum(numpy.tanh(n * math.pi * width / 2 / height) / n**5))


def turned(random, width, height, symmetric):
    """@return box, coordinates along the sides of a duct: anywhere at any angle, or in the middle at a round one"""
    n = math.ceil(math.hypot(width, height) + 4)
    angle = math.radians(random.choice([0, 10, 20, 30, 45])) if symmetric else random.uniform(0, math.pi)
    middle = numpy.full(2, n / 2) if symmetric else n / 2 + random.uniform(-0.5, 0.5, 2)
    c, s = math.cos(angle), math.sin(angle)
    return n, lambda x, y: (c * (x - middle[0]) + s * (y - middle[1]), c * (y - middle[1]) - s * (x - middle[0]))


def sizes(random, aspect, symmetric):
    height = random.integers(5, 20) if symmetric else random.uniform(5, 24)
    return min(height * (random.choice([1, 1.5, 2]) if symmetric else random.uniform(1, 2.5)), 30) if aspect else height, height


def ellipse(random, symmetric, aspect=True):
    """k of an ellipse: White, eq. 3-47."""
    width, height = sizes(random, aspect, symmetric)
    n, along = turned(random, width, height, symmetric)
    a, b = width / 2, height / 2

    def level(x, y, z):
        u, v = along(x, y)
        r = numpy.sqrt((u / a)**2 + (v / b)**2) + 1e-12
        return (1 - r) * r / numpy.sqrt((u / a / a)**2 + (v / b / b)**2 + 1e-24)

    return Shape((n, n, 1), 2, level, math.pi * a**3 * b**3 / 4 / (a * a + b * b) / n**2, height)


def pipe(random, symmetric):
    return ellipse(random, symmetric, False)


def rectangle(random, symmetric):
    width, height = sizes(random, True, symmetric)
    n, along = turned(random, width, height, symmetric)

    def level(x, y, z):
        u, v = along(x, y)
        return numpy.minimum(width / 2 - abs(u), height / 2 - abs(v))

    return Shape((n, n, 1), 2, level, rectangle_flow(width, height) / n**2, height)


def triangle(random, symmetric):
    """Equilateral: k by White, eq. 3-49."""
    _, height = sizes(random, False, symmetric)
    edge = 1.5 * height
    n, along = turned(random, edge, edge, symmetric)

    def level(x, y, z):
        u, v = along(x, y)
        inside = edge / math.sqrt(12)
        return numpy.minimum(inside + v, inside - v / 2 - math.sqrt(0.75) * abs(u))

    return Shape((n, n, 1), 2, level, math.sqrt(3) * edge**4 / 320 / n**2, inside_width(edge))


def inside_width(edge):
    return edge / math.sqrt(3)  # of the inscribed circle


def plates(random, symmetric):
    """A gap at the angle of a lattice vector, so that the box repeats it; k = H^3/12 per distance of the gaps."""
    a, b = [(1, 0), (0, 1), (1, 1), (1, 2), (2, 1), (1, 3), (3, 2)][random.integers(7)]
    gap = float(random.integers(5, 20)) if symmetric else random.uniform(5, 24)
    n = math.ceil((gap + random.uniform(3, 6)) * math.hypot(a, b))
    apart, phase = n / math.hypot(a, b), 0.5 if symmetric else random.uniform(0, 1)
    gap = min(gap, apart - 2.2)

    def level(x, y, z):
        return gap / 2 - abs(((a * x + b * y) / n + phase) % 1 - 0.5) * apart

    return Shape((n, n, 1), 2, level, gap**3 / 12 / apart, gap)


def annulus(random, symmetric):
    """k between two pipes of the same axis: White, eq. 3-51."""
    outer = random.uniform(7, 14)
    inner = random.uniform(0.1, 1) * (outer - 5)
    n, along = turned(random, 2 * outer, 0, symmetric)
    flow = math.pi / 8 * (outer**4 - inner**4 - (outer**2 - inner**2)**2 / math.log(outer / inner))

    def level(x, y, z):
        r = numpy.hypot(*along(x, y))
        return numpy.minimum(outer - r, r - inner)

    return Shape((n, n, 1), 2, level, flow / n**2, outer - inner)


# ---- arrays: exact by the tables of data/ ----


def rows(name):
    with open(DATA / name) as file:
        return [line.split(",") for line in file if line.strip() and not line.startswith("#")][1:]


def distance(middles, voxels):
    """@return level: distance to the closest of spheres (x, y, z, radius) in a periodic box; z of None: cylinders along z"""

    def level(x, y, z):
        best = numpy.full(x.shape, numpy.inf)
        for *middle, radius in middles:
            squares = 0
            for place, at, n in zip((x, y, z), middle, voxels):
                if at is not None:
                    apart = abs(place - at) % n
                    squares = squares + numpy.minimum(apart, n - apart)**2
            best = numpy.minimum(best, numpy.sqrt(squares) - radius)
        return best

    return level


def cylinders(random, symmetric):
    """Flow across a square array; the drag is Sangani and Acrivos's."""
    table = rows("cylinder-arrays.csv")
    solid, drag = (float(value) for value in table[random.integers(len(table))])
    gap = 1 - 2 * math.sqrt(solid / math.pi)
    n = random.integers(max(10, int(5 / gap)), max(14, int(16 / gap)))
    middle = [n / 2, n / 2] if symmetric else random.uniform(0, n, 2)
    return Shape((n, n, 1), 0, distance([(*middle, None, n * math.sqrt(solid / math.pi))], (n, n, 1)), n * n / drag, n * gap)


def spheres(random, symmetric):
    """Simple, body- and face-centred cubic arrays; the drag is Zick and Homsy's."""
    table = rows("sphere-arrays.csv")
    name, solid, drag = table[random.integers(len(table))]
    cell = {"SC": [(0, 0, 0)], "BCC": [(0, 0, 0), (0.5, 0.5, 0.5)], "FCC": [(0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)]}[name.strip()]
    n = random.integers(12, 28)
    radius = n * (3 * float(solid) / (4 * math.pi * len(cell)))**(1 / 3)
    first = numpy.full(3, 0.5) if symmetric else random.uniform(0, 1, 3)
    middles = [(*((first + place) % 1 * n), radius) for place in cell]
    return Shape((n, n, n), random.integers(3), distance(middles, (n, n, n)), n * n / (6 * math.pi * len(cell) * radius / n * float(drag)), n - 2 * radius)


# ---- pipes that run askew through a periodic box: k = pi R^4/8 cos(angle) per area ----


def tilted_pipe(random, symmetric):
    n = random.integers(14, 26)
    direction = numpy.array([(1, 0, 1), (1, 1, 1), (0, 1, 1)][random.integers(3)], float)
    length = numpy.linalg.norm(direction)
    direction /= length
    width = random.uniform(5, min(14, n / length - 3))
    middle = numpy.full(3, n / 2) if symmetric else random.uniform(0, n, 3)

    def level(x, y, z):
        best = numpy.full(x.shape, numpy.inf)
        for i, j, k in numpy.ndindex(3, 3, 3):
            from_ = [place - at + n * (shift - 1) for place, at, shift in zip((x, y, z), middle, (i, j, k))]
            along = sum(d * e for d, e in zip(from_, direction))
            best = numpy.minimum(best, sum(d * d for d in from_) - along * along)
        return width / 2 - numpy.sqrt(numpy.maximum(best, 0))

    return Shape((n, n, n), 2, level, math.pi * (width / 2)**4 / 8 * direction[2] / n**2, width)


# ---- without a formula: finer grids ----


def pack(random, symmetric, count=(3, 8), spread=None):
    """Spheres that overlap, of about one radius."""
    n, m, pores = random.integers(16, 25), random.integers(*count), random.uniform(0.35, 0.6)
    radii = random.uniform(0.8, 1.2, m) if spread is None else random.lognormal(0, spread, m)
    radii = numpy.minimum(radii * (n**3 * (1 - pores) * 3 / 4 / math.pi / numpy.sum(radii**3))**(1 / 3), 0.45 * n)
    return Shape((n, n, n), random.integers(3), distance([(*random.uniform(0, n, 3), r) for r in radii], (n, n, n)), None, numpy.mean(radii) / 2)


def field(random, symmetric):
    """A Gaussian field of random waves, cut at a level."""
    n, most = random.integers(16, 25), random.integers(2, 4)
    waves = [k for k in ((numpy.array(i) - most) for i in numpy.ndindex(*[2 * most + 1] * 3)) if most**2 / 3 <= k @ k <= most**2 + 1]
    waves = [waves[i] for i in random.choice(len(waves), random.integers(10, 20), replace=False)]
    phases, cut = random.uniform(0, 2 * math.pi, len(waves)), random.uniform(-0.1, 0.3)

    def level(x, y, z):
        height = sum(numpy.cos(2 * math.pi * (k[0] * x + k[1] * y + k[2] * z) / n + phase) for k, phase in zip(waves, phases))
        return (height / math.sqrt(len(waves) / 2) + cut) * n / (2 * math.pi * 0.8 * most)

    return Shape((n, n, n), random.integers(3), level, None, n / most / 2)


def mixed_pack(random, symmetric):
    """Spheres of very different radii."""
    return pack(random, symmetric, (6, 14), 0.5)


def twisted_duct(random, symmetric):
    """An elliptical duct that turns by half a turn from one period to the next."""
    height = random.uniform(6, 12)
    width, length = height * random.uniform(1.2, 1.8), random.integers(16, 32)
    n = math.ceil(width + 4)
    middle, phase = n / 2 + random.uniform(-0.5, 0.5, 2), random.uniform(0, math.pi)
    a, b = width / 2, height / 2

    def level(x, y, z):
        angle = math.pi * z / length + phase
        u = numpy.cos(angle) * (x - middle[0]) + numpy.sin(angle) * (y - middle[1])
        v = numpy.cos(angle) * (y - middle[1]) - numpy.sin(angle) * (x - middle[0])
        r = numpy.sqrt((u / a)**2 + (v / b)**2) + 1e-12
        return (1 - r) * r / numpy.sqrt((u / a / a)**2 + (v / b / b)**2 + 1e-24)

    return Shape((n, n, length), 2, level, None, height)


def cone(random, symmetric):
    """A pipe that widens and narrows as two cones."""
    radius, part, length = random.uniform(3.5, 7), random.uniform(0.2, 0.45), random.integers(12, 28)
    n = math.ceil(2 * radius * (1 + part) + 4)
    middle, phase = n / 2 + random.uniform(-0.5, 0.5, 2), random.uniform(0, 1)
    slope = math.hypot(1, 4 * part * radius / length)

    def level(x, y, z):
        wave = 2 * abs(2 * ((z / length + phase) % 1) - 1) - 1
        return (radius * (1 + part * wave) - numpy.hypot(x - middle[0], y - middle[1])) / slope

    return Shape((n, n, length), 2, level, None, 2 * radius * (1 - part))


def rough_channel(random, symmetric):
    """Flow between two walls of random waves, in two dimensions."""
    length, gap = random.integers(20, 40), random.uniform(6, 14)
    n = math.ceil(1.5 * gap + 5)
    walls = [[(k, random.uniform(0, 2 * math.pi), random.uniform(0.3, 1) * 0.12 * gap / math.sqrt(k)) for k in (1, 2, 3)] for _ in range(2)]
    middle = n / 2 + random.uniform(-0.5, 0.5)

    def level(x, y, z):
        up, down = (gap / 2 + sum(size * numpy.cos(2 * math.pi * k * x / length + phase) for k, phase, size in wall) for wall in walls)
        return numpy.minimum(up - (y - middle), down + (y - middle))

    return Shape((length, n, 1), 0, level, None, gap)


def minimal_surface(random, symmetric):
    """One side of a gyroid, of Schwarz's primitive or of his diamond surface, shifted."""
    n, kind, phases, cut = random.integers(12, 22), random.integers(3), random.uniform(0, 2 * math.pi, 3), random.uniform(-0.4, 0.4)
    sin, cos = numpy.sin, numpy.cos

    def level(*places):
        x, y, z = (2 * math.pi * place / n + phase for place, phase in zip(places, phases))
        if kind == 0:
            height = sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x)
        elif kind == 1:
            height = cos(x) + cos(y) + cos(z)
        else:
            height = sin(x) * sin(y) * sin(z) + sin(x) * cos(y) * cos(z) + cos(x) * sin(y) * cos(z) + cos(x) * cos(y) * sin(z)
        return (height + cut) * n / (2 * math.pi) / 1.5

    return Shape((n, n, n), random.integers(3), level, None, n / 3)


def capsules(random, symmetric):
    """Flow through a periodic pack of two capsules (cylinders with round ends) at random."""
    n, pores = random.integers(16, 24), random.uniform(0.5, 0.75)
    ends = [(random.uniform(0, n, 3), random.normal(0, 1, 3)) for _ in range(random.integers(2, 5))]
    ends = [(at, to / numpy.linalg.norm(to) * random.uniform(0.2, 0.45) * n) for at, to in ends]
    long_ = [numpy.linalg.norm(to) for _, to in ends]
    radius = min(math.sqrt(n**3 * (1 - pores) / (math.pi * sum(long_) + 1e-9)), 0.3 * n)

    def level(x, y, z):
        best = numpy.full(x.shape, numpy.inf)
        for at, to in ends:
            for shift in numpy.ndindex(3, 3, 3):
                from_ = [place - a + n * (s - 1) for place, a, s in zip((x, y, z), at, shift)]
                along = numpy.clip(sum(d * t for d, t in zip(from_, to)) / (to @ to), 0, 1)
                best = numpy.minimum(best, sum((d - along * t)**2 for d, t in zip(from_, to)))
        return numpy.sqrt(best) - radius

    return Shape((n, n, n), random.integers(3), level, None, n / 4)


def wavy_pipe(random, symmetric):
    """A pipe whose axis is a sine wave."""
    radius, length = random.uniform(3, 6.5), random.integers(16, 30)
    sway = random.uniform(0.15, 0.5) * radius
    n = math.ceil(2 * (radius + sway) + 4)
    middle, phase = n / 2 + random.uniform(-0.5, 0.5, 2), random.uniform(0, 2 * math.pi)

    def level(x, y, z):
        return radius - numpy.hypot(x - middle[0] - sway * numpy.sin(2 * math.pi * z / length + phase), y - middle[1])

    return Shape((n, n, length), 2, level, None, 2 * radius)


MAKERS = {"pipe": pipe, "ellipse": ellipse, "rectangle": rectangle, "triangle": triangle, "plates": plates, "annulus": annulus, "cylinders": cylinders,
          "spheres": spheres, "tilted pipe": tilted_pipe, "pack": pack, "field": field, "mixed pack": mixed_pack, "twisted duct": twisted_duct, "cone": cone,
          "rough channel": rough_channel, "minimal surface": minimal_surface, "capsules": capsules, "wavy pipe": wavy_pipe}
OTHER = ("annulus", "twisted duct", "cone", "rough channel", "minimal surface", "mixed pack", "capsules", "wavy pipe")
FORMULA = tuple(name for name in KNOWN if name not in ("pack", "field"))
FAMILIES = {"known": KNOWN, "other": OTHER, "formula": FORMULA, **{name: (name,) for name in MAKERS}}
# Every third shape of those with a formula lies in the middle of its box, of whole numbers of voxels: its walls are all displaced alike.
SYMMETRIC = 3


def shape(seed, i, families):
    """@return family and Shape of number i: the same whatever the count"""
    name = FAMILIES[families][i % len(FAMILIES[families])]
    random = numpy.random.default_rng([seed, i])
    return name, MAKERS[name](random, i % SYMMETRIC == 0)
