//! The file: an SQLite database. Several runs may use it at the same time, and
//! each may be stopped at any moment.
//!
//! SQLite's write-ahead log keeps what was committed, even if a process is killed, and others can
//! read meanwhile. A new file is made elsewhere and then linked to its place, so nobody ever sees
//! half of one. Each record has a checksum, because SQLite notices only damage to its own
//! structures. The version is in the header, where it can be read without touching anything else.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use sha2::{Digest, Sha256};

/// The name of the file in its folder.
pub const FILE: &str = "store.db";

/// Raised whenever older records could no longer be read.
const VERSION: u32 = 1;

/// Says whose file it is: `whet`.
const APPLICATION: u32 = 0x7768_6574;

/// How long to wait for another run that writes. A write takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keeps the folder out of the user's repository.
const IGNORE: &str = "# What Whet has settled before. It can be deleted at any time.\n*\n";

const TABLE: &str = "CREATE TABLE record (
    key BLOB NOT NULL, part TEXT NOT NULL, text TEXT NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (key, part)
) WITHOUT ROWID";

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the store {} is damaged: empty it with `whet store clear`, or run without it with --no-store", .0.display())]
    Damaged(PathBuf),
    #[error(
        "the store {} was made by another version of Whet: empty it with `whet store clear`, or run without it with --no-store",
        .0.display()
    )]
    OtherVersion(PathBuf),
    #[error("the store {} cannot be used ({reason}): run without it with --no-store", path.display())]
    Unusable { path: PathBuf, reason: String },
}

/// A hash of everything that a record depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key([u8; 32]);

impl Key {
    pub fn of(parts: &[&str]) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            // With its length, so that no two lists read the same.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().into())
    }
}

pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Store {
    /// The store in this folder, if there is one.
    pub fn find(folder: &Path) -> Result<Option<Store>, Error> {
        let path = folder.join(FILE);
        let mut header = [0; 100];
        let read = std::fs::File::open(&path).and_then(|mut file| file.read_exact(&mut header));
        match read {
            Ok(()) => check(&path, &header)?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(Error::Damaged(path)),
            Err(error) => return Err(Error::Unusable { path, reason: error.to_string() }),
        }
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE);
        let connection = connection.and_then(|connection| {
            connection.busy_timeout(PATIENCE)?;
            // A record that is lost when the power fails is settled again.
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            Ok(connection)
        });
        match connection {
            Ok(connection) => Ok(Some(Store { path, connection: Mutex::new(connection) })),
            Err(error) => Err(told(&path, &error)),
        }
    }

    /// The store in this folder, a new one if there is none.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        if let Some(store) = Store::find(folder)? {
            return Ok(store);
        }
        let path = folder.join(FILE);
        make(folder).map_err(|reason| Error::Unusable { path: path.clone(), reason })?;
        let missing = || Error::Unusable { path, reason: "it is gone again".to_string() };
        Store::find(folder)?.ok_or_else(missing)
    }

    /// What was put under this key.
    pub fn get(&self, key: &Key, part: &str) -> Result<Option<String>, Error> {
        let found = self.lock().query_row(
            "SELECT text, checksum FROM record WHERE key = ?1 AND part = ?2",
            params![key.0, part],
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)),
        );
        match found.optional().map_err(|error| self.told(&error))? {
            Some((text, sum)) if sum != checksum(key, part, &text) => Err(Error::Damaged(self.path.clone())),
            found => Ok(found.map(|(text, _)| text)),
        }
    }

    /// Keeps something, from the moment on at which this returns.
    pub fn put(&self, key: &Key, part: &str, text: &str) -> Result<(), Error> {
        let sum = checksum(key, part, text);
        let put = self.lock().execute(
            "INSERT OR REPLACE INTO record (key, part, text, checksum) VALUES (?1, ?2, ?3, ?4)",
            params![key.0, part, text, sum],
        );
        put.map(drop).map_err(|error| self.told(&error))
    }

    /// Forgets all parts but this one.
    pub fn keep_only(&self, key: &Key, part: &str) -> Result<(), Error> {
        let deleted =
            self.lock().execute("DELETE FROM record WHERE key = ?1 AND part <> ?2", params![key.0, part]);
        deleted.map(drop).map_err(|error| self.told(&error))
    }

    /// Empties the store in this folder, whatever is there. Returns whether there was something.
    pub fn clear(folder: &Path) -> Result<bool, Error> {
        match Store::find(folder) {
            Ok(None) => Ok(false),
            // Another run may be at work, so the file stays.
            Ok(Some(store)) => {
                let cleared = store.lock().execute_batch("DELETE FROM record; VACUUM;");
                cleared.map(|()| true).or_else(|error| match told(&store.path, &error) {
                    Error::Damaged(_) => remove(folder),
                    other => Err(other),
                })
            }
            Err(Error::Damaged(_) | Error::OtherVersion(_)) => remove(folder),
            Err(error) => Err(error),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn told(&self, error: &rusqlite::Error) -> Error {
        told(&self.path, error)
    }
}

/// Looks at the header of an SQLite file: magic words, and the numbers that we put there.
fn check(path: &Path, header: &[u8; 100]) -> Result<(), Error> {
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (version, application) = (number(60), number(68));
    if !header.starts_with(b"SQLite format 3\0") || application != APPLICATION {
        return Err(Error::Damaged(path.to_path_buf()));
    }
    match version {
        VERSION => Ok(()),
        _ => Err(Error::OtherVersion(path.to_path_buf())),
    }
}

/// Makes a new file, all of it or nothing.
fn make(folder: &Path) -> Result<(), String> {
    let said = |error: std::io::Error| error.to_string();
    let bytes = new_database()?;
    std::fs::create_dir_all(folder).map_err(said)?;
    std::fs::write(folder.join(".gitignore"), IGNORE).map_err(said)?;
    // With the permissions that a program's files usually have.
    let usual = std::fs::Permissions::from_mode(0o666);
    let mut new = tempfile::Builder::new().permissions(usual).tempfile_in(folder).map_err(said)?;
    new.write_all(&bytes).map_err(said)?;
    match std::fs::hard_link(new.path(), folder.join(FILE)) {
        // Another run was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(said),
    }
}

/// An empty database, as the bytes of its file.
fn new_database() -> Result<Vec<u8>, String> {
    let file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let setup = format!(
        "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {TABLE}; PRAGMA journal_mode = WAL;"
    );
    Connection::open(file.path())
        .and_then(|connection| {
            connection.execute_batch(&setup)?;
            connection.close().map_err(|(_, error)| error)
        })
        .map_err(|error| error.to_string())?;
    std::fs::read(file.path()).map_err(|error| error.to_string())
}

/// Removes a file that nobody can use, with what SQLite put beside it.
fn remove(folder: &Path) -> Result<bool, Error> {
    for name in [FILE.to_string(), format!("{FILE}-wal"), format!("{FILE}-shm")] {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::Unusable { path, reason: error.to_string() });
            }
            _ => {}
        }
    }
    Ok(true)
}

fn told(path: &Path, error: &rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    let path = path.to_path_buf();
    match error {
        rusqlite::Error::SqliteFailure(failure, _)
            if [DatabaseCorrupt, NotADatabase].contains(&failure.code) =>
        {
            Error::Damaged(path)
        }
        // A table or a type is not as we made it.
        rusqlite::Error::SqlInputError { .. }
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::Utf8Error(..) => Error::Damaged(path),
        other => Error::Unusable { path, reason: other.to_string() },
    }
}

fn checksum(key: &Key, part: &str, text: &str) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(key.0);
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part);
    hash.update(text);
    hash.finalize()[..8].to_vec()
}

#[cfg(test)]
mod tests;
