# SPDX-License-Identifier: Apache-2.0
"""The choices of a variant, as src/kernel/variants.def lists them."""
import pathlib
import re

LIST = pathlib.Path(__file__).resolve().parent.parent / "src/kernel/variants.def"


def names(choice):
    """Return the names of the values of a choice, such as "STORAGE", in their order."""
    return tuple(re.findall(rf'^RILL_{choice}(?:_16)?\(\w+, "(\w+)"', LIST.read_text(), re.MULTILINE))
