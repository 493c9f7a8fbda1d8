#!/usr/bin/env bash
# Brings a Debian or Ubuntu machine with Rust to where Whet builds.
#
# Installs or builds what is missing, says what, and asks nothing. When all is
# there it is done in a moment, so `./x` calls it every time.
#
#   scripts/setup.sh          what Whet needs to build and run
#   scripts/setup.sh tests    what our tests need as well: Unity, CMocka, GoogleTest, universalmutator, csmith, and a browser, which opens the report
#   scripts/setup.sh soak     the same, and cvise, which makes what was found smaller
#   scripts/setup.sh docs     only what the book needs: mdbook. Prints where it is
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")"

bitwuzla=0.9.1   # crates/smt/build.rs looks for the same version
musl=1.2.3       # crates/llvm/build.rs looks for the same version
unity=2.6.1
universalmutator=1.14.1
mdbook=0.5.4
rust=1.88        # `rust-version` in Cargo.toml

cache=${WHET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/whet}

# To build and run. The others that we use come with these: llvm-19-dev brings
# llvm-config and lli, clang-19 brings libclang. libclang-rt-19-dev has the sanitizers.
packages=(clang-19 llvm-19-dev libclang-rt-19-dev libgmp-dev libmpfr-dev g++ pkg-config z3 patch)
# To test.
test_packages=(libcmocka-dev libgtest-dev csmith libcsmith-dev)
# To look for findings, and to reduce them. It brings another LLVM along.
soak_packages=(cvise)
# To build the solver, once.
solver_packages=(meson libsymfpu-dev)
# What the test of the HTML report looks for: any of these will do.
browsers=(chromium chromium-browser google-chrome google-chrome-stable)

say() { printf 'set-up: %s\n' "$*" >&2; }
stop() { say "$@"; exit 1; }

main() {
  local to_fetch=()
  have_bitwuzla || to_fetch+=(bitwuzla)
  have_musl || to_fetch+=(musl)
  case ${1:-} in
    tests | soak)
      packages+=("${test_packages[@]}")
      have_unity || to_fetch+=(unity)
      have_universalmutator || to_fetch+=(universalmutator)
      have_browser || packages+=(chromium)
      ;;
  esac
  [ "${1:-}" != soak ] || packages+=("${soak_packages[@]}")

  have_bitwuzla || packages+=("${solver_packages[@]}")
  # All but musl come from Python's registry.
  case "${to_fetch[*]}" in
    '' | musl) ;;
    *) python3 -m pip --version > /dev/null 2>&1 || packages+=(python3-pip) ;;
  esac
  install_missing

  local name
  for name in "${to_fetch[@]}"; do
    ./"$name.sh" "${!name}" "$cache/$name-${!name}"
  done
}

check_system() {
  if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    say "only Debian and Ubuntu are set up by themselves. Here, please install what corresponds to"
    say "  ${packages[*]}"
    say "and Bitwuzla $bitwuzla where pkg-config finds it, and the sources of musl $musl in the folder that WHET_MUSL names; for the tests also Unity $unity, in the folder that WHET_UNITY names, universalmutator in the one that WHET_UNIVERSALMUTATOR names (pip install --target), and Chromium or Chrome."
    say "Then use cargo: \`cargo build --release\`, \`cargo test\`."
    exit 1
  fi
}

check_rust() {
  command -v cargo > /dev/null || stop "Rust is missing. Get it from https://rustup.rs and run this again."
  local have
  have=$(cargo --version | cut -d' ' -f2)
  printf '%s\n' "$rust" "$have" | sort --version-sort --check=quiet \
    || stop "Rust $have is too old: Whet needs $rust. Run \`rustup update\`, or get Rust from https://rustup.rs."
}

have_bitwuzla() {
  [ -n "${WHET_BITWUZLA:-}" ] || [ -e "$cache/bitwuzla-$bitwuzla/lib/libbitwuzla.a" ] || pkg-config --exists bitwuzla 2> /dev/null
}

have_musl() {
  [ -n "${WHET_MUSL:-}" ] || [ -e "$cache/musl-$musl/VERSION" ]
}

have_unity() {
  [ -n "${WHET_UNITY:-}" ] || [ -e "$cache/unity-$unity/unity.c" ]
}

have_universalmutator() {
  [ -n "${WHET_UNIVERSALMUTATOR:-}" ] || [ -e "$cache/universalmutator-$universalmutator" ]
}

# Cargo builds it wherever there is Rust, so this needs no package of the system.
get_mdbook() {
  [ -e "$cache/mdbook-$mdbook" ] || ./mdbook.sh "$mdbook" "$cache/mdbook-$mdbook"
  echo "$cache/mdbook-$mdbook/bin/mdbook"
}

have_browser() {
  local name
  for name in "${browsers[@]}"; do
    ! command -v "$name" > /dev/null || return 0
  done
  return 1
}

install_missing() {
  local installed package missing=()
  installed=$(dpkg-query --show --showformat='<${Package} ${db:Status-Status}>' "${packages[@]}" 2> /dev/null || true)
  for package in "${packages[@]}"; do
    [[ $installed == *"<$package installed>"* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  say "installing ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2> /dev/null || stop "that needs root. Run \`sudo apt-get install ${missing[*]}\`, then this again."
    root=(sudo -n)
  fi
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 --yes)

  local log
  log=$(mktemp)
  # One unreachable archive among several is no reason to stop.
  "${apt[@]}" update > "$log" 2>&1 || true
  for package in "${missing[@]}"; do
    [ -z "$(apt-cache show "$package" 2> /dev/null)" ] || continue
    # Ubuntu has it as a snap only, and that one cannot open our files.
    [ "$package" != chromium ] || stop "the tests need a browser, and the archives of this system have no chromium. Install Google Chrome, then run this again."
    grep -E '^(E|W|Err)' "$log" >&2 || true
    stop "the archives of this system have no $package. Whet needs Debian 12, Ubuntu 24.04 with universe, or newer; LLVM's own apt archive can stand in for clang-19, llvm-19-dev and libclang-rt-19-dev."
  done
  "${apt[@]}" install --no-install-recommends "${missing[@]}" > "$log" 2>&1 || { tail -20 "$log" >&2; stop "apt-get failed; $log has all it said."; }
  rm -f "$log"
}

[ "${1:-}" = docs ] || check_system
check_rust
case $cache in /*) ;; *) stop "the cache folder must be an absolute path, and $cache is not" ;; esac
# One at a time: a second `./x` waits for the first, then finds all there. The book shares nothing with the rest.
lock=$cache/.lock
[ "${1:-}" != docs ] || lock=$cache/.lock-docs
mkdir -p "$cache"
(
  flock --nonblock 9 || { say "waiting for another one to finish"; flock 9; }
  case ${1:-} in
    docs) get_mdbook ;;
    *) main "$@" ;;
  esac
) 9> "$lock"
