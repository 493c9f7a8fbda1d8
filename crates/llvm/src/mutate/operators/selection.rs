//! Which operators a run uses: lists such as `seed` or `default,-SDL`, and what to say about an unknown name.

use std::collections::BTreeMap;

use super::Extent::{self, Full};
use super::{Operator, SETS, TABLE};

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperatorError {
    #[error("{}; sets of them: {}", unknown(name), set_names())]
    Unknown { name: String },
    #[error("`{0}` leaves no mutation operator")]
    None(String),
}

/// The operators that are used, each with its extent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Operators(BTreeMap<Operator, Extent>);

impl Operators {
    /// A list such as `seed`, `AOR,ROR` or `default,-SDL`: sets and operators, with
    /// a minus to leave something out. What is named by itself is used in full.
    pub fn parse(list: &str) -> Result<Operators, OperatorError> {
        if list.trim() == "none" {
            return Ok(Operators::none());
        }
        let mut operators = BTreeMap::new();
        let unknown = |name: &str| OperatorError::Unknown { name: name.to_string() };
        let mut names = list.split(',').map(str::trim).filter(|name| !name.is_empty()).peekable();
        if names.peek().is_some_and(|first| first.starts_with('-')) {
            operators.extend(named("default").ok_or_else(|| unknown("default"))?);
        }
        for name in names {
            match name.strip_prefix('-') {
                Some(name) => {
                    for (operator, _) in named(name).ok_or_else(|| unknown(name))? {
                        operators.remove(&operator);
                    }
                }
                None => {
                    for (operator, extent) in named(name).ok_or_else(|| unknown(name))? {
                        let known = operators.entry(operator).or_insert(extent);
                        *known = extent.max(*known);
                    }
                }
            }
        }
        if operators.is_empty() {
            Err(OperatorError::None(list.to_string()))
        } else {
            Ok(Operators(operators))
        }
    }

    /// No mutants at all.
    pub fn none() -> Operators {
        Operators(BTreeMap::new())
    }

    /// Whether an operator of this name is used.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.keys().any(|operator| operator.name() == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Operator, Extent)> + '_ {
        self.0.iter().map(|(operator, extent)| (*operator, *extent))
    }
}

/// What a set or the name of one operator stands for.
fn named(name: &str) -> Option<Vec<(Operator, Extent)>> {
    let set = SETS.iter().find(|(set, _)| set.eq_ignore_ascii_case(name)).map(|(_, set)| set.to_vec());
    let row = || TABLE.iter().find(|row| row.name.eq_ignore_ascii_case(name));
    set.or_else(|| row().map(|row| vec![(row.operator, Full)]))
}

/// Whether there is an operator of this name.
pub(crate) fn is_known(name: &str) -> bool {
    TABLE.iter().any(|row| row.name == name)
}

/// What to say about a name that is none: the one that is most like it, and all others.
pub(crate) fn unknown(name: &str) -> String {
    let names = || TABLE.iter().map(|row| row.name);
    let meant = match source::nearest(name, names()) {
        Some(nearest) => format!("did you mean `{nearest}`? The"),
        None => "the".to_string(),
    };
    let all = names().collect::<Vec<_>>().join(", ");
    format!("there is no mutation operator `{name}`: {meant} operators are {all}")
}

fn set_names() -> String {
    SETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::Extent::Sufficient;
    use super::*;

    fn names(list: &str) -> String {
        let operators = Operators::parse(list).expect("it makes sense");
        let name = |(operator, extent): (Operator, Extent)| match extent {
            Sufficient => operator.name().to_lowercase(),
            Full => operator.name().to_string(),
        };
        operators.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_list_names_operators_and_sets() {
        assert_eq!(names("ror, AOR,ROR"), "AOR ROR");
        assert_eq!(names("seed"), "AOR ROR BOR IVI");
        assert_eq!(names("seed,LCR,-BOR"), "AOR ROR LCR IVI");
        assert_eq!(names("default,-LCR,-DCR,-UOI,-SBR,-ARG,-PTR,-SCR"), "AOR ror bor cr SDL");
        assert_eq!(names("-AOR,-LCR,-DCR,-UOI,-SBR,-ARG,-PTR,-SCR,ROR"), "ROR bor cr SDL");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = Operators::parse("AOR,XYZ").expect_err("there is no XYZ").to_string();
        assert!(message.starts_with("there is no mutation operator `XYZ`: the operators are AOR, ROR, "));
        assert!(message.ends_with("; sets of them: seed, default, all"));
        let message = Operators::parse("SDX").expect_err("there is no SDX").to_string();
        assert!(
            message.starts_with(
                "there is no mutation operator `SDX`: did you mean `SDL`? The operators are AOR"
            )
        );
        assert!(Operators::parse(" ,").is_err());
        assert!(Operators::parse("AOR,-AOR").is_err());
    }
}
