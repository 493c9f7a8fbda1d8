//! A fingerprint of Whet's own sources: what one build has settled, another one must not take for its own.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// What decides a verdict: our code, and the versions of what it is built with.
const ENDINGS: [&str; 6] = ["rs", "c", "h", "toml", "lock", "sh"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = ["crates", "scripts", "Cargo.lock", "Cargo.toml"].map(|place| root.join(place));
    let mut files: Vec<PathBuf> = Vec::new();
    places.iter().for_each(|place| gather(place, &mut files));
    files.sort();
    // Not the folders: they have tests in them, and a new file is always named in an old one.
    files.iter().for_each(|file| println!("cargo::rerun-if-changed={}", file.display()));
    let mut hash = Sha256::new();
    for file in files {
        let text = std::fs::read(&file).unwrap_or_default();
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let fingerprint: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=WHET_FINGERPRINT={fingerprint}");
}

/// The sources in a folder, but for tests.
fn gather(place: &Path, files: &mut Vec<PathBuf>) {
    let is_source = place.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
    if is_source && place.is_file() {
        files.push(place.to_path_buf());
    }
    if place.ends_with("tests") || place.ends_with("examples") {
        return;
    }
    let Ok(entries) = std::fs::read_dir(place) else { return };
    entries.flatten().for_each(|entry| gather(&entry.path(), files));
}
