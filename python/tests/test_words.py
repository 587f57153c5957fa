# SPDX-License-Identifier: Apache-2.0
"""The sentences of the library name keywords of Python: every sentence of the sources, and some whole."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator

import numpy as np
import pytest

import rill
from rill._words import keywords, spoken, values

SOURCES = pathlib.Path(os.environ.get("RILL_INCLUDE", pathlib.Path(__file__).resolve().parents[2] / "include")).parent
#: What Python has no keyword for. Each is named as an option of the program.
PROGRAM = {"plane", "patch", "shell", "weld", "remove-most", "skip", "ranks", "format", "overwrite"}
#: The command line, and what Python has no function for.
ELSEWHERE = {"cli", "verify", "bench", "generate", "free_surface", "membrane"}


def literals(text: str) -> Iterator[str]:
    """Yield the texts of a C source, those that the compiler joins as one."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: m[0] if m[0][0] == '"' else " ", text, flags=re.S)
    for m in re.finditer(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', text):
        yield "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', m[0])).replace('\\"', '"')


def filled(sentence: str) -> str:
    """Return a sentence with values in place of the formats of printf."""
    kinds = {"d": "5", "u": "5", "g": "0.2", "f": "0.2", "e": "0.2", "c": "z", "s": "word", "x": "f"}
    sentence = re.sub(r"(?<=\w)%s", "", sentence)  # what may follow
    return re.sub(r"%[-+.*\d]*(?:ll|l|z)?([a-z])", lambda m: kinds[m[1]], sentence).replace("%%", "%")


def sentences() -> list[str]:
    """Return what the library may say that names an option."""
    found = []
    for folder in ("src", "geometry", "cuda"):
        for path in sorted((SOURCES / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cu", ".cuh") and not ELSEWHERE & set(path.parts[len(SOURCES.parts):]):
                found += [filled(s) for s in literals(path.read_text("utf-8")) if re.search(r"(?<![\w-])--[a-z]|`rill ", s)
                          and not s.startswith(("--gpu", "--std", "--device-as", "--ptxas", "--diag"))]  # options of NVIDIA's compiler
    return found


@pytest.mark.skipif(not (SOURCES / "src").is_dir(), reason="no sources")
def test_no_sentence_names_an_option_of_the_program() -> None:
    found = sentences()
    assert len(found) > 60
    for sentence in found:
        said = spoken(sentence)
        left = re.sub(r"the option --([a-z-]+)(?: \S+)? of the program rill", lambda m: "" if m[1] in PROGRAM else m[0], said)
        assert not re.search(r"(?<![\w-])--[a-z]|`rill |(?<![\w-])-o\b", left), f"{sentence!r} becomes {said!r}"
        assert spoken(said) == said, said
        for name in re.findall(r"\b([a-z_]+)=(?![=>])", said):
            assert name in keywords() or name in ("all", "RILL_CPU_LEVEL", "CPU_LEVELS"), said


def test_options_that_the_program_alone_has_are_no_keywords() -> None:
    assert not {option.replace("-", "_") for option in PROGRAM} & set(keywords())


@pytest.mark.parametrize(("sentence", "said"), [
    ("raise --max-steps (now 200)", "raise max_steps= (now 200)"),
    ("with --max-steps 20 the run ends", "with max_steps=20 the run ends"),
    ("use --sides periodic or mirror there", "use sides='periodic' or mirror there"),
    ("other --sides or --pore, or --keep all", "other sides= or pore=, or keep='all'"),
    ("give --pore 0", "give pore=0"), ("give --pore 1-127", "give pore='1-127'"), ("give --pore 0,2-5 or more", "give pore='0,2-5' or more"),
    ("Give --pore 0 or --pore 1,2. Former", "Give pore=0 or pore=[1, 2]. Former"),
    ("Give --pore 0:T or --pore T:9, with a threshold T", "Give pore='0:T' or pore='T:9', with a threshold T"),
    ("say with --pore which", "say with pore= which"),
    ("choose --dx 0.25mm or less", "choose dx='0.25mm' or less"), ('with --dx "0.25 mm" or less', "with dx='0.25 mm' or less"),
    ("accept it with --min-cells 3.2", "accept it with min_cells=3.2"), ("with --extend 0.5D", "with extend='0.5D'"),
    ("give --size NXxNYxNZ, or --size 4x5x6", "give shape=(NZ, NY, NX), or shape=(6, 5, 4)"),
    ("give --core d=62, or --core x=13,y=16.5,d=20", 'give core={"d": 62}, or core={"x": 13, "y": 16.5, "d": 20}'),
    ("run with --backend cpu.", "run with device='cpu'."), ("start anew without --resume", "start anew without resume=True"),
    ("choose --stream aa --addressing bitmap", "choose a variant= with the stream aa and the addressing bitmap"),
    ("take --storage fp32, or more", "take a variant= with the storage fp32, or more"),
    ("cut it with --plane", "cut it with the option --plane of the program rill"),
    ("take --shell 2 (the second)", "take the option --shell 2 of the program rill (the second)"),
    ("with `rill permeability a.npy --pore 0 --sides mirror`", "with `rill.permeability('a.npy', pore=0, sides='mirror')`"),
    ("with rill voxelize --units mm --dx 0.25mm", "with `rill.voxelize(…, units='mm', dx='0.25mm')`"),
    ('rill voxelize "a b.tif" --resample isotropic -o FILE.geom.h5 makes 3', "`rill.voxelize('a b.tif', resample='isotropic')` makes 3"),
    ("a range 3--4 and x--y", "a range 3--4 and x--y"), ("nothing", "nothing"),
])
def test_sentences(sentence: str, said: str) -> None:
    assert spoken(sentence) == said


def test_named_values_are_those_of_the_signatures() -> None:
    assert {"periodic", "mirror", "wall"} == values()["sides"] and {"force", "pressure", "gradient", "outside", "inside"} == values()["drive"]


def test_refusals_and_rows_name_keywords(tmp_path: pathlib.Path) -> None:
    im = np.ones((8, 8, 8), np.uint8)
    im[0] = 2
    with pytest.raises(rill.UsageError, match="pore="):
        rill.permeability(im, pore=5, axis="x", device="cpu")
    with pytest.raises(rill.NumericsError, match=r"max_steps= \(now 3\)") as caught:
        rill.permeability(im, pore=1, axis="x", max_steps=3, tolerance=1e-6, device="cpu")
    assert "max_steps=" in caught.value.result.runs[0].reason
    rows = rill.permeability_many([im], pore=1, axis="x", max_steps=3, tolerance=1e-6, device="cpu").rows
    assert "max_steps=" in rows[0].message and "--" not in rows[0].message
