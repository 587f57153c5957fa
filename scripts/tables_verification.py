# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/suites.md and docs/formats.md, and the figures of the latter, from the JSON files that `rill verify --json` wrote to
docs/verification/."""
import json
import math
import pathlib
import re

from variants import names

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs/pictures"


def reports(suite):
    """Return [(file name, report)] of a suite in the order of the names."""
    files = [(p.name, json.loads(p.read_text())) for p in sorted((ROOT / "docs/verification").glob("*.json"))]
    return [(name, r) for name, r in files if r.get("suite") == suite]


def formats():
    """Return (file name, report) of the formats, from the full set where there is one."""
    return max(reports("formats"), key=lambda named: named[1]["set"] == "full")


def report_with(key):
    """Return (file name, report) of the formats with these series, or None."""
    return next((named for named in reports("formats") if key in named[1]["series"]), None)


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def linked(text):
    """Return a source with its doi as a link."""
    return re.sub(r"doi:(\S*[^\s,;.])", r"[doi](https://doi.org/\1)", text)


def number(value, digits=6):
    if value is None:
        return "–"
    text = f"{value:.{digits}g}"
    return re.sub(r"e([+-])0*(\d+)", r"e\1\2", text).replace("e+", "e")


# ---- the reference table --------------------------------------------------------------------------


def storage_of(report):
    return next(part for part in report["variant"].split("-") if part in names("STORAGE"))


def outcome(check):
    """Return what was found, and how far that is off."""
    if check["reason"]:
        return "none"
    text = number(check["found"])
    if check["expected"] is not None:
        off = check["deviation"]
        text += f" ({100 * off:+.2g} %)" if check["measure"] == "relative" else f" ({off:+.2g})"
    return text if check["pass"] else f"**{text}: failed**"


def demand(check):
    """Return what is expected and the limit."""
    limit = "" if check["limit"] is None else number(check["limit"], 3)
    if check["measure"] == "at most":
        return "–", f"at most {limit}" if limit else "–"
    if check["measure"] == "at least":
        return "–", f"at least {limit}" if limit else "–"
    expected = number(check["expected"], 9)
    if not limit:
        return expected, "–"
    return expected, f"{number(100 * check['limit'], 3)} %" if check["measure"] == "relative" else limit


def title(check, report):
    """Return what a check's case computes; cases with the same description are told apart by their names."""
    cases = {c["case"] for c in report["checks"] if c["what"] == check["what"]}
    return check["what"] + (f" ({check['case'].split('/', 1)[1]})" if len(cases) > 1 else "")


def checks_of(suite):
    """Return a table for each device, set, commit and kind of walls: a row for each check, a column for each format."""
    groups = {}
    for name, report in reports(suite):
        base = report["variant"].replace("-" + storage_of(report), "")
        groups.setdefault((report["device"], report["set"], base, report["software"] if suite == "vessels" else "", report.get("walls")), []).append((name, report))
    text = ""
    order = ["fp64", "fp32", "fp16s", "fp16c"]
    for (device, which, variant, _, walls), members in groups.items():
        members.sort(key=lambda m: (order + [storage_of(m[1])]).index(storage_of(m[1])))
        passed = sum(c["pass"] for _, r in members for c in r["checks"])
        total = sum(len(r["checks"]) for _, r in members)
        kind = ", quadratic walls" if walls == "quadratic" else ""
        text += f"\n### {device}: {variant}, {which} set{kind}\n\n{passed} of {total} checks passed. "
        text += ", ".join(f"[{storage_of(r)}](verification/{n}): {r['seconds']:.0f} s" for n, r in members)
        text += f"; rill {members[0][1]['software']}, {members[0][1]['date']}.\n\n"
        text += row(["flow", "what", "expected", f"limit, {storage_of(members[0][1])}"] +
                    [storage_of(r) for _, r in members] + ["source"])
        text += "|---|---|--:|--:|" + "--:|" * len(members) + "---|\n"
        last = None
        for k, check in enumerate(members[0][1]["checks"]):
            columns = []
            for _, r in members:
                same = [c for c in r["checks"] if (c["case"], c["check"]) == (check["case"], check["check"])]
                columns.append(outcome(same[0]) if same else "not run")
            unit = f", {check['unit']}" if check["unit"] else ""
            text += row([title(check, members[0][1]) if check["case"] != last else "", check["check"] + unit, *demand(check),
                         *columns, linked(check["source"])])
            last = check["case"]
    return text


# ---- formats --------------------------------------------------------------------------------------


def curves(series):
    """Return {(storage, shift): y}."""
    return {(c["storage"], c["shift"]): c["y"] for c in series["curves"]}


def table_of(series, title, digits=2):
    text = f"\n{title}\n\n" + row(["format"] + [f"{x:g}, {s}" for x in series["x"] for s in ("shifted", "plain")])
    text += "|---|" + "--:|--:|" * len(series["x"]) + "\n"
    values = curves(series)
    for storage in dict.fromkeys(s for s, _ in values):
        pairs = [number(values[storage, shift][i], digits) if (storage, shift) in values else "–" for i in range(len(series["x"]))
                 for shift in ("shifted", "plain")]
        text += row([storage] + pairs)
    return text


TABLES = [
    ("pipe-radius/error", "Pipe, Re 10, u = 0.1: L2 error against the exact profile, by radius:"),
    ("pipe-radius/rounding", "The same, L2 distance to what fp64 makes of it: rounding alone."),
    ("pipe-speed-10/rounding", "Pipe, Re 10: rounding, by the velocity on the axis:"),
    ("pipe-speed-1/rounding", "Pipe, Re 1: rounding, by the velocity on the axis:"),
    ("pipe-speed-100/rounding", "Pipe, Re 100: rounding, by the velocity on the axis:"),
    ("cavity/distance", "Lid-driven cavity: largest distance to fp64 on the centre lines, over U, by Reynolds number:"),
    ("street/strouhal", "Kármán street: Strouhal number, by diameter:"),
    ("street/drag", "Kármán street: mean drag coefficient, by diameter:"),
    ("spheres-wide/permeability", "Simple cubic spheres, c = 0.216: k over that of fp64, less 1, by τ:"),
    ("spheres-narrow/permeability", "Simple cubic spheres, c = 0.5: the same."),
    ("packing/permeability", "Random packing, τ and force as `rill permeability` chooses; column 30: 30 times the force."),
    ("rock/permeability", "Fontainebleau, corner, mirrored sides, the same:"),
]


def heading(name, report):
    passed = sum(c["pass"] for c in report["checks"])
    return (f"\n[{name}](verification/{name}): {report['set']} set, {report['device']}, rill {report['software']}, "
            f"{report['date']}, {report['seconds']:.0f} s; {passed} of {len(report['checks'])} checks passed.\n")


def assertions(report):
    text = "\nWhat the suite asserts:\n\n" + row(["flow", "what", "found", "limit"]) + "|---|---|--:|--:|\n"
    last = None
    for check in report["checks"]:
        expected, limit = demand(check)
        text += row([check["what"] if check["case"] != last else "", check["check"], outcome(check),
                     limit if expected == "–" else f"{expected} ± {limit}"])
        last = check["case"]
    return text


def format_tables():
    name, report = formats()
    text = heading(name, report)
    for key, title in TABLES:
        if key in report["series"]:
            text += table_of(report["series"][key], title, 4 if "street" in key else 2)
    return text + assertions(report)


def capsule_table():
    """Return the deformation at the end, and the largest distance to that of fp64 at any time, by format."""
    name, report = report_with("capsule/deformation")
    found, off = (curves(report["series"]["capsule/" + key]) for key in ("deformation", "rounding"))
    end = report["series"]["capsule/deformation"]["x"][-1]
    text = heading(name, report) + f"\nDeformation at a strain of {end:.3g}, and its largest distance to that of fp64 at any time:\n\n"
    text += row(["format", "shifted", "distance", "plain", "distance"]) + "|---|--:|--:|--:|--:|\n"

    def farthest(values):
        known = [v for v in values if v is not None]
        return "diverges" if len(known) < len(values) else number(max(known), 2)

    for storage in dict.fromkeys(s for s, _ in found):
        cells = [storage]
        for shift in ("shifted", "plain"):
            key = storage, shift
            cells += [number(found[key][-1], 5), "–" if key == ("fp64", "shifted") else farthest(off[key])]
        text += row(cells)
    return text + assertions(report)


# ---- figures --------------------------------------------------------------------------------------

# In the order of the formats; further ones begin again.
PALETTE = ("#7f7f7f", "#000000", "#ff9896", "#d62728", "#1f77b4", "#2ca02c", "#98df8a", "#bcbd22", "#9467bd", "#17becf", "#e377c2")
COLOURS = {name: PALETTE[k % len(PALETTE)] for k, name in enumerate(names("STORAGE"))}

ROUGH = [name for name in COLOURS if name != "fp64"]  # of interest where fp64 is the measure


def draw(axes, series, only=None, absolute=False, scale="log"):
    for (storage, shift), y in curves(series).items():
        if only and storage not in only:
            continue
        points = [(x, abs(v) if absolute else v) for x, v in zip(series["x"], y) if v is not None and v != 0]
        few = len(series["x"]) < 20
        axes.plot([p[0] for p in points], [p[1] for p in points], "-" if shift == "shifted" else ":",
                  marker="." if few else None, ms=4, lw=1.2, color=COLOURS[storage],
                  label=storage if shift == "shifted" else None)
    axes.set_xlabel(series["x_name"], fontsize=8)
    axes.set_ylabel(series["y_name"], fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3, lw=0.5)
    axes.set_yscale(scale)


def legend(figure):
    """Put one legend for all panels on the right of them."""
    from matplotlib.lines import Line2D
    handles = [Line2D([], [], color=c, lw=1.5, label=name) for name, c in COLOURS.items()]
    handles += [Line2D([], [], color="k", lw=1, ls=":", label="plain"), Line2D([], [], color="k", lw=1, label="shifted")]
    figure.legend(handles=handles, fontsize=7, loc="center right", frameon=False)


def save(figure, name):
    """Write a figure with a palette, which is half of the bytes."""
    from PIL import Image
    path = FIGURES / f"{name}.png"
    width = figure.get_size_inches()[0]
    figure.tight_layout(rect=(0, 0, 1 - 0.75 / width, 1))
    figure.savefig(path, dpi=90)
    Image.open(path).convert("RGB").quantize(160, method=Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


def figures():
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    _, report = formats()
    all_series = report["series"]

    def panels(count, height=3.2):
        figure, axes = pyplot.subplots(1, count, figsize=(3.6 * count + 0.75, height), squeeze=False)
        return figure, axes[0]

    figure, axes = panels(2)
    for a, key in zip(axes, ("pipe-radius/error", "pipe-radius/rounding")):
        draw(a, all_series[key], ROUGH if "rounding" in key else None)
        a.set_xscale("log", base=2)
    legend(figure)
    save(figure, "formats-pipe-radius")

    keys = [k for k in ("pipe-speed-1/rounding", "pipe-speed-10/rounding", "pipe-speed-100/rounding") if k in all_series]
    figure, axes = panels(len(keys))
    for a, key in zip(axes, keys):
        draw(a, all_series[key], ROUGH)
        a.set_xscale("log")
        a.set_title("Re " + key.split("-")[2].split("/")[0], fontsize=8)
    legend(figure)
    save(figure, "formats-pipe-speed")

    figure, axes = panels(2)
    series = all_series["vortex/energy"]
    floats = [name for name in COLOURS if name.startswith("fp")]
    for a, drawn in zip(axes, (floats, ["fp32"] + [name for name in COLOURS if name not in floats])):
        draw(a, series, drawn)
        exact = [x for x in series["x"] if x < 78]
        a.plot(exact, [math.exp(-x) for x in exact], "k--", lw=0.6, alpha=0.6)
    legend(figure)
    save(figure, "formats-vortex")

    figure, axes = panels(2)
    for a, key, title in zip(axes, ("spheres-wide/permeability", "spheres-narrow/permeability"), ("c 0.216", "c 0.5")):
        draw(a, all_series[key], ROUGH, absolute=True)
        a.set_ylabel("|k/k of fp64 - 1|", fontsize=8)
        a.set_title("simple cubic spheres, " + title, fontsize=8)
    legend(figure)
    save(figure, "formats-permeability")


    series = report_with("capsule/deformation")[1]["series"]
    figure, axes = panels(2)
    draw(axes[0], series["capsule/deformation"], scale="linear")
    draw(axes[1], series["capsule/rounding"], ROUGH)
    legend(figure)
    save(figure, "formats-capsule")


def made():
    """Return {path: {mark: text}}, and files that are not made any more: none."""
    return {ROOT / "docs/suites.md": {suite: checks_of(suite) for suite in ("reference", "vessels", "free-surface", "capsules")},
            ROOT / "docs/formats.md": {"formats": format_tables(), "capsule": capsule_table()}}, []
