# SPDX-License-Identifier: Apache-2.0
"""What pip installs: the name of the distribution, licences of what travels in it, man pages and completions."""
import importlib.metadata
import pathlib

import pytest
import rill


@pytest.fixture(scope="module")
def installed():
    try:
        return importlib.metadata.distribution("rill-lbm")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package of the sources, not a wheel, is tested")


def test_the_distribution_is_called_rill_lbm_and_imported_as_rill(installed):
    assert installed.version == rill.__version__
    assert [entry.name for entry in installed.entry_points if entry.group == "console_scripts"] == ["rill"]


def test_licences_of_libraries_travel_with_them(installed):
    names = [pathlib.PurePath(str(file)) for file in installed.files]
    licences = {name.name.removeprefix("LICENSE.") for name in names if name.name.startswith("LICENSE.")}
    assert all(any(part in name for name in licences) for part in ("hdf5", "gomp", "tiff", "png", "udunits", "yaml", "jansson", "zip"))


def test_man_pages_and_completions_are_installed(installed):
    names = {pathlib.PurePath(str(file)).name for file in installed.files}
    assert {"rill.1", "rill-permeability.1", "rill-run.1", "rill", "_rill", "rill.fish"} <= names
