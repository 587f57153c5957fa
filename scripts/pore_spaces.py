# SPDX-License-Identifier: Apache-2.0
"""Random pore spaces of scripts/honesty, in sets of families that each converge slowly, unevenly, or to a flow that is small against its pressures.
Arrays are [z, y, x], the flow is along z, and the box is periodic unless its sides say otherwise."""
import numpy

PORE, SOLID = 0, 1


# ---- narrow pores ----


def solid(z, y, x):
    return numpy.full((z, y, x), SOLID, numpy.uint8)


def dead_end(random):
    """A duct with chambers beside it, behind straight or L-shaped throats."""
    width, chamber, throat = random.integers(3, 9), random.integers(8, 19), random.integers(1, 4)
    count, bent = random.integers(1, 3), random.random() < 0.5
    away = 2 + width + random.integers(3, 8)
    length = count * (chamber + 2) + random.integers(2, 24)
    side = away + chamber + 2
    a = solid(length, max(side, 2 + width + 2), side)
    a[:, 2:2 + width, 2:2 + width] = PORE
    for i in range(count):
        z = 1 + i * (chamber + 2)
        y = 2 + (random.integers(0, max(side - chamber - 4, 1)) if bent else 0)
        y = min(y, side - chamber - 2)
        a[z:z + chamber, y:y + chamber, away:away + chamber] = PORE
        c = z + random.integers(0, chamber - throat + 1)
        into = random.integers(2, 2 + max(width - throat, 0) + 1)
        if bent:  # along y out of the duct, then along x into the chamber
            beyond = max(y + chamber // 2, 2 + width + 1)
            a[c:c + throat, 2:beyond + throat, into:into + throat] = PORE
            a[c:c + throat, beyond:beyond + throat, into:away + 1] = PORE
        else:
            a[c:c + throat, into:into + throat, 2:away + 1] = PORE
    return a


def series(random):
    """Chambers one after the other, behind walls with holes of 1 to 3 voxels."""
    width, wall, count = random.integers(6, 31), random.integers(1, 4), random.integers(1, 4)
    gap = random.integers(6, 33)
    a = solid(count * (gap + wall), width + 2, width + 2)
    for i in range(count):
        z, hole = i * (gap + wall), random.integers(1, 4)
        a[z:z + gap, 1:1 + width, 1:1 + width] = PORE
        y, x = random.integers(1, 2 + width - hole, 2)
        a[z + gap:z + gap + wall, y:y + hole, x:x + hole] = PORE
    return a


def parallel(random):
    """The same beside a duct."""
    a, duct = series(random), random.integers(1, 6)
    wide = solid(a.shape[0], max(a.shape[1], duct + 2), a.shape[2] + duct + 2)
    wide[:, :a.shape[1], :a.shape[2]] = a
    wide[:, 1:1 + duct, a.shape[2]:a.shape[2] + duct] = PORE
    return wide


def serpentine(random):
    width, wall, turns = random.integers(1, 6), random.integers(1, 4), 2 * random.integers(1, 6)
    n = random.integers(4 * width + 2, 40)
    a = solid(turns * (width + wall), width + 2, n + 2)
    for i in range(turns):
        z = i * (width + wall)
        a[z:z + width, 1:1 + width, 1:n + 1] = PORE
        x = n + 1 - width if i % 2 == 0 else 1
        a[z + width:z + width + wall, 1:1 + width, x:x + width] = PORE
    return a


def middles(n, count):
    """The planes of plates that cut n planes into alike parts."""
    return [(2 * i + 1) * n // (2 * count) for i in range(count)]


def pierce(a, random, planes, least, most):
    """Open a square hole of random size and place through planes."""
    hole = random.integers(least, most)
    y, x = random.integers(0, a.shape[1] - hole, 2)
    a[planes, y:y + hole, x:x + hole] = PORE


def plates(random):
    """An open box with pierced plates across it."""
    n, side, count = random.integers(24, 65), random.integers(8, 33), random.integers(1, 3)
    a = numpy.full((n, side, side), PORE, numpy.uint8)
    for z in middles(n, count):
        a[z:z + random.integers(1, 5)] = SOLID
    for _ in range(random.integers(1, 4)):
        pierce(a, random, slice(None), 1, 4)
    return a


def waves(random, shape, shortest):
    """A Gaussian random field of zero mean and unit variance, periodic, with nothing below a wave length."""
    k = [numpy.fft.fftfreq(n) for n in shape]
    k = numpy.sqrt(sum(g * g for g in numpy.meshgrid(*k, indexing="ij")))
    field = numpy.fft.ifftn(numpy.fft.fftn(random.standard_normal(shape)) * numpy.exp(-(k * shortest) ** 2)).real
    return (field - field.mean()) / field.std()


def fracture(random):
    """Between two rough surfaces that touch here and there."""
    n, m, height = random.integers(24, 65), random.integers(16, 49), random.integers(8, 17)
    aperture, roughness = random.uniform(2, 7), random.uniform(0.3, 2.5)
    below, above = (roughness * waves(random, (n, m), random.uniform(4, 12)) for _ in range(2))
    y = numpy.arange(height)[None, :, None]
    middle = height / 2
    open_ = (y > middle - aperture / 2 + below[:, None, :]) & (y < middle + aperture / 2 + above[:, None, :])
    return numpy.where(open_, PORE, SOLID).astype(numpy.uint8)


def sticks(random):
    """Straight fibres along the axes, periodic."""
    n = random.integers(20, 49, 3)
    a = numpy.full(n, PORE, numpy.uint8)
    while (a == PORE).mean() > random.uniform(0.4, 0.9):
        axis, radius = random.integers(0, 3), random.uniform(1, 4)
        others = [b for b in range(3) if b != axis]
        grid = numpy.meshgrid(*(numpy.arange(n[b]) for b in others), indexing="ij")
        away = [numpy.abs(g - random.uniform(0, n[b])) for g, b in zip(grid, others)]
        away = [numpy.minimum(d, n[b] - d) for d, b in zip(away, others)]
        disc = away[0] ** 2 + away[1] ** 2 < radius ** 2
        a[numpy.broadcast_to(numpy.expand_dims(disc, int(axis)), n)] = SOLID
    return a


def noise(random):
    """Independent voxels, a little above the percolation threshold of 0.3116."""
    n = random.integers(16, 41, 3)
    return numpy.where(random.random(n) < random.uniform(0.33, 0.5), PORE, SOLID).astype(numpy.uint8)


def balls(random, n, count, low, high):
    """True inside overlapping spheres, periodic."""
    inside = numpy.zeros(n, bool)
    grid = numpy.meshgrid(*(numpy.arange(m) for m in n), indexing="ij")
    for _ in range(count):
        away = [numpy.abs(g - random.uniform(0, m)) for g, m in zip(grid, n)]
        away = [numpy.minimum(d, m - d) for d, m in zip(away, n)]
        inside |= sum(d * d for d in away) < random.uniform(low, high) ** 2
    return inside


def vugs(random):
    a = noise(random)
    a[balls(random, a.shape, random.integers(1, 7), 3, 8)] = PORE
    return a


def spheres(random):
    n = random.integers(24, 49, 3)
    a = numpy.full(n, PORE, numpy.uint8)
    least = random.uniform(0.15, 0.7)
    radius = random.uniform(3, 10)
    while (a == PORE).mean() > least:
        a[balls(random, n, 1, radius, 1.2 * radius)] = SOLID
    return a


def field(random):
    n = random.integers(24, 49, 3)
    return numpy.where(waves(random, n, random.uniform(2, 8)) < random.uniform(-0.9, 0.6), PORE,
                       SOLID).astype(numpy.uint8)


# ---- wide pores ----


def wide_spheres(random):
    n = random.integers(48, 81, 3)
    a = numpy.full(n, PORE, numpy.uint8)
    least, radius = random.uniform(0.2, 0.6), random.uniform(12, 26)
    while (a == PORE).mean() > least:
        a[balls(random, n, 1, radius, 1.1 * radius)] = SOLID
    return a


def wide_dead_end(random):
    """A wide duct, and as wide a cavern beside it, behind a throat."""
    width, cavern, throat = random.integers(14, 27), random.integers(16, 33), random.integers(2, 8)
    wall, length = random.integers(2, 7), random.integers(34, 65)
    side = max(width, cavern) + 2
    a = solid(length, side, width + wall + cavern + 2)
    a[:, 1:1 + width, 1:1 + width] = PORE
    z, y = random.integers(0, length - cavern + 1), random.integers(1, side - cavern)
    a[z:z + cavern, y:y + cavern, 1 + width + wall:1 + width + wall + cavern] = PORE
    c, d = z + random.integers(0, cavern - throat), random.integers(1, min(width, cavern) - throat + 1)
    a[c:c + throat, max(d, y):max(d, y) + throat, width:2 + width + wall] = PORE
    return a


def caverns(random):
    """Spherical caverns behind one another, some of them dead ends, with throats between them."""
    n = random.integers(44, 73, 3)
    a, grid = solid(*n), numpy.meshgrid(*(numpy.arange(m) for m in n), indexing="ij")
    count, throat = random.integers(2, 5), random.integers(2, 9)
    centres = [[(k + 0.5) * n[0] / count, *(random.uniform(0, m) for m in n[1:])] for k in range(count)]
    for k in range(count):
        radius = random.uniform(7, min(18, min(n) / 2.5))
        away = [numpy.minimum(abs(g - c), m - abs(g - c)) for g, c, m in zip(grid, centres[k], n)]
        a[sum(d * d for d in away) < radius ** 2] = PORE
        here, there = [int(c) for c in centres[k]], [int(c) for c in centres[(k + 1) % count]]
        z = [(here[0] + d) % n[0] for d in range((there[0] - here[0]) % n[0] + throat or n[0])]
        a[numpy.ix_(z, [(here[1] + d) % n[1] for d in range(throat)], [(here[2] + d) % n[2] for d in range(throat)])] = PORE
        low, high = min(here[1], there[1]), max(here[1], there[1]) + throat
        a[there[0]:there[0] + throat, low:high, here[2]:here[2] + throat] = PORE
        low, high = min(here[2], there[2]), max(here[2], there[2]) + throat
        a[there[0]:there[0] + throat, there[1]:there[1] + throat, low:high] = PORE
    return a


def cavern_in_pack(random):
    """Fine overlapping spheres with one or two wide caverns, too few to be seen in a percentile."""
    n = random.integers(48, 73, 3)
    a = numpy.full(n, PORE, numpy.uint8)
    least, radius = random.uniform(0.2, 0.5), random.uniform(4, 7)
    while (a == PORE).mean() > least:
        a[balls(random, n, 20, radius, 1.2 * radius)] = SOLID
    a[balls(random, n, random.integers(1, 3), 9, 20)] = PORE
    return a


def wide_plates(random):
    n, side = random.integers(40, 81), random.integers(18, 49)
    a, count = numpy.full((n, side, side), PORE, numpy.uint8), random.integers(1, 3)
    for z in middles(n, count):
        a[z:z + random.integers(1, 7)] = SOLID
        for _ in range(random.integers(1, 3)):
            pierce(a, random, slice(z, z + 7), 3, 14)
    return a


def channel_and_pores(random):
    """A wide channel beside fine pores that are open to it."""
    n = random.integers(40, 65, 3)
    a, width = numpy.full(n, PORE, numpy.uint8), random.integers(12, 25)
    least = random.uniform(0.3, 0.6)
    while (a == PORE).mean() > least:
        a[balls(random, n, 20, 3, 6)] = SOLID
    a[:, :width, :random.integers(12, 25)] = PORE
    return a


def wide_field(random):
    n = random.integers(48, 81, 3)
    return numpy.where(waves(random, n, random.uniform(10, 24)) < random.uniform(-0.7, 0.6), PORE,
                       SOLID).astype(numpy.uint8)


# ---- folded ducts: k of 1e-3 down to 1e-9, where pressures are large against the flow ----


def duct(path, cells, width, wall, joins=()):
    """Draw a duct through the cells [z, y, x] of a path, of the given width with walls between its passes. It goes on from its last cell to
    its first through the periodic face along z, and between the two cells of every one of joins."""
    pitch = width + wall
    a = solid(*(n * pitch for n in cells))
    steps = list(zip(path, path[1:])) + list(joins)
    for cell in {c for step in steps for c in step}:
        a[tuple(slice(c * pitch, c * pitch + width) for c in cell)] = PORE
    for one, other in steps:
        low = [min(c, d) * pitch for c, d in zip(one, other)]
        high = [max(c, d) * pitch + width for c, d in zip(one, other)]
        a[tuple(slice(c, d) for c, d in zip(low, high))] = PORE
    if path:
        z, y, x = (c * pitch for c in path[-1])
        a[z:, y:y + width, x:x + width] = PORE
    return a


def layers(flat, count):
    """The path that runs through layer after layer along a flat path, forwards and backwards: an even count ends where it begins."""
    path = []
    for z in range(count):
        path += [(z, *c) for c in (flat if z % 2 == 0 else flat[::-1])]
    return path


def thin(random):
    """Width and wall of a duct: one voxel mostly."""
    return int(random.choice((1, 1, 1, 2))), int(random.choice((1, 1, 2)))


def folded(random):
    """A serpentine in each of two or four layers."""
    width, wall = thin(random)
    rows, columns = (int(random.integers(4, 1 + max(90 // (width + wall), 5))) for _ in range(2))
    flat = [(y, x if y % 2 == 0 else columns - 1 - x) for y in range(rows) for x in range(columns)]
    count = 2 if rows * columns > 700 else int(random.choice((2, 2, 4)))
    return duct(layers(flat, count), (count, rows, columns), width, wall)


def hilbert_path(order, dimensions):
    """Cells of the Hilbert curve (Skilling 2004, AIP Conf. Proc. 707, 381)."""
    cells = []
    for h in range(1 << (order * dimensions)):
        x = [0] * dimensions
        for bit in range(order * dimensions):
            digit = order * dimensions - 1 - bit
            x[bit % dimensions] |= (h >> digit & 1) << (order - 1 - bit // dimensions)
        carry = x[-1] >> 1
        for i in range(dimensions - 1, 0, -1):
            x[i] ^= x[i - 1]
        x[0] ^= carry
        q = 2
        while q != 1 << order:
            for i in range(dimensions - 1, -1, -1):
                if x[i] & q:
                    x[0] ^= q - 1
                else:
                    change = (x[0] ^ x[i]) & (q - 1)
                    x[0] ^= change
                    x[i] ^= change
            q <<= 1
        cells.append(tuple(x))
    return cells


def hilbert(random):
    """A Hilbert curve: flat in two layers, or through a cube from face to face."""
    width, wall = thin(random)
    if random.random() < 0.6:
        order = int(random.integers(2, 6 if width + wall == 2 else 5))
        return duct(layers(hilbert_path(order, 2), 2), (2, 1 << order, 1 << order), width, wall)
    order = int(random.integers(2, 5 if width + wall == 2 else 4))
    path = hilbert_path(order, 3)
    along = next(d for d in range(3) if path[-1][d] != 0)  # the curve ends at the other end of this axis
    path = [(c[along], *(c[d] for d in range(3) if d != along)) for c in path]
    return duct(path, (1 << order,) * 3, width, wall)


def spiral(random):
    """Inwards in one layer, outwards in the next."""
    width, wall = thin(random)
    n = int(random.integers(5, 1 + max(80 // (width + wall), 6)))
    path, seen, at, step = [], set(), (0, 0), (0, 1)
    while True:
        path.append(at)
        seen.add(at)
        for _ in range(2):
            to, beyond = (tuple(c + k * d for c, d in zip(at, step)) for k in (1, 2))
            if all(0 <= c < n for c in to) and to not in seen and beyond not in seen:
                break
            step = (step[1], -step[0])
        else:
            break
        at = to
    return duct(layers(path, 2), (2, n, n), width, wall)


def maze(random):
    """A random tree of ducts through all cells, with a share of further joins that close loops."""
    width, wall = thin(random)
    flat = random.random() < 0.5
    most = (72 if flat else 32) // (width + wall)
    n = [2 if flat else int(random.integers(4, most + 1)), *(int(random.integers(4, most + 1)) for _ in range(2))]
    loops = float(random.choice((0, 0.003, 0.01, 0.03, 0.1)))
    seen, stack, joins = {(0, 0, 0)}, [(0, 0, 0)], []
    while stack:
        at = stack[-1]
        near = [tuple(c + s * (e == d) for e, c in enumerate(at)) for d in range(3) for s in (-1, 1)]
        inside = [c for c in near if all(0 <= m < k for m, k in zip(c, n))]
        joins += [(at, c) for c in inside if c in seen and random.random() < loops / 6]
        new = [c for c in inside if c not in seen]
        if not new:
            stack.pop()
            continue
        to = new[random.integers(0, len(new))]
        joins.append((at, to))
        seen.add(to)
        stack.append(to)
    a = duct([], n, width, wall, joins)
    for _ in range(1 if random.random() < 0.7 else 3):
        y, x = (int(random.integers(0, m)) * (width + wall) for m in n[1:])
        a[-wall:, y:y + width, x:x + width] = PORE
    return a


def tree_with_chambers(random):
    """A maze, with chambers at some of its cells."""
    a = maze(random)
    for _ in range(random.integers(1, 5)):
        size = [min(int(random.integers(3, 9)), n) for n in a.shape]
        at = [int(random.integers(0, n - s + 1)) for n, s in zip(a.shape, size)]
        a[tuple(slice(c, c + s) for c, s in zip(at, size))] = PORE
    return a


# ---- few walls: dilute media, thin boxes, wide channels ----


def membrane(random):
    """Membranes of one voxel across an open box, pierced by a few holes of one or two voxels, or by many."""
    n, sides = random.integers(6, 49), random.integers(8, 33, 2)
    a = numpy.full((n, *sides), PORE, numpy.uint8)
    for z in random.choice(n, random.integers(1, 4), replace=False):
        a[z] = SOLID
        if random.random() < 0.5:
            a[z][random.random(sides) < random.uniform(0.005, 0.2)] = PORE
        for _ in range(random.integers(1, 3)):
            hole = random.integers(1, 3)
            y, x = (random.integers(0, m - hole + 1) for m in sides)
            a[z, y:y + hole, x:x + hole] = PORE
    return a


def thin_box(random):
    """A field, or overlapping discs, in a box with one or two axes of a few voxels."""
    n = random.integers(40, 97, 3)
    across = random.permutation(3)[:random.integers(1, 3)]
    n[across] = random.integers(1, 7, len(across))
    if random.random() < 0.5:
        return numpy.where(waves(random, n, random.uniform(3, 16)) < random.uniform(-0.3, 1.5), PORE, SOLID).astype(numpy.uint8)
    a, least = numpy.full(n, PORE, numpy.uint8), random.uniform(0.4, 0.97)
    while (a == PORE).mean() > least:
        a[balls(random, n, 1, 2, 9)] = SOLID
    return a


def wide_channel(random):
    """A channel between walls far apart, in a box of a few voxels along and across, with or without a bump."""
    length, across = random.integers(1, 9, 2)
    width, wall = random.integers(40, 261), random.integers(1, 5)
    a = numpy.full((length, width + wall, across), PORE, numpy.uint8)
    a[:, :wall] = SOLID
    if random.random() < 0.4:
        z, y = random.integers(0, length), random.integers(wall, wall + width)
        a[z:z + random.integers(1, 4), y:y + random.integers(1, 9)] = SOLID
    return a if random.random() < 0.7 else a.transpose(0, 2, 1).copy()


def specks(random):
    """A few cubes of one to three voxels in an open box."""
    n = random.integers(16, 49, 3)
    a = numpy.full(n, PORE, numpy.uint8)
    for _ in range(random.integers(1, 4)):
        size = random.integers(1, 4)
        a[tuple(slice(c, c + size) for c in (random.integers(0, m - size + 1) for m in n))] = SOLID
    return a


def discs(random, n, radius, share):
    """Solid discs in the plane z, y, periodic, that may overlap."""
    a, grid = numpy.full(n, PORE, numpy.uint8), numpy.meshgrid(*(numpy.arange(m) for m in n), indexing="ij")
    while True:
        away = [numpy.abs(g - random.uniform(0, m)) for g, m in zip(grid, n)]
        away = [numpy.minimum(d, m - d) for d, m in zip(away, n)]
        a[away[0] ** 2 + away[1] ** 2 < (radius * random.uniform(0.8, 1.2)) ** 2] = SOLID
        if (a == SOLID).mean() >= share:
            return a


def cylinders(random):
    """A slice across far-apart cylinders, one to three voxels thick."""
    n = random.integers(40, 201, 2)
    a = discs(random, n, random.uniform(1.5, 0.12 * min(n)), random.uniform(0.001, 0.08))
    return numpy.repeat(a[:, :, None], random.choice((1, 1, 3)), 2)


def crowded_discs(random):
    """A slice across many discs, up to 400 voxels wide."""
    n = random.choice((64, 100, 150, 200, 400), p=(0.3, 0.3, 0.2, 0.15, 0.05))
    a = discs(random, (n, n), random.uniform(0.03, 0.12) * n, random.uniform(0.1, 0.4))
    return a[:, :, None].copy()


def flat_field(random):
    """A slice of a field, one to three voxels thick."""
    n = random.integers(40, 161, 2)
    a = numpy.where(waves(random, n, random.uniform(4, 30)) < random.uniform(0.2, 1.6), PORE, SOLID).astype(numpy.uint8)
    return numpy.repeat(a[:, :, None], random.choice((1, 1, 2, 3)), 2)


FAMILIES = {
    "narrow": (dead_end, series, parallel, serpentine, plates, fracture, sticks, noise, vugs, spheres, field),
    "wide": (wide_spheres, wide_dead_end, caverns, cavern_in_pack, wide_plates, channel_and_pores, wide_field),
    "folded": (folded, hilbert, maze, spiral, tree_with_chambers),
    "dilute": (membrane, thin_box, wide_channel, specks, cylinders, crowded_discs, flat_field),
}


def geometry(seed, i, families="narrow"):
    """Return name, voxels and sides of a geometry, shifted periodically by a random distance."""
    random = numpy.random.default_rng([seed, i])
    family = FAMILIES[families][i % len(FAMILIES[families])]
    a = family(random)
    share = 0.08 if families == "folded" else 0.25  # mirrors and walls close most folded ducts
    sides = "mirror" if random.random() < share else "periodic"
    shift = [int(random.integers(0, n)) for n in a.shape]
    if families in ("folded", "dilute") and random.random() < share:
        across = [str(random.choice(("periodic", "mirror", "wall"))) for _ in range(2)]
        sides = ",".join([*across, sides])
    return family.__name__, numpy.roll(a, shift, (0, 1, 2)), sides
