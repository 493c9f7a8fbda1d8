//! Unity, for tests that build what Whet wrote.

use std::path::PathBuf;

/// Unity's sources: where the user says, or where `./x test` puts them.
pub fn unity() -> PathBuf {
    const VERSION: &str = "2.6.1";
    if let Some(folder) = std::env::var_os("WHET_UNITY") {
        return PathBuf::from(folder);
    }
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    let cache =
        std::env::var_os("WHET_CACHE").map(PathBuf::from).or(caches.map(|caches| caches.join("whet")));
    let folder = cache.unwrap_or_default().join(format!("unity-{VERSION}"));
    assert!(
        folder.join("unity.c").exists(),
        "Unity is missing: run `./x test`, which fetches it, or set WHET_UNITY"
    );
    folder
}
