#!/usr/bin/env bash
# Fetches universalmutator, which writes mutated copies of source files, into the folder given.
#
# One of our tests has Whet settle the mutants of another tool.
set -euo pipefail

version=$1
prefix=$2    # created when, and only when, all files are there

printf 'universalmutator: fetching version %s\n' "$version" >&2
rm -rf "$prefix.part"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
  --target "$prefix.part" "universalmutator==$version"
# A module of Python's own, as it was for Python 2; it would come first.
rm -f "$prefix.part/typing.py"
mv -T "$prefix.part" "$prefix"
