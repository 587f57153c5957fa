# SPDX-License-Identifier: Apache-2.0
"""``python -m rill`` is the program rill."""

from ._program import main

main()
