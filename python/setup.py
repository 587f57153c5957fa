# SPDX-License-Identifier: Apache-2.0
"""With a library of this machine's kind in rill/lib the wheel is py3-none-PLATFORM: it has no extension module of one Python
version. Without it, the package is pure Python, and finds the library that is installed otherwise."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

CARRIES = os.path.isdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rill", "lib"))


class Binary(Distribution):
    def has_ext_modules(self):
        return CARRIES


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2]) if CARRIES else super().get_tag()


setup(version=os.environ["RILL_VERSION"], distclass=Binary, cmdclass={"bdist_wheel": Wheel})
