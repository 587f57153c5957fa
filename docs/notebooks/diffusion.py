# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Diffusion: effective diffusivity, tortuosity factor, two phases
#
# The same image in two questions: how does it conduct a solute or a current, and how a fluid?

# %%
import matplotlib.pyplot as plt
import numpy as np

import rill

# %% [markdown]
# Overlapping spheres of solid, in a periodic box.

# %%
n, radius = 40, 7.0
away = np.indices((n, n, n)) + 0.5
im = np.ones((n, n, n), bool)
for centre in np.random.default_rng(2).uniform(0, n, (30, 3)):
    distance = np.abs(away - centre[:, None, None, None])
    im &= (np.minimum(distance, n - distance) ** 2).sum(axis=0) > radius**2

# %%
result = rill.diffusivity(im, voxel_size="2 um", axis="xyz", fields=True)
result

# %% [markdown]
# The bounds hold on these voxels: D is between them.

# %%
for run in result.runs:
    print(f"along {run.axis}: {run.lower:.6f} <= D_eff/D0 <= {run.upper:.6f}, {run.iterations} iterations")

# %% [markdown]
# Tortuosity is two numbers: the factor of diffusion, and the ratio of lengths of the flow. They are not the same.

# %%
flow = rill.permeability(im, voxel_size="2 um", axis="x")
print(f"diffusion: factor {result.tortuosity_factor[0]:.3f}; flow: tortuosity {flow.runs[0].tortuosity:.3f}")

# %% [markdown]
# Two conducting phases: the spheres conduct a twentieth of what the pores do.

# %%
grey = np.where(im, 0, 128).astype(np.uint8)
both = rill.diffusivity(grey, phases={0: 1, 128: 0.05}, axis="x")
print(f"D_eff/D0 {result.tensor[0, 0]:.4f} with solid spheres, {both.d:.4f} with spheres that conduct")

# %%
field = result.fields["x"]
figure, axes = plt.subplots(figsize=(5, 4))
axes.set_facecolor("0.7")
shown = axes.imshow(np.where(im[n // 2], np.linalg.norm(field.flux, axis=0)[n // 2], np.nan), origin="lower")
axes.set(xlabel="x, voxels", ylabel="y, voxels")
figure.colorbar(shown, label="flux, D0 / voxel")
