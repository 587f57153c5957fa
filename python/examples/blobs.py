# SPDX-License-Identifier: Apache-2.0
"""Six lines from an image of PoreSpy to its permeability, with a picture of the flow: python blobs.py"""
import porespy, rill
im = porespy.generators.blobs(shape=[64, 64, 64], porosity=0.6, blobiness=1)
result = rill.permeability(im, voxel_size="5 um", axis="x", order="xyz", sides="mirror", fields=True)
print(result)
speed = (result.fields["x"].to_xarray(viscosity=1e-3).velocity ** 2).sum("component") ** 0.5
speed.isel(z=32).plot().figure.savefig("flow.png", bbox_inches="tight")
