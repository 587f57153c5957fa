# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/benchmarks.md and docs/benchmark.md, and the figures in docs/benchmarks, from the JSON files there that `rill bench` wrote.
The first word of a file's name is the machine: h200-schemes.json."""
import json
import pathlib

from svg_chart import COLOURS, Panel, figure
from variants import names

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ROOT / "docs/benchmarks"
STREAMS = names("STREAM")
ADDRESSINGS = ("list", "bitmap", "dense", "chase")
Q = {"d3q19": 19, "d3q27": 27, "d3q15": 15, "d2q9": 9}


# ---- reading --------------------------------------------------------------------------------------


def migrated(record):
    """Return a record with today's keys: before schema changes, bytes_per_node was the model's, not what was allocated."""
    if "bytes_device_total" not in record:
        record = dict(record, bytes_per_node=None, bytes_device_total=None)
    record.setdefault("percent_read", record["percent_model"])
    return record


def suite_of(report):
    """Return the suite whose records differ from all others in their keys, or None."""
    suite = report.get("suite") or report["results"][0]["suite"]
    return suite if suite in ("scaling", "time-to-answer", "free-surface", "cells") else None


def files(suite=None):
    """Return [(file name, report)] of a suite with its own keys, or of all others, in the order of the names."""
    found = [(path.name, json.loads(path.read_text())) for path in sorted(FILES.glob("*.json"))]
    return [(name, report) for name, report in found if suite_of(report) == suite]


def reports():
    """Return [(file name, report)] of the suites that time one device."""
    found = files()
    for _, report in found:
        report["results"] = [migrated(r) for r in report["results"]]
    return found


def machines():
    """Return {machine: records}, of each case and variant the latest."""
    found = {}
    for name, report in sorted(reports(), key=lambda r: r[1]["date"]):
        records = found.setdefault(name.split("-")[0], {})
        for r in report["results"]:
            records[r["suite"], r["case"], variant(r), r["nodes"]] = r
    return {machine: list(found[machine].values()) for machine in sorted(found)}


def variant(r):
    name = "-".join(r[k] for k in ("lattice", "collision", "equilibrium", "stream", "addressing", "storage"))
    usual = {"arithmetic": ("single", "double"), "bounce_back": ("half-way",), "shift": ("shifted",)}
    return name + "".join("-" + r[k] for k in usual if r.get(k, usual[k][0]) not in usual[k])


# ---- tables ---------------------------------------------------------------------------------------


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def table(records):
    text = row(["case", "variant", "nodes", "MLUPS", "spread", "% of 2qB bound", "model bytes per update", "% of model bound", "bytes per node"])
    text += "|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
    for r in records:
        held = f"{r['bytes_per_node']:.1f}" if r["bytes_per_node"] else "–"
        text += row([r["case"], variant(r), f"{r['nodes']:,}", f"{r['mlups']:,.0f}",
                     f"{100 * r['mlups_spread'] / r['mlups']:.1f} %", f"{r['percent_2qb']:.0f} %",
                     f"{r['bytes_moved_model']:.0f}", f"{r['percent_model']:.0f} %", held])
    return text


def several(records, key):
    return ", ".join(dict.fromkeys(r[key] for r in records))


def left_out(report):
    text = ""
    for list_name, word in (("skipped", "Skipped"), ("failed", "Refused")):
        for r in report.get(list_name, []):
            text += f"\n{word}: {r['case']}, {variant(r)}: {r['reason']}.\n"
    return text


def boundaries(report):
    """Return what interpolated walls and openings cost, of the suite vessel; each command that the record has is one measurement."""
    text = ""
    records = [r for r in report["results"] if r["suite"] == "vessel"]
    bare = {(variant(r), r["command"]): r["mlups"] for r in records if r["case"] == "vessel"}
    for name in dict.fromkeys(name for name, _ in bare):
        shares = {}
        for r in records:
            if variant(r) == name and r["case"] != "vessel":
                what = r["case"].removeprefix("vessel-") if r["case"] != "vessel-all" else "both"
                shares.setdefault(what, []).append(f"{100 * r['mlups'] / bare[name, r['command']]:.1f}")
        text += f"\n{name}, speed relative to the step without walls and openings: " + ", ".join(
            f"{' and '.join(values)} % with {what.replace('-', ' ')}" for what, values in shares.items()) + ".\n"
    return text


def break_even(report):
    text = ""
    for b in report.get("break_even", []):
        what = "is faster" if b["quantity"] == "mlups" else "takes less memory"
        where = f"from a porosity of {b['porosity']:.2f} on" if b["porosity"] is not None else f"at no porosity up to {b['highest']:.2f}"
        text += f"\n{b['lattice']} {b['collision']} {b['storage']}: direct addressing (`dense`) {what} {where}.\n"
    return text


def hybrid(report):
    """Return what a hybrid could gain, of the suite hybrid."""
    text = ""
    for h in report.get("hybrid", []):
        most = f"{h['times_sparse']:.3f}" if h["times_sparse"] is not None else "not bounded (the speeds contradict each other)"
        text += (f"\n{h['lattice']} {h['collision']} {h['storage']}, MLUPS: river bed {h['sparse_mlups']:,.0f} sparse, {h['dense_mlups']:,.0f} dense; box of fluid "
                 f"{h['sparse_free_mlups']:,.0f} sparse, {h['dense_free_mlups']:,.0f} dense. Most that a hybrid could reach, times sparse: {most}; "
                 f"with all nodes at the speed of the dense box: {h['times_sparse_all']:.3f}.\n")
    return text


def details():
    text = ""
    machine = None
    for name, report in reports():
        records = report["results"]
        if name.split("-")[0] != machine:
            machine = name.split("-")[0]
            text += f"\n## {records[0]['device']}\n"
            for figure_name, (title, _) in FIGURES_MADE.items():
                if figure_name.startswith(machine + "-"):
                    text += f"\n![{title}](benchmarks/{figure_name})\n"
        low, high = (f(r["bandwidth_gbs"] for r in records) for f in (min, max))
        where = ", ".join(f"{k} {report[k]}" for k in ("driver", "cuda") if report[k])
        text += f"\n### {records[0]['device']}: {several(records, 'suite')}; {several(records, 'lattice')}; {several(records, 'storage')}\n\n"
        text += f"[{name}](benchmarks/{name}): rill {report['software']}, {where + ', ' if where else ''}{report['date']}\\\n"
        text += f"`{report['command']}`; reference bandwidth: {records[0]['yardstick']}, {low:,.0f}"
        text += (f" to {high:,.0f}" if round(low) != round(high) else "") + f" GB/s.\n\n{table(records)}"
        text += break_even(report) + hybrid(report) + boundaries(report) + left_out(report)
    return text


def origin(name, report):
    where = ", ".join(f"{k} {report[k]}" for k in ("driver", "cuda") if report.get(k))
    return f"[{name}](benchmarks/{name}): rill {report['software']}, {where + ', ' if where else ''}{report['date']}\\\n`{report['command']}`\n\n"


def scaling():
    """Return the tables of one simulation on several devices."""
    text = ""
    for name, report in files("scaling"):
        records = report["results"]
        if any(r["model"] for r in records):
            text += model_table(name, report)
            continue
        text += f"\n### {max(r['devices'] for r in records)} x {records[0]['device']}: scaling\n\n" + origin(name, report)
        text += row(["case", "variant", "devices", "nodes", "MLUPS", "times one", "efficiency", "step, µs", "exposed, µs", "sent, MB", "model, µs", "bits"])
        text += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        for r in records:
            model = f"{r['model_step_us']:.1f}" if r["model_step_us"] else "–"
            text += row([r["case"], r["variant"], ("model of " if r["model"] else "") + str(r["devices"]), f"{r['nodes']:,}", f"{r['mlups']:,.0f}",
                         f"{r['times_one']:.2f}", f"{100 * r['efficiency']:.1f} %", f"{r['step_us']:.1f}", f"{r['exposed_us']:.1f}",
                         f"{r['bytes_per_step'] / 1e6:.2f}", model, r["bits"]])
        text += f"\nThe devices exchange by {several([r for r in records if r['devices'] > 1], 'transport')}.\n"
    return text


# Suffa, Holzer, Köstler & Rüde (2024), https://doi.org/10.1177/10943420261434639, waLBerla on NVIDIA A100: {case: (devices, MLUPS of
# all devices, what)}. The bandwidth is assumed: that of the A100 with 40 GB; the one with 80 GB has 2.0 TB/s.
PUBLISHED = {"bed": [(64, 203e3, "kernels"), (64, 83e3, "whole")],
             "coronary": [(60, 60 * 1374, "kernels"), (60, 60 * 230, "whole")]}
A100_TBS = 1.555


def model_table(name, report):
    """Return the table of more devices than there are, beside what was published, and how far models of two devices were from measurements."""
    records = report["results"]
    text = f"\n### Model of up to {max(r['devices'] for r in records)} x {records[0]['device']}\n\n" + origin(name, report)
    text += row(["", "case", "variant", "devices", "porosity", "nodes", "MLUPS", "MLUPS a device", "per TB/s of its memory", "efficiency", "parts timed", "slowest at random"])
    text += "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    for r in records:
        each, slow = r["mlups"] / r["devices"], r.get("random_step_us", 0)
        text += row(["model" if r["model"] else "measured", r["case"], r["variant"], str(r["devices"]), f"{r['porosity']:.3f}", f"{r['nodes']:,}",
                     f"{r['mlups']:,.0f}", f"{each:,.0f}", f"{1e3 * each / r['bandwidth_gbs']:,.0f}", f"{100 * r['efficiency']:.1f} %", str(r["parts_timed"]),
                     f"{100 * slow / r['step_us']:.0f} %" if slow else "–"])
    for case in dict.fromkeys(r["case"] for r in records):
        for devices, speed, what in PUBLISHED.get(case, []):
            text += row(["published", case, f"waLBerla, A100, {what}", str(devices), "–", "–", f"{speed:,.0f}", f"{speed / devices:,.0f}",
                         f"{speed / devices / A100_TBS:,.0f}", "–", "–", "–"])
    links = {(r["link_latency_us"], r["link_bandwidth_gbs"]) for r in records if r["model"]}
    text += "\nModel: " + "; ".join(f"{latency:g} µs a step, {bandwidth:g} GB/s a device" for latency, bandwidth in sorted(links)) + ".\n"
    measured = [m for _, other in files("scaling") for m in other["results"] if not m["model"] and m["devices"] == 2 and m["model_step_us"]]
    known = {(r["case"], r["variant"]) for r in records}
    for m in measured:
        if (m["case"], m["variant"]) in known:
            text += f"\nModel of two devices, {m['case']}, {m['variant']}: {100 * (m['model_step_us'] / m['step_us'] - 1):+.1f} % from the measurement.\n"
    return text


def answers():
    """Return the tables of times from voxels to k."""
    text = ""
    for name, report in files("time-to-answer"):
        text += f"\n### {report['device']}: time to the answer\n\n" + origin(name, report)
        text += row(["geometry", "voxels", "nodes", "start", "τ", "steps", "coarser grids", "stepping, s", "seconds", "k, lu", "u", "error"])
        text += "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        for r in report["results"]:
            error = f"{r['error']:.1g}" if r["error"] is not None else "–"
            text += row([r["geometry"], " x ".join(map(str, r["voxels"])), f"{r['nodes']:,}", r["start"], f"{r['tau']:.3g}", f"{r['steps']:,}",
                         f"{r['coarse_steps']:,}", f"{r['seconds_stepping']:.2f}", f"{r['seconds']:.2f}", f"{r['k']:.6g}",
                         f"{100 * r['uncertainty']:.2g} %", error])
    return text


def summary():
    """Return the fastest fp32 D3Q19 variant of every device and case."""
    text = row(["device", "case", "variant", "nodes", "MLUPS", "share of the bandwidth"])
    text += "|---|---|---|--:|--:|--:|\n"
    for records in machines().values():
        best = {}
        for r in records:
            if (r["lattice"], r["storage"]) == ("d3q19", "fp32") and r["case"] in ("box", "spheres", "arteries", "rock"):
                if r["suite"] == r["case"] and r["mlups"] > best.get(r["case"], {"mlups": 0})["mlups"]:
                    best[r["case"]] = r
        for r in best.values():
            text += row([r["device"], r["case"], f"{r['stream']}, {r['addressing']}", f"{r['nodes']:,}", f"{r['mlups']:,.0f}",
                         f"{r['percent_2qb']:.0f} %"])
    return text


# ---- figures --------------------------------------------------------------------------------------


def one_size(records):
    """Return the records of the geometry with the most variants, and its name: spheres, in general."""
    groups = {}
    for r in records:
        groups.setdefault((r["case"], r["nodes"]), []).append(r)
    return max(groups.values(), key=len), max(groups, key=lambda g: len(groups[g]))


def key_of(records):
    """Return the legend of the addressings that occur."""
    return [(a, COLOURS[k], "") for k, a in enumerate(ADDRESSINGS) if any(r["addressing"] == a for r in records)]


def schemes(records):
    """Return bars of every stream and addressing, D3Q19 TRT on one geometry, a panel for each of two formats."""
    chosen = [r for r in records if (r["lattice"], r["collision"]) == ("d3q19", "trt") and r.get("bounce_back", "half-way") == "half-way"]
    chosen = [r for r in chosen if not r["case"].startswith(("porosity", "box-", "pipe"))]
    panels = []
    for storage in ("fp32", "fp16s"):
        of_format = [r for r in chosen if r["storage"] == storage]
        if not of_format:
            continue
        group, (case, nodes) = one_size(of_format)
        if len({r["stream"] for r in group}) < 3:
            continue
        roof = max(r["bandwidth_gbs"] for r in group) * 1e3 / (2 * 19 * (4 if storage == "fp32" else 2))
        top = 1.1 * max(roof, *(r["mlups"] for r in group))
        panel = Panel(70, 30 + 270 * len(panels), 640, 190, None, (0, top), "", "MLUPS", f"{storage}, {case}, {nodes:,} nodes")
        left, _, width, _ = panel.box
        measured = [name for name in STREAMS if any(r["stream"] == name for r in group)]
        step = width / len(measured)
        for s, stream in enumerate(measured):
            panel.text(left + step * (s + 0.5), panel.y.start + 16, stream)
            for a, addressing in enumerate(ADDRESSINGS):
                found = [r["mlups"] for r in group if (r["stream"], r["addressing"]) == (stream, addressing)]
                if found:
                    panel.bar(left + step * (s + 0.1 + 0.2 * a), 0.18 * step, max(found), COLOURS[a],
                              f"{stream} {addressing}: {max(found):.0f} MLUPS")
        panel.line(left, panel.y.at(roof), left + width, panel.y.at(roof), "#444444", 1.2, "6 4")
        panel.legend(key_of(group) + [("bandwidth / 2qB", "#444444", "6 4")],
                     left + width + 15, panel.y.end + 20)
        panels.append(panel)
    return panels and (880, 270 * len(panels), panels, "Speed of every streaming scheme and addressing")


def roofline(records):
    """Return speed against bytes per update, below bandwidth / bytes, all axes logarithmic."""
    chosen = [r for r in records if r["nodes"] > 5e5]
    if len(chosen) < 4:
        return None
    bandwidth = max(r["bandwidth_gbs"] for r in chosen)
    bytes_low, bytes_high = 0.8 * min(r["bytes_moved_model"] for r in chosen), 1.25 * max(r["bytes_moved_model"] for r in chosen)
    low = 0.7 * min(r["mlups"] for r in chosen)
    panel = Panel(70, 30, 560, 360, (bytes_low, bytes_high, True), (low, 1.3 * bandwidth * 1e3 / bytes_low, True),
                  "bytes per update, by the model", "MLUPS")
    panel.curve([(b, bandwidth * 1e3 / b) for b in (bytes_low, bytes_high)], "#444444", markers=False)
    for r in chosen:
        panel.point(r["bytes_moved_model"], r["mlups"], COLOURS[ADDRESSINGS.index(r["addressing"])],
                    f"{r['case']} {variant(r)}: {r['mlups']:.0f} MLUPS, {r['percent_model']:.0f} %")
    panel.legend(key_of(chosen) + [(f"{bandwidth:,.0f} GB/s", "#444444", "")], 645, 60)
    return 800, 450, [panel], "Speed against bytes per update, and the memory bandwidth"


def porosity(records):
    """Return speed and memory of the variants of the suite porosity, with what is best of both kinds and where it crosses."""
    chosen = [r for r in records if r["suite"] == "porosity" and r["storage"] == "fp32" and r["lattice"] == "d3q19"]
    if len(chosen) < 4:
        return None
    names = sorted({(r["stream"], r["addressing"]) for r in chosen}, key=lambda n: (STREAMS.index(n[0]), ADDRESSINGS.index(n[1])))
    panels = []
    for k, (key, what, largest) in enumerate((("mlups", "MLUPS, fluid nodes", max), ("bytes_per_node", "bytes per fluid node", min))):
        values = [r[key] for r in chosen]
        y = (0, 1.1 * max(values)) if largest is max else (0.8 * min(values), 1.2 * max(values), True)
        panel = Panel(70 + 430 * k, 30, 340, 300, (0, 1.0), y, "porosity", what)
        for c, name in enumerate(names):
            points = sorted((r["porosity"], r[key]) for r in chosen if (r["stream"], r["addressing"]) == name)
            panel.curve(points, COLOURS[c], "5 3" if name[1] == "dense" else "")
        at = crossing(chosen, key, largest)
        if at is not None:
            panel.line(panel.x.at(at), panel.y.start, panel.x.at(at), panel.y.end, "#000000", 1.2, "2 3")
            panel.text(panel.x.at(at) - 4, panel.y.end + 14, f"{at:.2f}", "end")
        panels.append(panel)
    panels[1].legend([(" ".join(n), COLOURS[c], "5 3" if n[1] == "dense" else "") for c, n in enumerate(names)], 855, 60)
    return 1000, 390, panels, "Sparse and dense variants against porosity; the dotted line marks the break-even porosity"


def crossing(records, key, best):
    """Return the porosity above which the best dense variant leads, as src/bench/contest.c defines it; None without."""
    points = []
    for p in sorted({r["porosity"] for r in records}):
        kinds = [[r[key] for r in records if r["porosity"] == p and (r["addressing"] == "dense") == dense] for dense in (False, True)]
        if all(kinds):
            sparse, dense = map(best, kinds)
            points.append((p, dense - sparse if best is max else sparse - dense))
    found = after = None
    for p, lead in reversed(points):
        if lead <= 0:
            return None if after is None else p + (after[0] - p) * lead / (lead - after[1])
        found, after = p, (p, lead)
    return found


def sizes(records):
    """Return speed against the number of nodes."""
    chosen = [r for r in records if r["suite"] == "sizes"]
    if len(chosen) < 3:
        return None
    nodes = [r["nodes"] for r in chosen]
    panel = Panel(70, 30, 560, 300, (0.7 * min(nodes), 1.4 * max(nodes), True), (0, 1.1 * max(r["mlups"] for r in chosen)), "nodes", "MLUPS")
    names = sorted({variant(r) for r in chosen})
    for c, name in enumerate(names):
        panel.curve(sorted((r["nodes"], r["mlups"]) for r in chosen if variant(r) == name), COLOURS[c])
    panel.legend([(name, COLOURS[c], "") for c, name in enumerate(names)], 645, 60)
    return 940, 390, [panel], "Speed against the number of nodes"


def figures():
    """Return {file name: (title, text)}."""
    made = {}
    for machine, records in machines().items():
        for draw in (schemes, roofline, porosity, sizes):
            drawn = draw(records)
            if drawn:
                made[f"{machine}-{draw.__name__}.svg"] = (drawn[3], figure(*drawn))
    return made


FIGURES_MADE = figures()


def made():
    """Return {path: text, or {mark: text}}, and the files that are there and are not made any more."""
    drawn = {FILES / name: text for name, (_, text) in FIGURES_MADE.items()}
    pages = {ROOT / "docs/benchmarks.md": {"benchmarks": details() + scaling() + answers()}, ROOT / "docs/benchmark.md": {"benchmark": summary()}}
    return pages | drawn, [path for path in FILES.glob("*.svg") if path not in drawn]
