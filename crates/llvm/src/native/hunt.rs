//! The hunt's machine: the meta-mutant as machine code that notes what it does, in servers that stay.
//!
//! [hunt.c](../src/native/hunt.c) runs a batch of inputs in one process. Each server has a part of the batch,
//! so that threads share the work. What is news is judged against what was known before the batch. So it
//! does not matter how the batch is divided.

use std::path::Path;
use std::sync::Mutex;

use ir::{Batch, Compared, Different, Feature, Mutant, Program, Sighting};
use rayon::prelude::*;

use super::addresses::Addresses;
use super::lock;
use super::machine::{self, Purpose};
use super::request::{Request, Run};
use super::server::{self, Pipe};
use crate::{Error, Unit};

/// The server, as an executable; the build script made it.
const SERVER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/hunt"));

/// A server is asked about at least so many inputs. To ask another one would take longer.
const SMALLEST_PART: usize = 16;

/// How hunt.c calls a run that returned.
const RETURNED: u64 = 1;

/// What hunt.c adds to the width of a float.
const REAL: u64 = 1000;

/// The kind of a comparison of bytes, and how many of each side are told.
const BYTES: u64 = 2000;
const MOST_SHOWN: usize = 32;

/// Machine code that notes what it does, ready to run.
pub struct Hunt {
    program: Program,
    servers: Vec<Mutex<HuntServer>>,
}

struct HuntServer {
    pipe: Pipe,
    addresses: Addresses,
}

impl Hunt {
    /// Builds the machine code, and starts a server for each thread.
    pub fn build(unit: &Unit) -> Result<Hunt, Error> {
        let folder = tempfile::tempdir().map_err(Error::Temporary)?;
        let purpose = Purpose::Hunt { mutants: unit.changes.len() as u32 };
        let (library, _) = machine::build(&unit.meta, &unit.program, purpose, folder.path())?;
        let executable = folder.path().join("hunt");
        server::executable(&executable, SERVER).map_err(Error::Temporary)?;
        let start = |_| HuntServer::start(&executable, &library, &unit.program).map(Mutex::new);
        let servers = (0..rayon::current_num_threads()).map(start).collect::<Result<_, Error>>()?;
        Ok(Hunt { program: unit.program.clone(), servers })
    }

    /// Runs a batch: one sighting for each input.
    pub fn run(&self, batch: &Batch) -> Result<Vec<Sighting>, Error> {
        let part = batch.inputs.len().div_ceil(self.servers.len()).max(SMALLEST_PART);
        let parts: Vec<&[ir::Input]> = batch.inputs.chunks(part).collect();
        // A server without inputs still has to learn what is known.
        let ask = |(at, server): (usize, &Mutex<HuntServer>)| {
            let inputs = parts.get(at).copied().unwrap_or_default();
            lock(server).run(&self.program, &Batch { inputs, ..*batch }, at * part)
        };
        let sightings: Result<Vec<Vec<Sighting>>, Error> =
            self.servers.par_iter().enumerate().map(ask).collect();
        Ok(sightings?.into_iter().flatten().collect())
    }
}

impl HuntServer {
    fn start(executable: &Path, library: &Path, program: &Program) -> Result<HuntServer, Error> {
        let cannot = |source| Error::CannotRun { program: "hunt".to_string(), source };
        let mut pipe = Pipe::start(executable, library).map_err(cannot)?;
        let introduction = pipe.introduction().map_err(cannot)?;
        let addresses = Addresses::new(&introduction, program)
            .ok_or_else(|| Error::Internal("the server has another program".to_string()))?;
        Ok(HuntServer { pipe, addresses })
    }

    /// Runs a part of a batch, from this input on.
    fn run(&mut self, program: &Program, batch: &Batch, first: usize) -> Result<Vec<Sighting>, Error> {
        let mut bytes = vec![0; 8];
        let mut numbers = |numbers: &[u64]| {
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        };
        numbers(&[batch.forget.into(), batch.trace.into()]);
        numbers(&[batch.original, batch.mutant, batch.mutants, first as u64]);
        numbers(&[batch.known.len() as u64]);
        batch.known.iter().for_each(|feature| numbers(&[feature.0]));
        numbers(&[batch.alive.len() as u64]);
        batch.alive.iter().for_each(|mutant| numbers(&[mutant.0.into()]));
        numbers(&[batch.inputs.len() as u64]);
        for input in batch.inputs {
            let run = Run { program, function: batch.subject, mutant: Mutant::ORIGINAL, input, fuel: 0 };
            bytes.extend(Request::new(&run, &self.addresses, None).bytes);
        }
        let length = bytes.len() as u64 - 8;
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        let died = |error: std::io::Error| Error::NativeDied(error.to_string());
        let answer = self.pipe.ask(&bytes).map_err(died)?;
        let mut reader = Reader(answer.chunks_exact(8));
        let sightings = batch.inputs.iter().map(|_| reader.sighting()).collect::<Option<Vec<Sighting>>>();
        sightings.ok_or_else(|| Error::NativeDied("its answer makes no sense".to_string()))
    }
}

/// What is left to read of an answer. Each part is none if it makes no sense.
struct Reader<'a>(std::slice::ChunksExact<'a, u8>);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        self.0.next().map(|bytes| u64::from_le_bytes(bytes.try_into().expect("a number has eight bytes")))
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| item(self)).collect()
    }

    fn sighting(&mut self) -> Option<Sighting> {
        let mut sighting = Sighting {
            returned: self.number()? == RETURNED,
            fuel: self.number()?,
            news: self.list(|it| it.number().map(Feature))?,
            different: self.list(|it| {
                let mutant = Mutant(it.number()? as u32);
                Some(Different { mutant, returned: it.number()? == RETURNED })
            })?,
            burned: self.number()?,
            compared: self.list(Reader::compared)?,
        };
        sighting.different.sort_by_key(|it| it.mutant);
        Some(sighting)
    }

    /// The first ones of a side.
    fn bytes(&mut self, count: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for _ in 0..MOST_SHOWN / 8 {
            bytes.extend(self.number()?.to_le_bytes());
        }
        bytes.truncate(count as usize);
        Some(bytes)
    }

    fn compared(&mut self) -> Option<Compared> {
        let (kind, left, right) = (self.number()?, self.number()?, self.number()?);
        Some(match kind {
            0..REAL => Compared::Integers { width: kind as u32, left, right },
            BYTES => Compared::Bytes { left: self.bytes(left)?, right: self.bytes(right)? },
            _ => Compared::Reals { left: f64::from_bits(left), right: f64::from_bits(right) },
        })
    }
}
