# SPDX-License-Identifier: Apache-2.0
"""What scripts/honesty finds of its runs, and docs/uncertainty.md of the results that it wrote to docs/verification/uncertainty-*.json."""
import json
import math
import pathlib
import statistics

from variants import names

ROOT = pathlib.Path(__file__).resolve().parent.parent
ACCELERATIONS = ("auto", "none", "network")
FORMATS = names("STORAGE_16")
CHECK_SECONDS = 2
# Options that change the flow that is asked for, so that the reference needs them too, and options that do not.
PHYSICS = ("--magic 0.001", "--magic 100", "--collision srt --tau 0.6", "--collision mrt", "--collision central-moment", "--collision cumulant",
           "--lattice d3q27", "--lattice d3q15", "--axis xyz")
OPTIONS = (*PHYSICS, "--tolerance 1e-4", "--tolerance 0.01", "--tau 0.51", "--tau 3")
# The share of pore spaces that may have no result, and the factor within which steps are planned.
REFUSALS, PLANNED = 0.02, 3


# ---- figures of the runs ----


def exact(c, key):
    """The reference of a run: k, and the runs that it is from."""
    of = c.get("physics", {}).get(key, c)
    return of["k"], [f for f in of["reference"] if f["k"] is not None]


def ratio(value, uncertainty, known):
    """Error over uncertainty, less what the best of the references [value, uncertainty] is uncertain by."""
    right, within = min(known, key=lambda f: f[1])
    error = max(abs(value - right) - within, 0)
    return error / uncertainty if uncertainty else math.inf if error > 0 or uncertainty is None else 0.0


def results(cases, key):
    """Those of a run that have a k, with their pore spaces and references."""
    for c in cases:
        r = c["runs"].get(key)
        if r and r["k"] is not None:
            yield c, r, *exact(c, key)


def share(cases, key):
    """Ratios of error to uncertainty of the runs that print a k, with their numbers."""
    ratios = [(abs(r["k"] / k - 1) / max(r["u"], 1e-12) if r["u"] is not None else math.inf, c["i"], c["family"])
              for c, r, k, _ in results(cases, key)]
    return sorted(ratios, reverse=True)


def across(cases, key):
    """The same of the other entries of the tensor, the worst one of each run."""
    ratios = []
    for c, r, _, known in results(cases, key):
        of = []
        for entry, (value, u) in r.get("entries", {}).items():
            right = [f["entries"][entry] for f in known if entry in f.get("entries", {}) and f["entries"][entry][1] is not None]
            if entry != "zz" and value is not None and right:
                of.append(ratio(value, u, right))
        ratios += [(max(of), c["i"], c["family"])] if of else []
    return sorted(ratios, reverse=True)


def tortuosities(cases, key):
    """The same of the tortuosities."""
    ratios = []
    for c, r, _, known in results(cases, key):
        right = [[f["t"], f["ut"]] for f in known if f.get("ut") is not None]
        if r.get("t") is not None and right and "ut" in r:
            ratios.append((ratio(r["t"], r["ut"], right), c["i"], c["family"]))
    return sorted(ratios, reverse=True)


def unknown(cases, key):
    """How many results have no tortuosity."""
    return sum(r["t"] is None for _, r, *_ in results(cases, key) if "ut" in r)


def median_uncertainty(cases, key):
    """That of the tortuosities, relative."""
    runs = [c["runs"].get(key) for c in cases]
    return statistics.median([r["ut"] / r["t"] for r in runs if r and r.get("ut") is not None] or [math.nan])


def refused(cases):
    """Pore spaces without a result by auto, and those of them that steps were made in."""
    none = [c for c in cases if "auto" in c["runs"] and c["runs"]["auto"]["k"] is None]
    return none, [c for c in none if c["runs"]["auto"].get("steps") != 0]


def plans(cases):
    """Steps made over steps planned of the runs by auto, with their numbers."""
    runs = [(c["runs"]["auto"], c) for c in cases if "auto" in c["runs"]]
    return sorted((r["steps"] / r["planned"], c["i"], c["family"]) for r, c in runs if r["k"] is not None and r.get("planned"))


def unlike(ratios):
    """How many runs took other steps than planned, beyond the factor that is allowed."""
    return sum(not 1 / PLANNED <= r <= PLANNED for r, *_ in ratios)


def beyond(ratios):
    """How many are above u, and above 2 u."""
    return sum(r > 1 for r, *_ in ratios), sum(r > 2 for r, *_ in ratios)


def table(cases):
    """Rows of the table, one for each kind of run: what, tried, results, steps."""
    known = [c for c in cases if "k" in c]
    rows = []
    for key in (*ACCELERATIONS, *FORMATS, *OPTIONS, "moved"):
        tried = [c for c in known if key in c["runs"]]
        if tried:
            rows.append((key, len(tried), share(known, key), sum(c["runs"][key].get("steps", 0) for c in tried)))
    return rows


# ---- the page ----

NAMES = {"auto": "`--acceleration auto`", "none": "`--acceleration none`", "network": "`--acceleration network`",
         "moved": "auto, the periodic image cut at other planes", **{x: "`--storage %s`" % x for x in FORMATS}, **{x: "`%s`" % x for x in OPTIONS}}


def cells(ratios):
    """The last columns of a table: how many are above u, above 2 u, and the largest."""
    above, far = beyond(ratios)
    largest = ", ".join("%.2f (%s %d)" % (r, f.replace("_", " "), i) for r, i, f in ratios[:3])
    return "%d (%.1f %%) | %d | %s |" % (above, 100 * above / max(len(ratios), 1), far, largest or "–")


HEAD = "error above u | error above 2 u | largest errors, in u |"


def tensor_table(cases):
    """Lines of the page; none of results from before the entries across the axis were compared."""
    known, text = [c for c in cases if "k" in c], []
    for key, *_ in table(cases):
        of = across(known, key)
        text += ["| %s | %d | %s" % (NAMES[key], len(of), cells(of))] if of else []
    return ["", "| run | with entries across the axis | " + HEAD, "|---|--:|--:|--:|---|"] + text if text else []


def tortuosity_table(cases):
    """Lines of the page; none of results from before the tortuosity had an uncertainty."""
    known, text = [c for c in cases if "k" in c], []
    for key, *_ in table(cases):
        of = tortuosities(known, key)
        if of:
            text.append("| %s | %d | %d | %.2g %% | %s" % (NAMES[key], len(of), unknown(known, key), 100 * median_uncertainty(known, key), cells(of)))
    return ["", "| run | tortuosities | not known | median u | " + HEAD, "|---|--:|--:|--:|--:|--:|---|"] + text if text else []


def plan_lines(cases):
    """What became of the plans of auto; nothing of results from before they were kept."""
    ratios, (none, late) = plans(cases), refused(cases)
    if not ratios:
        return []
    return ["", "`--acceleration auto` had no result in %d pore spaces, in %d of them after steps. Its runs took %.2f to %.2f times the planned steps, "
            "%d of %d more or less than %d times." % (len(none), len(late), ratios[0][0], ratios[-1][0], unlike(ratios), len(ratios), PLANNED)]


def anew_lines(found):
    """Which runs of a file were made by another commit than the others."""
    text = []
    for made in found.get("again", []):
        what = ", ".join(NAMES[key] for key in made["runs"])
        where = "" if made["cases"] == len(found["cases"]) else " in %d of the pore spaces" % made["cases"]
        where += " with `--backend %s`" % made["backend"] if "backend" in made else ""
        text += ["%s made anew with rill %s, %s, %s: %s%s." %
                 ("Planned steps, beside steps that were made before," if made["plans"] else "Runs",
                  made["software"], made["processor"], made["date"], what, where), ""]
    return text


def section(found):
    """Lines of the page on a file of results."""
    cases, families = found["cases"], found.get("families", "narrow")
    lost = sum("k" not in c and bool(c["runs"]) for c in cases)
    text = ["## " + found["title"], "",
            "%d pore spaces of %d families, the largest of %s voxels. %d have a permeability; %s do not percolate. "
            "`scripts/honesty%s --seed %d --first %d --count %d --backend %s`, rill %s, %s." %
            (len(cases), len({c["family"] for c in cases}), format(max(c["shape"][0] * c["shape"][1] * c["shape"][2] for c in cases), ","),
             sum("k" in c for c in cases), "the others" if not lost else "%d more have no reference; the others" % lost, "" if families == "narrow" else " --families " + families, found["seed"], found["first"], found["count"],
             found["backend"], found["software"], found["date"]), "",
            "| run | tried | results | steps in all | " + HEAD, "|---|--:|--:|--:|--:|--:|---|"]
    text[-2:-2] = anew_lines(found)
    rows = table(cases)
    text += ["| %s | %d | %d | %d | %s" % (NAMES[key], tried, len(ratios), steps, cells(ratios)) for key, tried, ratios, steps in rows]
    text += tensor_table(cases) + tortuosity_table(cases) + plan_lines(cases)
    within = all(r <= 1 for _, _, ratios, _ in rows for r, *_ in ratios)
    return text + ["", "Not accepted: " + "; ".join(found["wrong"]) + "." if found["wrong"] else
                   "Accepted." + (" The error was at most u in all %d results." % sum(len(ratios) for _, _, ratios, _ in rows) if within else ""), ""]


def page():
    text = ["# Is the uncertainty a bound?", "",
            "Is the error of k within the uncertainty u that `rill permeability` prints? And that of the tortuosity, and of the entries of the tensor across the axis? "
            "This page compares them in random pore spaces, most of them of at most 10⁵ voxels, whose families are chosen because they converge slowly or unevenly:", "",
            "* narrow pores: ducts with dead-end chambers behind straight and L-shaped "
            "throats of one to three voxels, chambers in series and in parallel with ducts, serpentines, boxes with pierced plates, rough "
            "fractures, sticks, noise near its percolation threshold without and with vugs, overlapping spheres, Gaussian fields;",
            "* `--families wide`, pores of tens of voxels, where runs start from coarser grids: overlapping spheres, "
            "ducts and spherical caverns behind throats, caverns in fine packings, pierced plates far apart, channels beside fine pores, Gaussian fields;",
            "* `--families folded`, ducts of one or two voxels, whose pressures are large against a flow of k from 10⁻³ down to 10⁻⁹: serpentines, Hilbert curves and "
            "spirals in layers, Hilbert curves through a cube, mazes without and with loops, mazes with chambers;",
            "* `--families dilute`, few walls: pierced membranes of one voxel, boxes of a few voxels along one or two axes, wide channels, specks in an open box, "
            "slices across far-apart cylinders, across many discs and through Gaussian fields.", "",
            "A quarter of them has mirrored boundaries, of folded ducts one in twelve; some of the last two sets have walls or mirrors at single boundaries.", "",
            "rill computes each pore space to the default tolerance of 0.1 %% unless the options say otherwise. The reference is fp64 to a tolerance of 10⁻⁶ with the pore "
            "network, and with the same lattice, collision and magic parameter. Time steps alone repeat the reference where they end within %d s. Where both have a k, the two "
            "agree to 10⁻⁵. A run without a result ended with exit code 2 and a reason, or took longer than a minute. `scripts/tables` makes this page from the "
            "results in [verification](verification)." % CHECK_SECONDS, "",
            "The test accepts a table if in every row the error of every number is at most its u (of tortuosities and of entries across the axis: less the uncertainty of the "
            "reference), if `auto` has a result wherever another acceleration has one and in all but %d %% of the pore spaces, refuses these before the first step, and takes "
            "no more and no less than %d times the planned steps, if `int16s` has no result, and if k of a periodic image does not depend, within both "
            "uncertainties, on where it is cut. Results of before 2026-11-27 have neither entries across the axis nor planned steps." % (100 * REFUSALS, PLANNED), ""]
    for path in sorted((ROOT / "docs/verification").glob("uncertainty-*.json")):
        text += section(json.loads(path.read_text()))
    return "\n".join(text)


def made():
    """Return {path: text}, and files that are not made any more: none."""
    return {ROOT / "docs/uncertainty.md": page()}, []
