//! Observations: what a caller can see of a run that returned.

use bv::Word;

use crate::{ExternalId, FunctionId, GlobalId};

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Observation {
    /// None for a function that returns nothing.
    pub result: Option<Seen>,
    /// What the objects of the input hold afterwards, element by element; nothing for constant ones.
    pub objects: Vec<Vec<Seen>>,
    /// The globals that changed and that a test can look at. Sorted.
    pub globals: Vec<(GlobalId, Seen)>,
    /// Those that changed and that only the file itself can see. No test can look at them, but the next call may
    /// depend on them. Sorted.
    pub hidden: Vec<(GlobalId, Seen)>,
    /// The calls of functions without a body, in order.
    pub calls: Vec<SeenCall>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeenCall {
    pub external: ExternalId,
    pub arguments: Vec<Seen>,
}

/// A value as a caller sees it: addresses mean nothing, what they lead to does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Seen {
    /// An integer or a float. All NaNs are one.
    Word(Word),
    /// Nobody knows: it was never assigned.
    Undefined,
    Null,
    /// Into an object of the input, so many bytes from its start.
    Input {
        object: u32,
        offset: i64,
    },
    Global {
        global: GlobalId,
        offset: i64,
    },
    Function(FunctionId),
    /// A function that no test can name: all that one can say is that there is a function.
    StaticFunction(FunctionId),
    /// Into a variable or a constant that no test can name: what lies there counts, as elements of the type pointed to.
    Static {
        global: GlobalId,
        offset: i64,
        contents: Vec<Seen>,
    },
    /// A new object on the heap, from where the pointer points to its end, as elements of the type pointed to.
    Fresh(Vec<Seen>),
    /// To something that is no more, or that we do not look into.
    Elsewhere,
    Aggregate(Vec<Seen>),
    /// The text of a string argument of a call, without its end.
    Text(Vec<u8>),
}

impl Observation {
    /// Whether a test that was written after this one, the original's, fails on the other.
    pub fn differs(&self, other: &Observation) -> bool {
        let calls = self.calls.iter().zip(&other.calls);
        option_differs(&self.result, &other.result)
            || self.objects.iter().zip(&other.objects).any(|(one, other)| list_differs(one, other))
            || globals_differ(&self.globals, &other.globals)
            || self.calls.len() != other.calls.len()
            || calls.into_iter().any(|(one, other)| {
                one.external != other.external || list_differs(&one.arguments, &other.arguments)
            })
    }

    /// Whether what no test can look at differs.
    pub fn differs_inside(&self, other: &Observation) -> bool {
        let changed = |observation: &Observation| {
            let globals = observation.globals.iter().chain(&observation.hidden).cloned();
            globals.collect::<Vec<(GlobalId, Seen)>>()
        };
        let (ours, theirs) = (changed(self), changed(other));
        let global_strays = |(id, seen): &(GlobalId, Seen)| {
            theirs.iter().any(|(other, theirs)| other == id && seen.strays(theirs))
        };
        let calls = self.calls.iter().zip(&other.calls);
        globals_differ(&self.hidden, &other.hidden)
            || ours.iter().any(global_strays)
            || self.result.iter().zip(&other.result).any(|(one, other)| one.strays(other))
            || self.objects.iter().zip(&other.objects).any(|(one, other)| list_strays(one, other))
            || calls.into_iter().any(|(one, other)| list_strays(&one.arguments, &other.arguments))
    }
}

impl Seen {
    /// Where the original's value means something, whether the other is another one.
    pub fn differs(&self, other: &Seen) -> bool {
        match (self, other) {
            (Seen::Undefined | Seen::Elsewhere, _) => false,
            (Seen::Aggregate(one), Seen::Aggregate(other)) => list_differs(one, other),
            // How much room there is after what was assigned, no test can ask.
            (Seen::Fresh(one), Seen::Fresh(other)) => {
                let assigned = one.iter().rposition(|seen| seen.is_assigned()).map_or(0, |last| last + 1);
                assigned > other.len() || one.iter().zip(other).any(|(one, other)| one.differs(other))
            }
            // No test can tell how far it is to the end of what it cannot name.
            (Seen::Static { contents: one, .. }, Seen::Static { contents: other, .. }) => {
                one.iter().zip(other).any(|(one, other)| one.differs(other))
            }
            (Seen::StaticFunction(_), Seen::StaticFunction(_) | Seen::Function(_)) => false,
            _ => self != other,
        }
    }

    /// Whether the two lead to different things that no test can name. A later call may tell them apart.
    fn strays(&self, other: &Seen) -> bool {
        match (self, other) {
            (Seen::Aggregate(one), Seen::Aggregate(other)) | (Seen::Fresh(one), Seen::Fresh(other)) => {
                list_strays(one, other)
            }
            (
                Seen::Static { global, offset, contents },
                Seen::Static { global: other, offset: at, contents: theirs },
            ) => (global, offset) != (other, at) || list_strays(contents, theirs),
            (Seen::StaticFunction(_), Seen::StaticFunction(_) | Seen::Function(_)) => self != other,
            _ => false,
        }
    }

    /// Whether all of it means something.
    fn is_known(&self) -> bool {
        match self {
            Seen::Undefined | Seen::Elsewhere => false,
            Seen::Aggregate(parts) | Seen::Fresh(parts) => parts.iter().all(Seen::is_known),
            _ => true,
        }
    }

    fn is_assigned(&self) -> bool {
        match self {
            Seen::Undefined => false,
            Seen::Aggregate(parts) => parts.iter().any(Seen::is_assigned),
            _ => true,
        }
    }
}

fn list_strays(one: &[Seen], other: &[Seen]) -> bool {
    one.iter().zip(other).any(|(one, other)| one.strays(other))
}

fn list_differs(one: &[Seen], other: &[Seen]) -> bool {
    one.len() != other.len() || one.iter().zip(other).any(|(one, other)| one.differs(other))
}

fn option_differs(one: &Option<Seen>, other: &Option<Seen>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.differs(other),
        _ => one.is_some() != other.is_some(),
    }
}

/// What is missing on one side has not changed there.
fn globals_differ(one: &[(GlobalId, Seen)], other: &[(GlobalId, Seen)]) -> bool {
    let find = |list: &[(GlobalId, Seen)], id: GlobalId| list.iter().position(|(found, _)| *found == id);
    let changed = one.iter().any(|(id, seen)| match find(other, *id) {
        Some(at) => seen.differs(&other[at].1),
        None => seen.is_known(),
    });
    changed || other.iter().any(|(id, seen)| seen.is_known() && find(one, *id).is_none())
}
