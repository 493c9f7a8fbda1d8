#!/usr/bin/env bash
# Builds Bitwuzla once, from package registries alone, into the folder given.
#
# Bitwuzla has no Debian package. Its sources come from its Python source
# distribution, those of CaDiCaL from the crate `cadical-sys`, and SymFPU's
# headers from Debian's `libsymfpu-dev`. Its own build would fetch the last two
# from elsewhere, which fails behind a proxy that knows registries only.
# About six CPU minutes.
set -euo pipefail

version=$1   # of Bitwuzla
prefix=$2    # created when, and only when, the build succeeds
sha256=2dbb333262e0a8a0438f683748f8acc4079950351dfd26def25dc3b14df37aa1   # of version 0.9.1
cadical_crate=0.4.1
cadical=2.1.2

say() { printf 'bitwuzla: %s\n' "$*" >&2; }

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say "fetching sources"
"$here/sdist.sh" bitwuzla "$version" "$sha256" mesonpy
tar xzf "bitwuzla-$version.tar.gz"

mkdir -p crate/src
touch crate/src/lib.rs
cat > crate/Cargo.toml <<TOML
[package]
name = "sources"
version = "0.0.0"
edition = "2021"
[dependencies]
cadical-sys = { version = "=$cadical_crate", default-features = false }
TOML
cargo fetch --quiet --manifest-path crate/Cargo.toml >&2
crate=$(cargo metadata --offline --format-version 1 --manifest-path crate/Cargo.toml | python3 -c '
import json, os, sys
packages = json.load(sys.stdin)["packages"]
print(next(os.path.dirname(p["manifest_path"]) for p in packages if p["name"] == "cadical-sys"))')
[ "$(cat "$crate/cadical/VERSION")" = "$cadical" ] || { say "the crate carries another CaDiCaL than $cadical"; exit 1; }

cd "bitwuzla-$version"
cp -r "$crate/cadical" "subprojects/cadical-rel-$cadical"
cp -r subprojects/packagefiles/cadical/. "subprojects/cadical-rel-$cadical/"
mkdir subprojects/symfpu
cp -r /usr/include/symfpu/. subprojects/symfpu/
cp -r subprojects/packagefiles/symfpu/. subprojects/symfpu/
# What Debian 12 has is enough for all that is used here; upstream asks for newer.
sed -i "s/version: '>=6.3'/version: '>=6.2'/; s/version: '>=4.2.1'/version: '>=4.2.0'/" src/meson.build

say "building version $version (some minutes)"
meson setup build --wrap-mode=nodownload -Dbuildtype=release -Ddefault_library=static \
  -Dtesting=disabled -Dpython=false --prefix "$prefix" --libdir lib > setup.log 2>&1 || { tail -20 setup.log >&2; exit 1; }
ninja -C build > build.log 2>&1 || { tail -40 build.log >&2; exit 1; }
# Meson puts CaDiCaL's objects into libbitwuzla.a, and the archives are not thin:
# what is installed stands alone. Staged beside the target, so that the last move is atomic.
rm -rf "$prefix.part"
DESTDIR=$prefix.part ninja -C build install > install.log 2>&1 || { tail -20 install.log >&2; exit 1; }
mv -T "$prefix.part$prefix" "$prefix"
rm -rf "$prefix.part"
say "ready in $prefix"
