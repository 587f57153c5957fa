# SPDX-License-Identifier: Apache-2.0
"""What scripts/coverage finds of its runs, and docs/coverage.md of the results that it wrote to docs/verification/coverage-*.json."""
import json
import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUPS = (("ducts, plates, cylinders", ("pipe", "ellipse", "rectangle", "triangle", "plates", "cylinders")), ("sphere arrays, tilted pipes", ("spheres", "tilted pipe")),
          ("packs, Gaussian fields", ("pack", "field")))
# What must hold: part of the shapes inside the interval, median half-width over median error, part in which the best estimate is nearer than k of the voxels.
INSIDE, WIDTH, NEARER = 0.97, 4, 0.80


# ---- figures of one run ----


def figures(found, axis):
    """@return k of the voxels, the estimate of that of the shape, the half-width about it without domain boundaries, and how k moves with the walls, of which the
    estimate is made: {"k", "best", "half", "walls"}, in edges of the voxels squared"""
    k, bar = found["permeability"]["lu"][axis * 2], found["error_bar"]
    if "extrapolated" in bar:  # of rill before k of the shape was estimated: the limit of the staircase, beside an interval about k
        out = {"k": k, "half": k * bar["relative_without_sides"][axis]}
        value = bar["extrapolated"]["lu"][axis]
        if value is not None:
            out.update(best=value, best_half=value * bar["extrapolated"]["relative"][axis])
        return out
    best = bar["best_estimate"]["lu"][axis]
    walls = [bar["walls"][name + "_lu"][axis] for name in ("shift", "into_pores", "into_solids")]
    return {"k": k, "best": best, "half": best * bar["total_without_boundaries"][axis], "walls": walls}


# ---- figures of many ----


def known(cases):
    return [c for c in cases if "exact" in c and "half" in c]


def centre(c):
    """What the interval is about: the best estimate, or k where it had an interval of its own."""
    return c["k"] if "best_half" in c or "best" not in c else c["best"]


def inside(c):
    return abs(c["exact"] - centre(c)) <= c["half"]


def best_error(c):
    return abs(c.get("best", c["k"]) / c["exact"] - 1)


def nearer(c):
    return "best" in c and abs(c["best"] - c["exact"]) < abs(c["k"] - c["exact"])


def summary(cases):
    """@return count, part inside, medians of half-width, error of k and error of the best estimate, half-width over error, part nearer, best inside its own interval"""
    half = statistics.median(c["half"] / abs(centre(c)) for c in cases)
    error = statistics.median(best_error(c) for c in cases)
    own = sum(abs(c["exact"] - c["best"]) <= c["best_half"] for c in cases if "best_half" in c)
    return {"count": len(cases), "inside": sum(map(inside, cases)) / len(cases), "half": half, "k_error": statistics.median(abs(c["k"] / c["exact"] - 1) for c in cases),
            "error": error, "ratio": half / error if error else float("inf"), "nearer": sum(map(nearer, cases)) / len(cases),
            "own": own if any("best_half" in c for c in cases) else None}


def groups(cases):
    """@return (name, cases) of each group that has cases, of each family that is in none, and of all"""
    found = [(name, [c for c in cases if c["family"] in families]) for name, families in GROUPS]
    grouped = {family for _, families in GROUPS for family in families}
    found += [(family, [c for c in cases if c["family"] == family]) for family in dict.fromkeys(c["family"] for c in cases) if family not in grouped]
    return [(name, of) for name, of in found if of] + [("all", cases)]


def rows(cases):
    yield ("set", "shapes", "inside", "half", "error k", "error best", "half/error", "nearer", "own")
    for name, of in groups(known(cases)) if known(cases) else ():
        s = summary(of)
        yield (name, str(s["count"]), "%.1f %%" % (100 * s["inside"]), "%.1f %%" % (100 * s["half"]), "%.1f %%" % (100 * s["k_error"]), "%.1f %%" % (100 * s["error"]),
               "%.1f" % s["ratio"], "%.0f %%" % (100 * s["nearer"]), "–" if s["own"] is None else str(s["own"]))


def judge(cases, part_nearer=NEARER, width=WIDTH):
    """@return the sentences that say what does not hold"""
    of = known(cases)
    if not of:
        return ["no shape has an interval"]
    wrong, s = ["%s %d: no result: %s" % (c["family"], c["i"], c["why"]) for c in cases if "why" in c], summary(of)
    if s["inside"] < INSIDE:
        wrong.append("%.1f %% of the shapes have their exact k inside the interval, not %g %%" % (100 * s["inside"], 100 * INSIDE))
    if s["ratio"] > width:
        wrong.append("the median half-width is %.1f times the median error of the best estimate, more than %g" % (s["ratio"], width))
    if s["nearer"] < part_nearer:
        wrong.append("the best estimate is nearer to the exact k than that of the voxels in %.0f %%, not %g %%" % (100 * s["nearer"], 100 * part_nearer))
    return wrong


# ---- docs/coverage.md ----

HEAD = """# Does the interval hold k of the shape?

An image of voxels does not say where a wall runs within a voxel. `--error-bar` gives an estimate of k of the shape that the voxels were made of, and an interval
([method](method.md)). This page compares them with shapes whose exact k is known, on voxels of 5 to 24 to a pore:

* ducts at any angle (pipes, ellipses, rectangles, equilateral triangles), gaps between plates, square arrays of cylinders: k by their series and tables; every third one
  lies in the middle of its box and has whole numbers of voxels, so that all of its walls are displaced alike;
* simple, body- and face-centred cubic arrays of spheres; pipes that run askew through a periodic box;
* `--families formula` has these alone;
* packs of spheres that overlap and Gaussian fields, against walls where the shape has them on the same grid and on one of half the cell, extrapolated;
* `--families other`, to which no best estimate was fitted, but against which half-widths were chosen: annuli, twisted ducts, cones, channels between rough walls, minimal surfaces, packs of spheres of
  very different radii, capsules, wavy pipes.

`scripts/coverage --seed S` makes other shapes of the same families. The test accepts a set if at least {inside:g} % of its shapes have the exact k inside the interval, if the
median half-width is at most {width:g} times the median error of the best estimate (a normal error needs 3.2), and if the best estimate is nearer to the exact k than k of the
voxels in at least {nearer:g} %.

**Why the last limit is not met.** Whether k of the voxels is too large or too small is decided by where walls run within a voxel, and voxels do not say it. k of the voxels is too small in 76 % of the shapes. An estimate that moves k by an
amount however small in the direction that its walls suggest is nearer in 77 % where its constants come from other shapes, in 79 % where they come from the same (`scripts/coverage-fit`, step 0.01): no step is too large there, only the sign is
wrong in the rest. Walls along the lattice (plates, cylinders across it) can lie anywhere within half a voxel. Of plates that have the same voxels (those between which a random walk of 400 steps over their width and place went, without another voxel), k of the voxels is too
small in one part and too large in the other, so that an estimate that knew the family could be nearer in 75 % of them, and in 87 to 99 % of the ducts, pipes and arrays with a formula: what is missing is
knowledge of the family, not of the flow. Fields with pores of three to five voxels, where the lattice resolves the flow badly, have k of either sign of error. With the walls of the shape itself in place of those of the voxels, the same sensitivities give the change of k with a correlation of 0.9 to 1.0 in all families but packs and
fields: the sensitivities are good, the place of the walls is not known.

**Which part is missing.** All nine sets below but those of `--families other`, of `fine` and of before, 2,420 shapes, have 97.4 % inside at 4.1 times the median error, and 76.6 % nearer. With the right sign in each shape and the same step, 96.7 % would be nearer: the size of the step is not what fails. Of the third of
the shapes whose k of the voxels is closest to the exact one 65 % are nearer, of the other two thirds 83 %. To see what the neighbourhood states of a wall, its position on each link was learned (gradient-boosted trees) from some 60 numbers of its neighbourhood: distances and curvatures after smoothing by 0.8 to 3 voxels, normals, room,
depth of pore and solid along the link, extent of the face to each side. Trained on 1,590 of 2,120 shapes (the nine sets but 9101) and asked about the others, these positions have a correlation of 0.74 with the exact ones once they are weighted with S, but

| in the estimate, constants from the other sets | sign right | nearer with a fifth of the way |
|---|--:|--:|
| b, b², P (as it is) | 78.4 % | 77.1 % |
| and Σ S (d − 1/2)/k with d as learned | 78.3 % | 77.1 % |
| and that times b, too | 78.5 % | 77.3 % |
| and Σ S (d − 1/2)/k with d of the exact walls | 88.7 % | 87.6 % |

So walls where they are would make 84 to 90 % of each set nearer, and nothing that was tried finds them from voxels of two values well enough for 80 %.

**More of the same flow.** The crossing of the links with the surface of σ = 1.0, m = Σ S (d − 1/2)/k with d its place between the two voxels, and the curvature κ of that of 1.4, weighted in the same
way, q = Σ S κ/Σ S, were tried in a prototype on 975 shapes: 265 of seed 53, the first 231 of 7001, 479 with a formula of 7002 and 7004. Constants are by least absolute errors on those of the other two columns:

| in the estimate | sign right, seed 53, 7001, 7002 and 7004 | nearer with a fifth of the way |
|---|--:|--:|
| b, b², P (as it is) | 79.2, 77.9, 78.5 % | 77.4, 75.8, 77.7 % |
| and b m | 80.4, 80.5, 79.1 % | 78.5, 78.4, 78.5 % |
| and b m, P q | 80.4, 81.0, 80.0 % | 78.9, 78.8, 79.5 % |
| and all of twelve such sums | 80.0, 81.4, 80.2 % | 78.1, 79.7, 79.3 % |

On seed 20261231, with constants of all of these, the sign is right in 74.0, 75.5 and 75.8 % of 265 shapes in the first three rows (nearer with a fifth of the way: 73.6, 74.7 and 75.5 %): a gain of two per cent, and not 80 %, so that no such sum was built in. Random forests of 20 sums (walls by their angle to the
lattice, curvature and room, both crossings, porosity over k), cross-validated on 975 shapes, name the sign in 82 to 83 %, of which a fifth of the way, which oversteps where the error is small, costs one to two.
On 334 fresh shapes (seed 20261231 and the first 69 of 7003) a forest of 600 trees and 16 sums that was trained on the 975 names it in 79.9 %, boosted trees in 77.5 %, and the forest that knows the family, too, in 78.7 %: not even these are nearer in 80 % of fresh shapes. Trained without the
family that it is asked about, the forest names the sign in 78.1 % of all 1,309 shapes: 59 % of plates, 67 % of cylinders, 73 % of fields, and 80 to 90 % of the others. The reason is the same in each:
where the correction is below 0.3 of its error, 0.02 a + 0.6 P, the sign is right in 65 % of 210 of 795 fresh shapes (50 to 59 % with the crossings), which is a coin's; where it is above 0.6, in 87 % of 171. A step so small that it oversteps nowhere would gain the count and say
nothing more than k of the voxels, so that it is not made.

**Fresh shapes.** 795 shapes of three seeds on which nothing was chosen (below) have their exact k inside in 97.2 % (98.5, 97.4 and 95.8 %), at 4.2 times the median error (3.6, 4.6 and 4.1), and the best estimate is nearer in 74.5 % (74, 73 and 77 %), where k of the voxels is too small in 72 %. Of 795 shapes with a formula of
three more seeds (8101 to 8103, below), on which nothing was chosen either, 96.2 % are inside (95.8, 97.7 and 95.1 %), at 3.9 times the median error (4.2, 3.6 and 3.7), and the best estimate is nearer in 78.5 % (76, 77 and 83 %); 20 of the 30 outside are pipes askew. Seed 9101 has 99.0 % of 300 inside at 4.7, and 76 % nearer; all 1,095 of these four seeds 97.0 % at 4.1, and 77.7 %. Seed 112953, after all of these, has 97.7 % of 265 inside at 4.1, and 79 % nearer. So sets of 265 shapes scatter about
all three limits; ten of the 22 shapes outside are pipes askew.

**Small steps.** A larger step has less error and is nearer less often, since the error scatters by several times the correction: shapes of seed 53, constants from the same,

| part of the way | median error | half-width / error | nearer than k |
|--:|--:|--:|--:|
| 0.01 | 3.19 % | 3.2 | 78.9 % |
| 0.2 (chosen) | 2.72 % | 3.8 | 77.7 % |
| 0.4 | 2.44 % | 4.2 | 75.8 % |
| 0.6 | 2.24 % | 4.6 | 74.3 % |
| 1 | 2.00 % | 5.2 | 68.3 % |

With constants of one half of the shapes on the other half, a fifth of the way is nearer in 75.1 %, off by 2.78 %. The constants before were nearer in 71.7 % and off by 2.44 %, but their interval held 95.7 % of 555 shapes with a formula of seeds 20261129, 20261201 and
20261205 (`--families known`, without packs and fields) at 4.4 to 4.7 times the median error, in place of 96.8 % at 4.1 to 4.6 times. Half-widths were chosen on these seeds. On seed 20261212, on which nothing was chosen (below), the constants before held 96.6 % at 4.05 times the median error, were nearer in 72.1 % and off by 3.10 %; these hold 97.7 % at 3.87, are nearer in 77.0 % and off by 3.57 %. The ratio is below 4
on that seed and on 53, not on each: with the packs and fields of seed 53 beside those of each seed, no half-width of a grid of 0.4 to 1.1 P + 0.02 to 0.07 a, with up to four times its square, held 97 % of each at a mean ratio below 3.98 at this step. What fails are pipes askew of 6 voxels, whose whole wall is displaced alike while its slopes leave it little room.

**Other half-widths.** Linear quantile regression at 0.975 on the 975 shapes, of half-widths from thirteen sums, gained most by Σ S room (1 − n)/k, n the largest component of the normal of a wall: with P, a, P² and it the half-width is 3.65 times the median error on the 334 fresh
shapes, of which 98.2 % are inside (as it is 3.90 and 98.8 %). But of each of the four sets of training, with constants of the other three, 99.6, 97.8, 96.6 and 98.1 % are inside at 3.7, 3.1, 4.1 and 3.8 (as it is 99.6, 99.6, 97.4 and 98.1 % at 3.8, 3.4, 4.4 and 4.0): 97 % and 4 do not hold
on each of them either way, so that it was not built in. Again, with the sums of all nine sets in a prototype: constants from the eight others, with P, a, P² and that sum, give the ninth 95.5 to 99.2 % inside at 3.4 to 5.0 times the median error (mean 97.5 % at 4.1), and seed 9101, on which nothing was chosen, 97.0 % at 4.6, where the half-width as it is has
98.7 % at 4.7. A set of 265 shapes has a median error of 2.3 to 3.7 %, so that one half-width has ratios of 3.6 to 4.7: it is that scatter, and not the form of the half-width, which takes sets across the limit of {width:g}. Of 62 shapes outside, 56 have the larger k; an interval that reaches farther up than down, fitted in the same way, holds 97.8 % at 3.8 in the mean of eight sets (P, a, P²,
that sum and one of room times curvature), and 4.5 on the worst of them, seed 7003.

`--error-bar=fine` adds runs on a surface through the voxels. They lower the error of the best estimate, most in packs and fields; that of plates remains a matter of chance.
Intervals fail most often in pipes of 5 to 8 voxels, where all of the wall is displaced alike: askew ones have k of voxels up to 24 % too small, and one of 7 voxels in the middle of
its box, whose wall runs through centres of voxels, 33 %. `scripts/tables` makes this page from the results in [verification](verification).

"""


def table(cases):
    of = list(rows(cases))[1:]
    own = any(row[-1] != "–" for row in of)
    yield "| set | shapes | exact k inside | median half-width | median error of k | of the best estimate | half-width / error | nearer than k |%s\n" % (
        " exact k within extrapolated ± its uncertainty |" if own else "")
    yield "|---|--:|--:|--:|--:|--:|--:|--:|%s\n" % ("--:|" if own else "")
    for row in of:
        yield "| %s |\n" % " | ".join(row if own else row[:-1])


def section(found):
    cases = found["cases"]
    yield "## %s\n\n" % found["title"]
    yield "%d shapes, the largest of %s voxels, %d with an exact value from finer grids. `scripts/coverage --families %s --seed %d --first %d --count %d%s`, rill %s, %s.\n\n" % (
        len(cases), format(max(c["voxels"][0] * c["voxels"][1] * c["voxels"][2] for c in cases), ","), sum("uncertain" in c for c in known(cases)),
        found["families"], found["seed"], found["first"], found["count"], "".join(" --options=" + o for o in found.get("options", []) if o != "--error-bar"), found["software"], found["date"])
    yield from table(cases)
    yield "\n" + ("Not accepted: %s.\n" % "; ".join(found["wrong"]) if found["wrong"] else "Accepted.\n")


def page():
    text = HEAD.format(inside=100 * INSIDE, width=WIDTH, nearer=100 * NEARER)
    found = [json.loads(path.read_text()) for path in sorted((ROOT / "docs/verification").glob("coverage-*.json"))]
    return text + "\n".join("".join(section(of)) for of in found)


def made():
    """Return {path: text}, and files that are not made any more: none."""
    return {ROOT / "docs/coverage.md": page()}, []
