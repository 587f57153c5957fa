# SPDX-License-Identifier: Apache-2.0
"""The wheel holds a library of this machine's kind, but no extension module of one Python version: py3-none-PLATFORM."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(version=os.environ["RILL_VERSION"], distclass=Binary, cmdclass={"bdist_wheel": Wheel})
