# SPDX-License-Identifier: Apache-2.0
"""Imported before packages that Python does not bring: one that is lacking is named in a sentence, in place of a traceback."""
import sys

traceback = sys.excepthook


def sentence(kind, error, trace):
    if not issubclass(kind, ModuleNotFoundError) or not error.name:
        traceback(kind, error, trace)
        return
    debian = "/usr/bin/python3"
    other = "" if sys.executable == debian else f", or run {debian} {sys.argv[0]}, which has Debian's packages"
    print(f"{sys.argv[0]}: {sys.executable} has no package {error.name}: install what the head of the script names{other}", file=sys.stderr)


sys.excepthook = sentence
