# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A rock: from an image to a permeability that says how sure it is
#
# A binary image, its permeability tensor with an uncertainty, the flow in SI units, and how large a sample must be.

# %%
import matplotlib.pyplot as plt
import numpy as np

import rill

# %% [markdown]
# The image is any bool array, True in the pores: of PoreSpy, of a segmented scan, or made here, a Gaussian random field above a threshold.

# %%
n = 48
wave = np.fft.fftfreq(n, 1 / n)
square = sum(np.meshgrid(wave**2, wave**2, wave**2))
noise = np.fft.fftn(np.random.default_rng(4).standard_normal((n, n, n)))
field = np.fft.ifftn(noise * np.exp(-square / 50)).real
im = field > np.quantile(field, 0.6)
print(f"{im.shape} voxels, porosity {im.mean():.3f}")

# %% [markdown]
# What will it cost? Nothing is computed yet; a plan that is refused says why.

# %%
rill.plan(im, voxel_size="5 um", axis="xyz")

# %% [markdown]
# The permeability along three axes. The array is periodic, as a Fourier series is; for a piece of rock write `sides="mirror"`.

# %%
result = rill.permeability(im, voxel_size="5 um", axis="xyz", fields=True)
result

# %%
print(result.tensor_darcy.round(3), "darcy")
for axis, flow in result.flow("1 mbar", "water").items():
    print(f"1 mbar along {axis} drives {1e12 * flow['rate']:.1f} nL/s of water, Reynolds number {flow['reynolds']:.2g}")

# %% [markdown]
# The error bar says what is known of each source of error, and what was not asked.

# %%
for one in result.error_bar.contributions:
    print(f"{one.name}: {one.kind}, {one.state}; {one.note}")

# %% [markdown]
# The flow of water at 1 bar/m in a slice, in mm/s.

# %%
velocity, pressure = result.fields["x"].si(viscosity="1 mPa.s", gradient="1 bar/m")
speed = 1e3 * np.linalg.norm(velocity, axis=0)[n // 2]
figure, axes = plt.subplots(figsize=(5, 4))
axes.set_facecolor("0.7")
edge = 5e-3 * n
shown = axes.imshow(np.where(im[n // 2], speed, np.nan), origin="lower", extent=(0, edge, 0, edge))
axes.set(xlabel="x, mm", ylabel="y, mm")
figure.colorbar(shown, label="speed, mm/s")

# %% [markdown]
# How far is k of this image that of the material? Blocks of the image answer.

# %%
batch = rill.blocks(im, [16, 24], voxel_size="5 um", axis="x")
for grid in batch.grids:
    print(f"edge {5 * grid.edge} um: k of {np.isfinite(grid.k_lu).sum()} of {grid.k_lu.size} blocks, median {np.nanmedian(grid.k_lu):.3f} voxel²")
sample = batch.grids[-1].sample
print(f"k of the whole image is that of the material within {100 * sample.half_width:.0f} %, from {sample.blocks} blocks")

# %% [markdown]
# Keep the result: numbers to JSON or CSV, fields to npz, and what made them.

# %%
result.save("k.json", overwrite=True)
result.provenance
