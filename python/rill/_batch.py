# SPDX-License-Identifier: Apache-2.0
"""The permeabilities or diffusivities of many images, or of the blocks of one image."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np

from . import _interface as c
from ._arguments import count, encoded, flag, items, path_bytes, path_text, plain, shown
from ._arrays import Order, order_of
from ._error_bar import form_of
from ._geometry import Geometry, Porosity, Source, as_geometry, axis_of, image_options, is_path, porosity_of
from ._library import check, files, library, need, notes, text, warn
from ._field import ordered
from ._permeability import AXES, DARCY, Acceleration, Axis, _options
from ._pore import Pore, Threshold, pore_of, set_pore
from ._sample import Core, Where, sample_options, takes_image
from ._progress import Progress, Watch
from ._values import Device, Length, Quantity, Reals, Sides, metres
from ._words import spoken
from .errors import UsageError

Images = Union[Mapping[str, Union[Source, Geometry]], Iterable[Union[Source, Geometry]]]


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Row:
    """What came of an image or a block.

    Attributes
    ----------
    name : str
    exit_reason : str
        'converged', 'not percolating' (k is 0, a result), 'no solid' (nothing limits k), 'not converged', 'input refused',
        'system failure', or 'outside' (a part of the block is outside of the sample: it is not computed).
    message : str
        Why there is no result, or why k is 0; empty elsewhere.
    first, voxels : tuple of int
        First voxel of the block, and voxels, along x, y, z.
    voxel_size : float or None
        m.
    porosity : Porosity
    tensor_lu : ndarray, shape (3, 3)
        k in lattice units (voxel²): row is the flow, column the force; NaN where it was not computed.
    diffusivity : ndarray, shape (3, 3)
        D_eff / D0 of `diffusivity_many` and `diffusivity_blocks`, which have no k: row is the flux, column the gradient; else NaN.
    uncertainty : float
        Relative; NaN without a result.
    half_width : dict of str to ndarray, shape (3,)
        The rows of the error bar by `Contribution.name`, along x, y, z, relative; NaN where a row is not known or not requested.
    total : ndarray, shape (3,)
        Half-width of the interval around `best_lu`, as in `ErrorBar`.
    best_lu : ndarray, shape (3,)
        Best estimate of k of the shape that the voxels sample, lattice units; without one k of the voxels.
    off_axis_bound_lu : ndarray, shape (3, 3)
        Bounds on the entries of `tensor_lu` beside the diagonal, as in `ErrorBar`.
    edge_share : ndarray, shape (3,)
        Of the runs along x, y, z, as in `Run`; NaN where there was none.
    nodes, steps : int
        Fluid nodes that took part; time steps of all axes, or iterations of a diffusion.
    seconds : float
        Wall-clock time of the item, while others were computed.
    backend : str
        'cpu' or 'cuda'.
    resumed : bool
        Taken from the table.
    notes : tuple of str
        Sentences that change or qualify a value; each is also a warning (`RillWarning`), once for the batch.
    """

    name: str
    exit_reason: str
    message: str
    first: tuple[int, int, int]
    voxels: tuple[int, int, int]
    voxel_size: float | None
    porosity: Porosity
    tensor_lu: Reals
    diffusivity: Reals
    uncertainty: float
    k_lu: float
    anisotropy: float
    half_width: dict[str, Reals]
    total: Reals
    best_lu: Reals
    off_axis_bound_lu: Reals
    edge_share: Reals
    nodes: int
    steps: int
    seconds: float
    backend: str
    resumed: bool
    notes: tuple[str, ...]

    @property
    def has_result(self) -> bool:
        """Whether k is known, 0 and unlimited included."""
        return self.exit_reason in ("converged", "not percolating", "no solid")

    @property
    def tensor(self) -> Reals:
        """The tensor in m²; NaN without a voxel size."""
        return self.tensor_lu * (self.voxel_size or np.nan) ** 2

    @property
    def k(self) -> float:
        """Permeability in m²: along the axis, or the mean of the diagonal; NaN without a result or a voxel size."""
        return float(self.k_lu * (self.voxel_size or np.nan) ** 2)

    @property
    def d(self) -> float:
        """D_eff / D0 along the axis, or the mean of the diagonal; NaN without a result, or of a permeability."""
        diagonal = self.diffusivity.diagonal()
        return float(np.nanmean(diagonal)) if np.isfinite(diagonal).any() else math.nan

    @property
    def k_darcy(self) -> float:
        """The same in darcy."""
        return self.k / DARCY

    def __repr__(self) -> str:
        value = f"{self.d:.6g} D0" if np.isfinite(self.d) else f"{self.k:.6g} m2" if self.voxel_size else f"{self.k_lu:.6g} lu"
        return f"<rill.Row {self.name!r}: {value if self.has_result else self.message} ({self.exit_reason})>"


@dataclasses.dataclass(frozen=True)
class SampleError:
    """What k of the whole image is good for as that of its material, from blocks of one size taken as independent.

    Attributes
    ----------
    blocks : int
        Blocks with a k, 0 included.
    deviation : float
        Standard deviation of k of a block, relative: three times that of the cube roots.
    half_width : float
        w, relative, by Student's t: 95 % of materials are within k (1 - w/3)^3 and k / (1 - w/3)^3, k of the image.
    low, high : float
        The ends of that interval, in parts of k of the image.
    edge_tenth : float
        Voxels along the edge of a cube whose k would be good to 10 %.
    """

    blocks: int
    deviation: float
    half_width: float
    edge_tenth: float

    @property
    def low(self) -> float:
        return max(0.0, 1 - self.half_width / 3) ** 3

    @property
    def high(self) -> float:
        return 1 / self.low if self.low > 0 else float("inf")


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Grid:
    """Blocks of one size.

    Attributes
    ----------
    edge : int
        Voxels along an edge of a block.
    array_axes : str
        Axes of the arrays below, those of the array that was given: 'zyx' for ``k_lu[z, y, x]``.
    rows : list of Row
        In the order of the arrays below, flattened.
    k_lu, porosity, anisotropy : ndarray, shape (nz, ny, nx)
        Mean of the diagonal of k in voxel², porosity, and largest over smallest entry of the diagonal, of every block; NaN where
        there is none. The axes are those of the array that was given: ``order="xyz"`` has the shape (nx, ny, nz).
    tensor_lu : ndarray, shape (nz, ny, nx, 3, 3)
        The tensors, row: flow, column: force, in the order x, y, z.
    d : ndarray, shape (nz, ny, nx)
        Mean of the diagonal of D_eff / D0, of `diffusivity_blocks`; else NaN.
    sample : SampleError or None
        What k of the whole image is good for; None with fewer than 8 blocks, or where none conducts.
    """

    edge: int
    array_axes: str
    rows: list[Row]
    k_lu: Reals
    porosity: Reals
    anisotropy: Reals
    tensor_lu: Reals
    d: Reals
    sample: SampleError | None = None

    def __repr__(self) -> str:
        return f"<rill.Grid of {len(self.rows)} blocks of {self.edge}³ voxels, arrays [{', '.join(self.array_axes)}]>"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Batch:
    """What came of a batch.

    Attributes
    ----------
    rows : list of Row
        One for each item, in their order.
    grids : list of Grid
        Of `blocks`, one for each size; empty elsewhere.
    at_once : int
        Items that were computed at the same time.
    seconds : float
    device_use : float
        Part of the time in which at least one simulation was stepping.
    device : str
    """

    rows: list[Row]
    grids: list[Grid]
    at_once: int
    seconds: float
    device_use: float
    device: str

    def columns(self) -> dict[str, list[Any]]:
        """Return the rows as columns; k in m² and lattice units."""
        axes = [(a, b) for a in range(3) for b in range(3)]
        out: dict[str, list[Any]] = {
            "name": [r.name for r in self.rows],
            "exit_reason": [r.exit_reason for r in self.rows],
            **{f"{'xyz'[a]}0": [r.first[a] for r in self.rows] for a in range(3)},
            **{f"n{'xyz'[a]}": [r.voxels[a] for r in self.rows] for a in range(3)},
            "porosity": [r.porosity.total for r in self.rows],
            "k_m2": [r.k for r in self.rows],
            "k_lu": [r.k_lu for r in self.rows],
            **{f"k_{'xyz'[a]}{'xyz'[b]}_lu": [float(r.tensor_lu[a, b]) for r in self.rows] for a, b in axes},
        }
        if any(np.isfinite(r.d) for r in self.rows):
            out = {name: column for name, column in out.items() if not name.startswith("k_")}
            out.update({"d": [r.d for r in self.rows], **{f"d_{'xyz'[a]}{'xyz'[b]}": [float(r.diffusivity[a, b]) for r in self.rows] for a, b in axes}})
        else:
            axes3 = range(3)
            bars = {name.replace(" ", "_"): name for name in _ERROR_ROWS}
            out.update({f"{column}_{'xyz'[a]}": [float(r.half_width[name][a]) for r in self.rows] for column, name in bars.items() for a in axes3})
            out.update({f"total_{'xyz'[a]}": [float(r.total[a]) for r in self.rows] for a in axes3})
            out.update({f"best_estimate_{'xyz'[a]}_lu": [float(r.best_lu[a]) for r in self.rows] for a in axes3})
            out.update({f"off_axis_bound_{'xyz'[a]}{'xyz'[b]}_lu": [float(r.off_axis_bound_lu[a, b]) for r in self.rows] for a, b in axes if a != b})
        out.update({f"edge_share_{'xyz'[a]}": [float(r.edge_share[a]) for r in self.rows] for a in range(3)})
        for name in ("uncertainty", "anisotropy", "nodes", "steps", "seconds", "message"):
            out[name] = [getattr(r, name) for r in self.rows]
        out["notes"] = [" | ".join(r.notes) for r in self.rows]
        return out

    def to_dataframe(self) -> Any:
        """Return the rows as a pandas.DataFrame with the columns of `columns`. Needs pandas."""
        return need("pandas", "to_dataframe()").DataFrame(self.columns())

    def __repr__(self) -> str:
        good = sum(r.has_result for r in self.rows)
        times = f"{self.seconds:.1f} s, device use {100 * self.device_use:.0f} %"
        return f"<rill.Batch of {len(self.rows)}: {good} with a result, {times}>"


_NONE = np.full((3, 3), math.nan)
_ERROR_ROWS = [text(library.rill_error_row_name(row)) for row in range(c.RILL_ERROR_ROWS)]


def _row(row: Any, name: str) -> Row:
    spacing = row.spacing if row.spacing > 0 else None
    return Row(
        name=name, exit_reason=text(library.rill_batch_reason_name(row.reason)), message=spoken(text(row.message)),
        first=tuple(row.first[:]), voxels=tuple(row.n[:]), voxel_size=spacing, porosity=porosity_of(row.porosity),
        tensor_lu=_NONE if row.diffusion else np.array([line[:] for line in row.k]),
        diffusivity=np.array([line[:] for line in row.k]) if row.diffusion else _NONE, uncertainty=row.uncertainty,
        k_lu=math.nan if row.diffusion else library.rill_batch_row_mean(row),
        anisotropy=library.rill_batch_row_anisotropy(row),
        half_width={name: np.array(line[:]) for name, line in zip(_ERROR_ROWS, row.error)}, total=np.array(row.error_total[:]),
        best_lu=np.array(row.best[:]), off_axis_bound_lu=np.array([line[:] for line in row.off_axis]), edge_share=np.array(row.edge_share[:]), nodes=row.nodes, steps=row.steps, seconds=row.seconds,
        backend=text(row.made.backend), resumed=row.resumed, notes=notes(row.notes))


def _batch_options(permeability: Any, variant: str | None, at_once: int, csv: Any, resume: bool, device: str) -> tuple[Any, Any]:
    """Return the options, and what they point to."""
    o = library.rill_batch_options_default()
    o.permeability = permeability
    o.stream_given = o.addressing_given = variant is not None
    o.at_once = count(at_once, "at_once", 1024)
    if flag(resume, "resume") and csv is None:
        raise UsageError("resume=True continues a table: name it with csv=.")
    o.table, o.resume = None if csv is None else path_bytes(csv), resume
    named = Device(device)
    o.permeability.on.backend = named.kind
    ordinals = (ctypes.c_int * 1)(named.ordinal)
    o.ordinals, o.ordinal_count = ordinals, 1
    return o, ordinals


def _kinds(rows: list[Row]) -> list[str]:
    """Return the notes of all rows, and one of several that differ in their numbers alone, with the count of its rows."""
    kinds: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            kinds.setdefault(re.sub(r"[0-9]+(\.[0-9]+)*(e[-+][0-9]+)?", "#", note), []).append(note)
    return [found[0] if len(set(found)) == 1 else
            f"{found[0]} ({len(found)} of {len(rows)} items, with other numbers: see the notes of each)" for found in kinds.values()]


def _compute(items: Any, names: list[str], o: Any, progress: Progress) -> Batch:
    out = c.rill_batch()
    try:
        with files, Watch(progress) as watch:
            o.progress = watch.c
            watch.check(library.rill_batch_compute(items, len(names), o, out))
        rows = [_row(out.rows[k], name) for k, name in enumerate(names)]
        warn(_kinds(rows))
        return Batch(rows, [], out.at_once, out.seconds, out.device_use, text(out.device))
    finally:
        library.rill_batch_free(out)


@takes_image
def permeability_many(
    images: Images,
    voxel_size: Length | None = None,
    axis: Axis | int = "auto",
    *,
    pore: Pore = None,
    threshold: Threshold = None,
    error_bar: bool | Literal["fine"] = False,
    sample: int = 0,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides | None = None,
    tolerance: float | str | Quantity = 1e-3,
    max_steps: int = 1_000_000,
    variant: str | None = None,
    tau: float | None = None,
    force: float | None = None,
    acceleration: Acceleration = "auto",
    at_once: int = 0,
    csv: str | os.PathLike[str] | None = None,
    resume: bool = False,
    allow_outside: bool = False,
    device: str = "auto",
    progress: Progress = None,
) -> Batch:
    """Compute the permeabilities of many images, several at the same time. An image without a result does not end it.

    Parameters
    ----------
    images : iterable or mapping of name to image
        Arrays, paths and geometries, as in `permeability`. Paths are read while others are computed; arrays are checked before
        the first is, and one without a pore is refused there.
    {image}
    at_once : int
        Images that are computed at the same time; 0: chosen.
    csv : path, optional
        Table with a row for each image, replaced as a whole about once a second: docs/files.md lists its columns.
    resume : bool
        Keep the rows of the table that have the same input and options, by hash.
    voxel_size, axis, threshold, error_bar, sample, sides, tolerance, max_steps, variant, tau, force, acceleration, device, progress
        As in `permeability`. The rows have the values of the error bar: `Row.half_width`.

    Returns
    -------
    Batch

    Raises
    ------
    UsageError, SystemFailure, Cancelled
        For the batch as a whole; what fails of one image is in its row.
    KeyboardInterrupt
        After control-C. The rows of the images that had ended are in the table.

    Examples
    --------
    >>> import numpy, rill
    >>> duct = numpy.zeros((4, 12, 12), bool)
    >>> duct[:, 1:11, 1:11] = True
    >>> closed = duct.copy()
    >>> closed[0] = False
    >>> batch = rill.permeability_many({"duct": duct, "closed": closed, "lost": "lost.tif"}, "2 um", axis="z", device="cpu")
    >>> [row.exit_reason for row in batch.rows]
    ['converged', 'not percolating', 'input refused']
    >>> f"{batch.rows[0].k_darcy:.2f} {batch.rows[1].k_darcy:.2f}"
    '9.98 0.00'
    """
    pairs = pairs_of(images, "permeability()")
    o, _kept = _batch_options(_options("force", 16, tolerance, max_steps, variant, tau, force, acceleration), variant,
                              at_once, csv, resume, device)
    o.error_bar, o.sample_edge = form_of(error_bar), count(sample, "sample")
    return many(pairs, o, voxel_size, axis, pore_of(pore, threshold), order, sides, Where(outside, mask, mask_inside, core, allow_outside), progress)


def pairs_of(images: Any, single: str) -> list[tuple[Any, Any]]:
    """Return names, None where there are none, and images."""
    if isinstance(images, Mapping):
        pairs = list(images.items())
    else:
        if getattr(images, "ndim", 0) == 3:  # whose members would be slices
            raise UsageError(f"images is one image of three axes: use {single}, or give a list of images.")
        pairs = [(None, im) for im in items(images, "images", f"sequence or mapping of images: for one image, use {single}")]
    if not pairs:
        raise UsageError("There is no image: give at least one.")
    return pairs


def many(pairs: list[tuple[Any, Any]], o: Any, voxel_size: Any, axis: Any, pore: Any, order: Any, sides: Any, where: Where, progress: Progress) -> Batch:
    """Compute a batch of images."""
    o.image = image_options(voxel_size, "periodic" if sides is None else sides, "all")
    o.sides_given = sides is not None
    given = [im for _, im in pairs if not is_path(im)]
    if len(given) < len(pairs):
        if order is not None:
            raise UsageError(f"order = {shown(order)} is the order of the axes of arrays, and an image is a file: read it as an array first.")
        set_pore(pore, o.image)
        sample_options(where, o.image, None, False)
    listed = (c.rill_batch_item * len(pairs))()
    names: list[str] = []
    geometries: list[Geometry] = []
    axes: set[str] = set()
    for k, (name, im) in enumerate(pairs):
        if is_path(im):
            names.append(path_text(im))
            listed[k].name = path_bytes(im)
            axes.add("")
            continue
        names.append(str(name) if name is not None else f"image {k}")
        listed[k].name = encoded(names[-1], "the name of an image")
        geometry, letters = as_geometry(im, voxel_size, pore, order, sides, False, where)
        axes.add(letters)
        geometries.append(geometry)
        listed[k].geom = geometry._c
    o.permeability.axis = axis_of(axis, axes.pop() if len(axes) == 1 else "", AXES)
    if o.diffusivity:
        o.diffusivity.contents.axis = o.permeability.axis
    return _compute(listed, names, o, progress)


def _edges(edges: Any, voxel_size: float | None) -> list[int]:
    def voxels(edge: Any) -> int:
        if hasattr(edge, "magnitude"):  # a length of pint
            edge = f"{float(plain(edge, 'm', 'edges'))!r} m"
        if not isinstance(edge, str):
            return count(edge, "edges")
        if voxel_size is None:
            raise UsageError(f"edges = {shown(edge)} is a length, and the voxel size is unknown: give voxel_size=, or voxels.")
        return round(metres(edge, "edges") / voxel_size)

    single = isinstance(edges, (int, float, str, np.integer)) or hasattr(edges, "magnitude")
    return [voxels(e) for e in ([edges] if single else items(edges, "edges", "edge of blocks, in voxels or a length, nor several"))]


def _sample(grid: Any, rows: list[Row], voxels: int) -> SampleError | None:
    own, of, out = (c.rill_batch_row * len(rows))(), c.rill_block_grid(edge=grid.edge, count=grid.count), c.rill_sample_error()
    for to, row in zip(own, rows):
        to.reason, to.status = c.RILL_BATCH_CONVERGED if row.has_result else c.RILL_BATCH_NOT_CONVERGED, int(not row.has_result)
        for a, b in np.ndindex(3, 3):
            to.k[a][b] = row.diffusivity[a, b] if np.isfinite(row.d) else row.tensor_lu[a, b]
    if not library.rill_rev_sample_error(of, own, c.RILL_REV_K, voxels, out):
        return None
    return SampleError(out.blocks, out.deviation, out.half_width, out.edge_tenth)


def _grid(grid: Any, rows: list[Row], order: str, voxels: int) -> Grid:
    own = rows[grid.first: grid.first + grid.count]
    shape = tuple(grid.n[::-1])

    def field(values: list[Any], *inner: int) -> Reals:
        array = np.array(values, float).reshape(*shape, *inner)
        return np.moveaxis(ordered(np.moveaxis(array, (0, 1, 2), (-3, -2, -1)), "zyx", order), (-3, -2, -1), (0, 1, 2))

    return Grid(grid.edge, order, own, field([r.k_lu for r in own]), field([r.porosity.total for r in own]),
                field([r.anisotropy for r in own]), field([r.tensor_lu for r in own], 3, 3), field([r.d for r in own]), _sample(grid, own, voxels))


@takes_image
def blocks(
    im: Source | Geometry,
    edges: int | str | Sequence[int | str],
    voxel_size: Length | None = None,
    axis: Axis | int = "xyz",
    *,
    pore: Pore = None,
    outside: Pore = None,
    mask: Any = None,
    mask_inside: Pore = None,
    core: Core = None,
    order: Order | None = None,
    sides: Sides = "mirror",
    tolerance: float | str | Quantity = 1e-3,
    max_steps: int = 1_000_000,
    variant: str | None = None,
    acceleration: Acceleration = "auto",
    at_once: int = 0,
    csv: str | os.PathLike[str] | None = None,
    resume: bool = False,
    allow_outside: bool = False,
    device: str = "auto",
    progress: Progress = None,
) -> Batch:
    """Compute the permeabilities of the blocks of an image: cubes on a regular grid from voxel 0 on.

    Parameters
    ----------
    edges : int, str, or a sequence of them
        Edges of the blocks in voxels, or lengths such as ``"100 um"``.
    sides : str or sequence of three str
        Domain boundaries of every block. Opposite faces of a block do not fit together, hence 'mirror'; docs/guide.md shows how
        the choice changes k of small blocks.
    {image}
    im, voxel_size, axis, tolerance, max_steps, variant, acceleration, at_once, csv, resume, device, progress
        As in `permeability_many`.

    Returns
    -------
    Batch
        `grids` has the blocks of each size as arrays.

    Examples
    --------
    >>> import numpy, rill
    >>> im = numpy.zeros((16, 16, 16), bool)
    >>> im[:, 1:7, 1:7] = True                     # a channel along z in one of four columns of blocks
    >>> grid = rill.blocks(im, 8, axis="z", device="cpu").grids[0]
    >>> int((grid.k_lu > 0).sum()), float(grid.porosity[0, 0, 0])
    (2, 0.5625)
    """
    o, _kept = _batch_options(_options("force", 16, tolerance, max_steps, variant, None, None, acceleration), variant,
                              at_once, csv, resume, device)
    return cut(im, edges, o, voxel_size, axis, pore, order, sides, Where(outside, mask, mask_inside, core, allow_outside), progress)


def cut(im: Any, edges: Any, o: Any, voxel_size: Any, axis: Any, pore: Any, order: Any, sides: Any, where: Where, progress: Progress) -> Batch:
    """Compute a batch of the blocks of an image."""
    geometry, letters = as_geometry(im, voxel_size, pore, order, sides, progress, where)
    o.permeability.axis = axis_of(axis, letters, AXES)
    if o.diffusivity:
        o.diffusivity.contents.axis = o.permeability.axis
    sizes = _edges(edges, geometry.voxel_size)
    name = path_text(im) if is_path(im) else "image"
    if is_path(im) or isinstance(im, Geometry):
        letters = order_of(order)
    grids = (c.rill_block_grid * len(sizes))()
    cut, number = ctypes.POINTER(c.rill_batch_item)(), ctypes.c_size_t()
    kept = path_bytes(name)
    check(library.rill_blocks_create(geometry._c, kept, (ctypes.c_uint32 * len(sizes))(*sizes), len(sizes), grids,
                                     ctypes.byref(cut), ctypes.byref(number)))
    try:
        batch = _compute(cut, [name] * number.value, o, progress)
    finally:
        library.rill_blocks_free(cut)
    return dataclasses.replace(batch, grids=[_grid(g, batch.rows, letters, library.rill_geom_sample(geometry._c)) for g in grids])
