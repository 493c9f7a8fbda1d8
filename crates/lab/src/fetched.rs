//! What the set-up fetched.

use std::path::PathBuf;

/// Unity's sources: where the user says, or where `./x test` puts them.
pub fn unity() -> PathBuf {
    fetched("WHET_UNITY", "unity-2.6.1")
}

/// The Python packages of universalmutator: where the user says, or where `./x test` puts them.
pub fn universalmutator() -> PathBuf {
    fetched("WHET_UNIVERSALMUTATOR", "universalmutator-1.14.1")
}

fn fetched(variable: &str, name: &str) -> PathBuf {
    if let Some(folder) = std::env::var_os(variable) {
        return PathBuf::from(folder);
    }
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    let cache =
        std::env::var_os("WHET_CACHE").map(PathBuf::from).or(caches.map(|caches| caches.join("whet")));
    let folder = cache.unwrap_or_default().join(name);
    assert!(folder.exists(), "{name} is missing: run `./x test`, which fetches it, or set {variable}");
    folder
}
