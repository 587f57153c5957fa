# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A vessel: from a surface to wall shear stress
#
# A tube whose exact wall shear is known, 4 µ Q / (π R³): the way of a vessel from its surface to a picture, with an answer to compare with.

# %%
import matplotlib.pyplot as plt
import numpy as np

import rill

# %% [markdown]
# A surface is an STL, OBJ, PLY or VTP file, or vertices and triangles, in metres. Open ends are found.

# %%
radius, length, edge = 1e-3, 6e-3, 0.15e-3
around, along = int(2 * np.pi * radius / edge), int(length / edge)
angle = 2 * np.pi * np.arange(around) / around
ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
vertices = np.array([(x, y, z) for z in np.linspace(0, length, along + 1) for x, y in ring])
here, beside = np.arange(around), np.roll(np.arange(around), -1)
band = np.vstack([np.column_stack([here, beside, beside + around]), np.column_stack([here, beside + around, here + around])])
triangles = np.vstack([band + k * around for k in range(along)])
vessel = rill.voxelize((vertices, triangles), dx="0.14 mm")
for opening in vessel.openings:
    print(f"{opening.name}: z = {1e3 * opening.centre[2]:.1f} mm, {1e6 * opening.area:.3f} mm2")

# %%
case = {
    "fluid": {"density": "1060 kg/m3", "viscosity": "3.5 mPa.s"},
    "openings": {"opening-1": {"kind": "inlet", "flow": "0.3 mL/s", "profile": "parabolic"}, "opening-2": {"kind": "pressure", "pressure": "0 Pa"}},
    "run": {"tolerance": "1 %"},
    "output": {"surface": True},
}
result = rill.run(case, geometry=vessel)
result

# %% [markdown]
# Wall shear on the triangles, beside the exact one.

# %%
tawss, osi = result.wall_shear()
z = 1e3 * vertices[triangles].mean(axis=1)[:, 2]
exact = 4 * 3.5e-3 * 0.3e-6 / (np.pi * radius**3)
middle = np.isfinite(tawss) & (np.abs(z - z.mean()) < 1)
print(f"mean in the middle {tawss[middle].mean():.4f} Pa, exact {exact:.4f} Pa")

# %%
figure, axes = plt.subplots(figsize=(5, 3))
axes.plot(z, tawss, ".", markersize=2, label="triangles")
axes.axhline(exact, color="black", label="exact")
axes.set(xlabel="z, mm", ylabel="wall shear stress, Pa", ylim=(0, None))
axes.legend(frameon=False)
