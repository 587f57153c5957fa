# SPDX-License-Identifier: Apache-2.0
"""Sentences of the library as Python says them: ``pore=``, not ``--pore``.

The library names options as the program does. An option whose name is that of a keyword is this keyword: that is found in the
signatures of the public functions. The tables below have the others. tests/test_words.py applies this to every sentence of the sources.
"""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Mapping
from typing import Any

#: What is said in another way altogether: pattern and replacement, in this order.
PHRASES = [(re.compile(pattern), words) for pattern, words in (
    (r"`rill variants --all`", "`rill.variants(all=True)`"),
    (r"`rill variants`", "`rill.variants()`"),
    (r"`?\brill info\b( \S+(?=`))?`?", "`rill.open`"),
    (r"`rill voxelize VESSEL\.stl`", "`rill.voxelize`"),
    (r"--sensitivity of `rill permeability`", "The option sensitivity of the program's command permeability"),
    (r"`rill (voxelize|permeability|check|run)`", r"`rill.\1`"),
    (r"--memory \(RILL_MEMORY\)|RILL_MEMORY \(option --memory\)", "the environment variable RILL_MEMORY"),
    (r"with --overwrite or another -o", "in another directory"),
    (r"leave out --size, --type, --endian and --skip, or say --format raw", "leave out shape= and dtype="),
    (r" \(or say --format raw\)", ""),
    (r", or (add )?--allow-voxel-size if it is right", ""),
    (r"--endian big", "a dtype= of big-endian numbers, such as '>u2',"),
    (r"--endian little", "a dtype= of little-endian numbers, such as '<u2',"),
    (r"--size NXxNYxNZ", "shape=(NZ, NY, NX)"),
    (r"--size (\d+)[x,](\d+)[x,](\d+)", r"shape=(\3, \2, \1)"),
    (r"--axes\b", "order="),
    (r"--core d=([\d.]+)", r'core={"d": \1}'),
    (r"--core x=([\d.]+),y=([\d.]+),d=([\d.]+)", r'core={"x": \1, "y": \2, "d": \3}'),
    (r"--core inscribed", "core='inscribed'"),
    (r"--mask-inside VALUES", "a mask of bool"),
    (r"--pore ([-\d.e]*\d:T|T:[-\d.e]*\d)", r"pore='\1'"),
)]
#: Options whose keyword has another name.
OTHER_NAMES = {"backend": "device", "size": "shape", "type": "dtype", "output": "directory", "name": "names"}
#: Options that together are the name of a variant.
OF_VARIANTS = "storage|stream|addressing|equilibrium|collision|lattice|arithmetic|shift"

_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])(?:( |=)(\"[^\"]*\"|[-+]?\.?\d[\w.,+-]*[\w]|[-+]?\d|[A-Za-z]+(?![\w=-]|\.\w)))?")
_VARIANT = re.compile(rf"(?:--(?:{OF_VARIANTS}) [\w-]+(?: |\b))+")
_COMMAND = re.compile(r"`?\brill (permeability|voxelize)((?: (?:\"[^\"]*\"|[^\s`;,()]+))*?)(?: -o \S+)?"
                      r"((?: --[a-z][a-z-]*(?: (?:\"[^\"]*\"|[^\s`;:()-][^\s`;:()]*))?)+)(?: -o \S+)?`?")


@functools.cache
def keywords() -> Mapping[str, type | None]:
    """Return the keywords of the public functions; bool where they are choices between True and False."""
    import rill

    found: dict[str, type | None] = {}
    for function in (rill.run, rill.blocks, rill.permeability_many, rill.voxelize, rill.permeability, rill.diffusivity, rill.dispersion):
        for name, parameter in inspect.signature(function).parameters.items():
            found[name] = bool if isinstance(parameter.default, bool) else None
    return found


@functools.cache
def values() -> Mapping[str, frozenset[str]]:
    """Return the named values of keywords."""
    import rill

    found: dict[str, set[str]] = {"device": {"cpu", "cuda", "auto"}, "resample": {"isotropic"}, "units": {"mm", "um", "cm", "m"}}
    for function in (rill.run, rill.voxelize, rill.permeability, rill.diffusivity, rill.dispersion):
        for name, hint in typing.get_type_hints(function).items():
            found.setdefault(name, set()).update(_literals(hint))
    return {name: frozenset(names) for name, names in found.items()}


def _literals(hint: Any) -> set[str]:
    """Return the texts of all Literals in a type."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return {part for part in parts if isinstance(part, str)}
    return {text for part in parts for text in _literals(part)}


def _value(name: str, given: str) -> str | None:
    """Return the value of an option as Python writes it; None if the word behind the option is none."""
    if given.startswith('"'):
        return repr(given[1:-1])
    if name == "pore":
        ranges = [re.fullmatch(r"(-?[\d.]+)(?:-(-?[\d.]+))?", part) for part in given.split(",")]
        if not all(ranges):
            return None
        if any(m[2] for m in ranges if m):
            return repr(given)
        return given if len(ranges) == 1 else f"[{', '.join(m[1] for m in ranges if m)}]"
    if given in values().get(name, ()):
        return repr(given)
    if re.fullmatch(r"[-+]?\.?\d[\d.]*(e[-+]?\d+)?", given):
        return given
    return repr(given) if given[0] in "+-.0123456789" else None


def _keyword(match: re.Match[str]) -> str:
    """Return an option as a keyword, or say that it is one of the program."""
    option, space, given = match[1], match[2] or "", match[3]
    name = OTHER_NAMES.get(option, option.replace("-", "_"))
    if name not in keywords():
        value = given if given and re.match(r"[\d\".]|[A-Z]+$", given) else ""
        return f"the option --{option}{space if value else ''}{value} of the program rill{'' if value else space}{'' if value else given or ''}"
    if keywords()[name] is bool:
        return f"{name}=True{space}{given or ''}"
    value = _value(name, given) if given else None
    return f"{name}={value}" if value is not None else f"{name}={space}{given or ''}"


def _variant(match: re.Match[str]) -> str:
    """Return options of a kernel as a variant."""
    found = match[0]
    parts = re.findall(r"--([a-z]+) ([\w-]+)", found)
    return "a variant= with " + " and ".join(f"the {name} {value}" for name, value in parts) + (" " if found.endswith(" ") else "")


def _command(match: re.Match[str]) -> str:
    """Return a command line of the program as a call."""
    source = match[2].strip() or "…"
    source = repr(source.strip('"')) if source.startswith('"') or "." in source else "…"
    options = [_keyword(m) for m in _OPTION.finditer(match[3])]
    if any("of the program" in option for option in options):
        return match[0]
    return f"`rill.{match[1]}({', '.join([source, *options])})`"


def spoken(sentence: str) -> str:
    """Return a sentence of the library with keywords of Python in place of options of the program."""
    if "--" not in sentence and "rill " not in sentence:
        return sentence
    for pattern, words in PHRASES:
        sentence = pattern.sub(words, sentence)
    sentence = _COMMAND.sub(_command, sentence)
    sentence = _VARIANT.sub(_variant, sentence)
    return _OPTION.sub(lambda m: m[0] if sentence[: m.start()].endswith("the option ") else _keyword(m), sentence)
