//! Files that Whet writes: whole or not at all.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;

/// Writes a file whole or not at all: a reader never sees half of it.
pub(crate) fn store(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let attempt = || -> std::io::Result<()> {
        let mut file = temporary(folder)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    };
    attempt().with_context(|| format!("cannot write {}", path.display()))
}

/// Makes sure that files can be written into a folder: one that cannot should not cost the user a whole run.
pub(crate) fn prepare(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    temporary(folder).with_context(|| format!("cannot write into {}", folder.display()))?;
    Ok(())
}

/// A new file with the permissions that a program's files usually have.
fn temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let usual = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().permissions(usual).tempfile_in(folder)
}
