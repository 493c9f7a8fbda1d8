#!/usr/bin/env bash
# Fetches Unity, the C test framework, into the folder given.
#
# Our tests compile the tests that Whet writes. Unity has no package of its own
# where ours come from; the source distribution of `pysear` 0.7.1 carries version
# 2.6.1 as released, three files with their licence.
set -euo pipefail

version=$1   # of Unity
prefix=$2    # created when, and only when, all files are there
pysear=0.7.1
sha256=172525a1656b84c97d879d370c382ef0356ad5e1f27d76d7b44fea5978610904

say() { printf 'unity: %s\n' "$*" >&2; }

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say "fetching version $version"
"$here/sdist.sh" pysear "$pysear" "$sha256" setuptools.build_meta
tar xzf "pysear-$pysear.tar.gz" --warning=no-unknown-keyword
unity=pysear-$pysear/tests/unity

carried=$(awk '/^#define UNITY_VERSION_(MAJOR|MINOR|BUILD)/ { printf "%s%s", dot, $3; dot = "." }' "$unity/unity.h")
[ "$carried" = "$version" ] || { say "the package carries $carried, not $version"; exit 1; }

# Copied beside the target, so that the last move is atomic.
rm -rf "$prefix.part"
mkdir -p "$prefix.part"
cp "$unity"/{unity.c,unity.h,unity_internals.h,LICENSE.txt} "$prefix.part/"
mv -T "$prefix.part" "$prefix"
say "ready in $prefix"
