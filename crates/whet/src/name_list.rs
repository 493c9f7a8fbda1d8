//! Lists of names that a flag takes, such as `--reports json,html`.

use anyhow::bail;

/// The word for nothing at all.
const NONE: &str = "none";

/// A flag that takes a list of names, in the words of messages.
pub(crate) struct NameList {
    pub flag: &'static str,
    /// One of them.
    pub what: &'static str,
}

/// What the user named, each once.
pub(crate) fn chosen<T: Copy + PartialEq>(
    list: &NameList,
    known: &[(&'static str, T)],
    names: &[String],
) -> anyhow::Result<Vec<T>> {
    if names == [NONE] {
        return Ok(vec![]);
    }
    let NameList { flag, what } = list;
    let mut chosen = Vec::new();
    for name in names {
        if name == NONE {
            bail!("{flag} takes {what}s or `none`, not both");
        }
        let Some((_, found)) = known.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = known.iter().map(|(name, _)| *name).chain([NONE]).collect();
            return Err(unknown(list, &known, name));
        };
        if !chosen.contains(found) {
            chosen.push(*found);
        }
    }
    Ok(chosen)
}

fn unknown(NameList { flag, what }: &NameList, known: &[&str], name: &str) -> anyhow::Error {
    let meant = match source::nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`? "),
        None => String::new(),
    };
    anyhow::anyhow!("there is no {what} `{name}`: {meant}{flag} takes {}", known.join(", "))
}
