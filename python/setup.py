# SPDX-License-Identifier: Apache-2.0
"""With a library of this machine's kind in rill/lib the wheel is py3-none-PLATFORM: it has no extension module of one Python
version. Without it, the package is pure Python, and finds the library that is installed otherwise."""

import glob
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


# Man pages and completions, where scripts/make-wheel has put them: pip installs them beside the program, and pipx links the pages.
PAGES = {"share/man/man1": "man1/*", "share/bash-completion/completions": "completions/rill", "share/zsh/site-functions": "completions/_rill",
         "share/fish/vendor_completions.d": "completions/rill.fish"}
files = [(folder, sorted(found)) for folder, found in ((folder, glob.glob(f"pages/{pattern}")) for folder, pattern in PAGES.items()) if found]

setup(version=os.environ["RILL_VERSION"], distclass=Binary, cmdclass={"bdist_wheel": Wheel}, data_files=files)
