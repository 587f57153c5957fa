# SPDX-License-Identifier: Apache-2.0
"""Lattice Boltzmann flow in pores and vessels: the Python package of rill, on the C interface of librill.

>>> import numpy, rill
>>> im = numpy.zeros((12, 12, 4), bool)
>>> im[1:11, 1:11] = True                         # a square duct along x, True = pore
>>> result = rill.permeability(im, voxel_size="2 um", axis="x", device="cpu")
>>> f"k = {result.k_darcy:.2f} darcy, porosity {result.porosity.total:.4f}"
'k = 9.98 darcy, porosity 0.6944'

Arrays of images are ``im[z, y, x]``, as in files; give ``order="xyz"`` for ``im[x, y, z]``, as PoreSpy has it. The dims of an
xarray.DataArray are honoured, and the result names the axes of the array. Lengths are metres, texts with a unit or quantities of pint. "lu" is lattice units: voxel, time step, density 1. A refusal is an exception with one sentence; its class gives the
reason: `UsageError`, `NumericsError`, `SystemFailure`, `Cancelled`, all of them `Error`.
"""

from ._batch import Batch, Grid, Row, SampleError, blocks, permeability_many
from ._diffusivity import DiffusionBar, DiffusionField, DiffusionRun, Diffusivity, diffusivity, diffusivity_blocks, diffusivity_many
from ._dispersion import Breakthrough, Dispersion, DispersionField, dispersion
from ._error_bar import Contribution, ErrorBar
from ._files import Dataset, File, Group, open
from ._geometry import Geometry, Opening, Porosity, voxelize
from ._grids import VesselErrorBar, VesselQuantity
from ._interface import RILL_VERSION_MAJOR, RILL_VERSION_MINOR, RILL_VERSION_PATCH
from ._library import version
from ._field import Field
from ._network import Network, PoreSizes, network
from ._permeability import DARCY, Permeability, Run, Walls, permeability
from ._plan import Plan, plan
from ._program import bench, command
from ._progress import Moment, Progress
from ._values import quantity
from ._tables import Table
from ._variants import Variant, variants
from ._vessel import VesselRun, run
from .errors import Cancelled, Error, NumericsError, RillWarning, SystemFailure, UsageError

__version__ = f"{RILL_VERSION_MAJOR}.{RILL_VERSION_MINOR}.{RILL_VERSION_PATCH}"

# `open` is not among them: `from rill import *` must not replace the one of Python.
__all__ = [
    "Batch", "Breakthrough", "Cancelled", "Contribution", "DARCY", "Dataset", "DiffusionBar", "DiffusionField", "DiffusionRun", "Diffusivity", "Dispersion", "DispersionField", "Error", "ErrorBar", "Field", "File", "Geometry", "Grid",
    "Group", "Moment", "Network", "NumericsError", "Opening", "Permeability", "Plan", "PoreSizes", "Porosity", "Progress", "RillWarning", "Row", "Run", "SampleError",
    "SystemFailure", "Table", "UsageError", "Variant", "VesselErrorBar", "VesselQuantity", "VesselRun", "Walls", "bench", "blocks", "command", "diffusivity", "diffusivity_blocks", "diffusivity_many", "dispersion", "network",
    "permeability", "permeability_many", "plan", "quantity", "run", "variants", "version", "voxelize",
]
