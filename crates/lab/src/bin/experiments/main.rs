//! `./x experiments [NAME…]`: the papers' experiments, run again, with their figures beside ours.
//!
//! Without a name, all run but `peers`, which compares with other tools, if this machine
//! has any. What was measured goes into `experiments/results.json`, each experiment under
//! its name, so that one can be run alone; `experiments/README.md` and its plots are made
//! from that and from `experiments/papers.json`, which holds what the papers say.

mod ablations;
mod guidance;
mod page;
mod peers;
mod pipeline;
mod plot;
mod stubborn;
mod thesis;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lab::measure::release;
use lab::whet::Whet;
use serde_json::{Map, Value};

/// An experiment: its name, and what measures it.
type Experiment = (&'static str, fn(&Lab) -> Result<Value>);

/// In the order of the page. The last one only runs when it is named.
const EXPERIMENTS: [Experiment; 6] = [
    ("thesis", thesis::measure),
    ("pipeline", pipeline::measure),
    ("stubborn", stubborn::measure),
    ("ablations", ablations::measure),
    ("guidance", guidance::measure),
    ("peers", peers::measure),
];

/// Where everything is.
pub struct Lab {
    /// The folder `experiments`.
    pub folder: PathBuf,
    pub whet: Whet,
}

impl Lab {
    pub fn program(&self, path: &str) -> PathBuf {
        self.folder.join("programs").join(path)
    }
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = chosen.iter().find(|name| EXPERIMENTS.iter().all(|(known, _)| known != name)) {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
        bail!("there is no experiment `{unknown}`: choose from {}", names.join(", "));
    }
    let lab = Lab { folder: root.join("experiments"), whet: Whet { binary: release(&root)? } };
    let kept = lab.folder.join("results.json");
    let mut results = if kept.exists() { read(&kept)? } else { Value::Object(Map::new()) };
    for (name, measure) in EXPERIMENTS {
        let is_chosen = if chosen.is_empty() { name != "peers" } else { chosen.iter().any(|it| it == name) };
        if is_chosen {
            eprintln!("{name}");
            results[name] = measure(&lab).with_context(|| format!("the experiment `{name}` failed"))?;
            std::fs::write(&kept, page::rows(&results))?;
        }
    }
    let papers = read(&lab.folder.join("papers.json"))?;
    page::write(&lab.folder, &results, &papers)?;
    println!("{}", page::summary(&results, &papers));
    Ok(())
}

fn read(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))
}
