#!/usr/bin/env bash
# Builds mdbook, which turns docs/ into web pages, into the folder given.
#
# Without its web server and its file watcher: we only build.
set -euo pipefail

version=$1
prefix=$2    # created when, and only when, the program is there

printf 'mdbook: building version %s, which takes a few minutes\n' "$version" >&2
rm -rf "$prefix.part"
cargo install mdbook --version "$version" --locked --no-default-features --features search --no-track --quiet --root "$prefix.part"
mv -T "$prefix.part" "$prefix"
