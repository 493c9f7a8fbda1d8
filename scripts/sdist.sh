#!/usr/bin/env bash
# Fetches a Python source distribution into the current folder, without running it.
#
# pip asks a source package for its metadata before it keeps the file. The real
# answer would need the package's whole build system, so a stand-in under the
# name of its build backend gives a short one.
set -euo pipefail

name=$1
version=$2
sha256=$3    # of NAME-VERSION.tar.gz; pip keeps no other file
backend=$4   # `build-backend` in the package's pyproject.toml

stand_in=$(mktemp -d)
trap 'rm -rf "$stand_in"' EXIT

module=$stand_in/${backend//.//}.py
mkdir -p "$(dirname "$module")"
touch "$(dirname "$module")/__init__.py"
cat > "$module" <<PY
import os

def get_requires_for_build_wheel(settings=None):
    return []

def prepare_metadata_for_build_wheel(directory, settings=None):
    folder = "$name-$version.dist-info"
    os.makedirs(os.path.join(directory, folder))
    with open(os.path.join(directory, folder, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: $name\nVersion: $version\n")
    return folder
PY

echo "$name==$version --hash=sha256:$sha256" > "$stand_in/requirements.txt"
# Only the sources are read, so it does not matter which Python the package asks for.
PYTHONPATH=$stand_in python3 -m pip --disable-pip-version-check download --quiet \
  --no-deps --no-binary :all: --no-build-isolation --ignore-requires-python \
  --requirement "$stand_in/requirements.txt" >&2
