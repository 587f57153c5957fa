# SPDX-License-Identifier: Apache-2.0
"""Results as dicts, rows, files and HTML."""

from __future__ import annotations

import base64
import csv
import html as escape
import io
import json
import math
import os
import pathlib
import struct
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import flag, path_text, shown
from ._arrays import Array
from .errors import SystemFailure, UsageError

if TYPE_CHECKING:
    from ._diffusivity import Diffusivity
    from ._dispersion import Dispersion
    from ._permeability import Permeability

DARCY = 9.869233e-13


def described(value: Any) -> str:
    """Return an object that JSON does not have as a text: an array by its shape and type."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{type(value).__name__} of shape {tuple(value.shape)}, {value.dtype}"
    return shown(value)


def plain(value: Any) -> Any:
    """Return a value as JSON has it; None for numbers that are not finite."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_dict(r: Permeability) -> dict[str, Any]:
    """Return what a result has but fields."""
    known, square = r.voxel_size is not None, (r.voxel_size or math.nan) ** 2
    bar = r.error_bar
    found: dict[str, Any] = plain({
        "k_lu": r.k_lu, "k_m2": r.k_lu * square, "k_darcy": r.k_lu * square / DARCY, "uncertainty": r.uncertainty, "converged": r.converged,
        "axes": r.axes, "array_axes": r.array_axes, "voxel_size_m": r.voxel_size, "voxels": r._voxels, "fluid_nodes": r.nodes,
        "tensor_lu": r.tensor_lu, "tensor_m2": r.tensor_lu * square if known else None,
        "principal_lu": r.principal_lu, "principal_axes": r.principal_axes, "reciprocity": r.reciprocity,
        "porosity": {"total": r.porosity.total, "connected": r.porosity.connected, "percolating": dict(zip("xyz", r.porosity.percolating))},
        "runs": [{name: getattr(run, name) for name in ("axis", "converged", "reason", "last_lu", "steps", "coarse_lu", "tortuosity",
                                                        "tortuosity_uncertainty", "reynolds", "mach", "edge_share", "seconds", "mlups", "series")}
                 | {"walls": None if run.walls is None else vars(run.walls)} for run in r.runs],
        "error_bar": None if bar is None else {
            "contributions": [vars(one) for one in bar.contributions], "total": bar.total, "total_without_boundaries": bar.without_boundaries,
            "best_lu": bar.best_lu, "voxels_lu": bar.voxels_lu, "staircase_limit_lu": bar.staircase_limit_lu,
            "staircase_relative": bar.staircase_relative, "complete": bar.complete},
        "tau": r.tau, "viscosity_lu": r.viscosity_lu, "force_lu": r.force_lu, "backend": r.backend, "device": r.device, "notes": r.notes,
        "provenance": r.provenance})
    return found


def rows(r: Permeability) -> list[dict[str, Any]]:
    """Return a row for each axis of the flow."""
    square, found = (r.voxel_size or math.nan) ** 2, []
    runs = {run.axis: run for run in r.runs}
    for axis in r.axes:
        a, run = "xyz".index(axis), runs.get(axis)  # without a run nothing conducts along the axis
        k, bar = float(r.tensor_lu[a, a]), r.error_bar
        errors = {} if bar is None else {one.name.replace(" ", "_"): float(one.half_width[a]) for one in bar.contributions}
        found.append({
            "axis": axis, "k_lu": k, "k_m2": k * square, "k_darcy": k * square / DARCY, "uncertainty": r.uncertainty,
            "converged": run.converged if run else True, "porosity": r.porosity.total, "porosity_percolating": r.porosity.percolating[a],
            "tortuosity": run.tortuosity if run else math.nan, "reynolds": run.reynolds if run else math.nan,
            "steps": run.steps if run else 0, "seconds": run.seconds if run else 0.0,
            "best_lu": math.nan if bar is None else float(bar.best_lu[a]), **errors,
            "total": math.nan if bar is None else float(bar.total[a])})
    return found


def arrays(r: Permeability) -> dict[str, Any]:
    """Return the tensor and the fields."""
    found: dict[str, Any] = {"tensor_lu": r.tensor_lu, "voxel_size_m": np.float64(r.voxel_size or math.nan)}
    for axis, field in r.fields.items():
        found |= {f"velocity_{axis}_lu": field.velocity, f"pressure_{axis}_lu": field.pressure}
    return found


def save(path: Any, overwrite: Any, values: dict[str, Any], table: list[dict[str, Any]], fields: dict[str, Any]) -> None:
    """Write a result to a file, whole or not at all: values to .json, a table to .csv, arrays to .npz."""
    where, suffix = pathlib.Path(path_text(path)), pathlib.Path(path_text(path)).suffix.lower()
    content: bytes
    if suffix == ".json":
        content = (json.dumps(values, indent=1, allow_nan=False) + "\n").encode()
    elif suffix == ".csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        content = out.getvalue().encode()
    elif suffix == ".npz":
        packed = io.BytesIO()
        np.savez_compressed(packed, **fields)
        content = packed.getvalue()
    else:
        raise UsageError(f"{where} ends in none of .json, .csv and .npz, the files that a result is saved to.")
    if where.exists() and not flag(overwrite, "overwrite"):
        raise UsageError(f"{where} exists: give another name, or overwrite=True.")
    unfinished = where.with_name(f".{where.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(where)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise SystemFailure(f"{where} cannot be written: {error.strerror}.") from None


def picture(slice_: Array) -> bytes:
    """Return a plane of voxels as a PNG: pores light, solid dark."""
    grey = np.where(slice_ > 0, 235, 70).astype(np.uint8)[::-1]
    height, width = grey.shape
    lines = np.zeros((height, width + 1), np.uint8)
    lines[:, 1:] = grey

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)) + chunk(b"IEND", b""))


def html(r: Permeability) -> str:
    """Return a table and a slice for Jupyter."""
    unit, factor = ("lu", 1.0) if r.voxel_size is None else ("m²", r.voxel_size**2)
    lines = [("permeability, " + unit, f"{r.k_lu * factor:.6g}")]
    if r.voxel_size is not None:
        lines.append(("permeability, darcy", f"{r.k_darcy:.6g}"))
    lines += [("uncertainty", _percent(r)), ("porosity", f"{r.porosity.total:.4f}")]
    for axis, percolating in zip("xyz", r.porosity.percolating):
        if axis in r.axes:
            a = "xyz".index(axis)
            lines.append((f"k along {axis}, {unit}; percolating porosity", f"{r.tensor_lu[a, a] * factor:.6g}; {percolating:.4f}"))
    return html_of("rill.Permeability", [*lines, ("device", r.device)], r)


def html_of(title: str, lines: list[tuple[str, str]], r: Permeability | Diffusivity | Dispersion) -> str:
    """Return a table of names and values, and the middle plane of the voxels."""
    lines = [*lines, ("voxels x, y, z", " x ".join(map(str, r._voxels))), *(("note", note) for note in r.notes)]
    table = "".join(f"<tr><th style='text-align:left'>{escape.escape(name)}</th><td style='text-align:left'>{escape.escape(value)}</td></tr>"
                    for name, value in lines)
    image = base64.b64encode(picture(r._slice)).decode()
    return (f"<div style='display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start'><table><caption>{title}</caption>{table}</table>"
            f"<figure style='margin:0'><img alt='plane of voxels' style='width:16em;image-rendering:pixelated' src='data:image/png;base64,{image}'>"
            "<figcaption>middle plane normal to z; pores light, x to the right, y up</figcaption></figure></div>")


def _percent(r: Permeability | Diffusivity) -> str:
    from ._progress import percent

    return percent(r.uncertainty) if r.converged else "NOT CONVERGED"


def html_of_diffusivity(r: Diffusivity) -> str:
    """Return a table and a slice for Jupyter."""
    lines = [("D_eff / D0", f"{r.d:.6g}"), ("uncertainty", _percent(r)), ("porosity", f"{r.porosity.total:.4f}")]
    for axis, percolating in zip("xyz", r.porosity.percolating):
        if axis in r.axes:
            a = "xyz".index(axis)
            lines.append((f"D_eff / D0 along {axis}; tortuosity factor; percolating porosity", f"{r.tensor[a, a]:.6g}; {r.tortuosity_factor[a]:.4g}; {percolating:.4f}"))
    return html_of("rill.Diffusivity", [*lines, ("device", r.device)], r)


def html_of_dispersion(r: Dispersion) -> str:
    """Return a table and a slice for Jupyter."""
    a = "xyz".index(r.axis)
    lines = [("flow along", r.axis), ("length, voxels", f"{r.length:.6g}"), ("porosity", f"{r.porosity:.4f}")]
    lines += [(f"D / D0 along {r.axis}, Péclet number {pe:g}", f"{d[a, a]:.6g} ± {bound[a, a]:.2g}") for pe, d, bound in zip(r.peclet, r.tensor, r.bound)]
    return html_of("rill.Dispersion", lines if r.converged else [("state", "NOT CONVERGED"), *lines], r)
