# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts/demo, scripts/test and .ci/run: what they need from the system, and how it gets there.
# shellcheck shell=bash

BUILD_PACKAGES="gcc libc6-dev make pkgconf libhdf5-dev libtiff-dev libpng-dev libudunits2-dev libxxhash-dev
  libjansson-dev libyaml-dev zlib1g-dev libzip-dev libexpat1-dev"
TEST_PACKAGES="libcriterion-dev locales libopenmpi-dev openmpi-bin python3-vtk9 python3-h5py python3-numpy cmake python3-jsonschema python3-yaml"
CI_PACKAGES="clang python3-scipy doxygen clang-format libomp-dev libclang-rt-dev valgrind mkdocs mkdocs-material mkdocstrings mkdocstrings-python-handlers
  python3-matplotlib"
DEB_PACKAGES="libopenmpi-dev debhelper dh-python dpkg-dev fakeroot lintian python3-setuptools python3-wheel"

say() { printf '==> %s\n' "$*"; }
stop() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# need PACKAGE…: install what is missing, after saying so. SKIP_SETUP=1: trust that all of it is there.
need() {
  [ "${SKIP_SETUP:-0}" = 0 ] || return 0
  local id='' version='' missing=() package root=()
  id=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${ID:-}")
  version=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${VERSION_ID:-}")
  if [ "$id" != debian ] || [ "${version%%.*}" -lt 12 ] 2>/dev/null; then
    stop "this is not Debian 12 or later: install what Debian calls $(echo "$@"), then run SKIP_SETUP=1 $0"
  fi
  for package; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      stop "neither root nor sudo: as root, run apt-get install ${missing[*]}, then run $0 again"
    root=(sudo)
  fi
  say "Installing with apt-get: ${missing[*]}"
  "${root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 update >&2 || stop 'apt-get update failed: is there a network?'
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 install \
    --no-install-recommends "${missing[@]}" >&2 || stop "apt-get could not install ${missing[*]}"
}

# One line on what the build and the run will use.
say_cuda() {
  local nvcc
  nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
  if [ -z "$nvcc" ]; then
    say 'No nvcc: built without CUDA, it runs on the CPU'
  elif ! { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; }; then
    say 'No CUDA device answers: it runs on the CPU'
  else
    say "CUDA device: $(nvidia-smi -L | head -n 1 | sed 's/ (UUID.*//')"
  fi
}
