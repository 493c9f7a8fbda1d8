#!/usr/bin/env bash
# Fetches the sources of musl, a C library, into the folder given.
#
# Whet lifts them like the user's code. They come as a source package of the system's own archives. These
# are asked with lists of their own, so the system's lists of packages stay as they are, and no root is needed.
set -euo pipefail

version=$1   # of musl
prefix=$2    # created when, and only when, the sources are there
sha256=7d5b0b6062521e4627e099e4c9dc8248d32a30285e959b7eecaa780cf8cfd4a4   # of version 1.2.3

say() { printf 'musl: %s\n' "$*" >&2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{parts,lists/partial,cache/archives/partial,source}
cd "$work/source"

# The system's own lists, with sources in place of packages. Both of apt's formats.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ ! -e "$list" ] || sed -nE 's/^[[:space:]]*deb(-src)?[[:space:]]/deb-src /p' "$list" > "$work/parts/$(basename "$list" .list).list"
done
for list in /etc/apt/sources.list.d/*.sources; do
  [ ! -e "$list" ] || sed -E 's/^(Types:[[:space:]]*).*/\1deb-src/' "$list" > "$work/parts/$(basename "$list")"
done
apt=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$work/parts"
  -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=")

say "fetching version $version"
# One archive without sources among several is no reason to stop.
apt-get "${apt[@]}" update > "$work/log" 2>&1 || true
package=$(apt-cache "${apt[@]}" showsrc musl 2> /dev/null | sed -n 's/^Version: //p' | grep -m 1 "^$version-" || true)
[ -n "$package" ] || {
  grep -E '^(E|W|Err)' "$work/log" >&2 || true
  say "the archives of this system have no sources of musl $version. Unpack them from elsewhere, and let WHET_MUSL name the folder."
  exit 1
}
apt-get "${apt[@]}" source --download-only --quiet "musl=$package" > "$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
archive=musl_$version.orig.tar.gz
echo "$sha256  $archive" | sha256sum --check --status || { say "$archive is not the one that was expected"; exit 1; }

# Unpacked beside the target, so that the last move is atomic.
rm -rf "$prefix.part"
mkdir -p "$prefix.part"
tar xf "$archive" --strip-components 1 -C "$prefix.part"
mv -T "$prefix.part" "$prefix"
say "ready in $prefix"
