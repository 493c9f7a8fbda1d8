//! Observations: what a caller can see of a run that returned.

use bv::Word;

use crate::{ExternalId, FunctionId, GlobalId, Printed, Program, Stream};

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Observation {
    /// None for a function that returns nothing.
    pub result: Option<Seen>,
    /// What the objects of the input hold afterwards, element by element;
    /// nothing for freed ones, and for constant ones that have not changed.
    pub objects: Vec<Vec<Seen>>,
    /// The objects of the input that the run freed. Sorted.
    pub freed: Vec<u32>,
    /// The globals that changed and that a test can look at. Sorted.
    pub globals: Vec<(GlobalId, Seen)>,
    /// Those that changed and that only the file itself can see. No test can
    /// look at them, but the next call may depend on them. Sorted.
    pub hidden: Vec<(GlobalId, Seen)>,
    /// The calls of functions without a body, in order, but for those that print to a known stream.
    pub calls: Vec<SeenCall>,
    /// What each [stream](Stream) was sent.
    pub printed: [Printed; 2],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeenCall {
    pub external: ExternalId,
    pub arguments: Vec<Seen>,
    /// Arguments without a parameter, as of `int note(int, ...)`. A stub in a test cannot look at them, but
    /// the real function may.
    pub beyond: Vec<Seen>,
}

impl SeenCall {
    pub fn new(program: &Program, external: ExternalId, mut arguments: Vec<Seen>) -> SeenCall {
        let beyond = arguments.split_off(program.external(external).looks_at(arguments.len()));
        SeenCall { external, arguments, beyond }
    }
}

/// A value as a caller sees it: addresses mean nothing, what they lead to does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Seen {
    /// An integer or a float. All NaNs are one.
    Word(Word),
    /// An integer of which only this is sure: it is not zero, and its sign, as of what `strcmp` returns. Of
    /// what `isalpha` returns, not even the sign is.
    Nonzero {
        negative: Option<bool>,
    },
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
    /// Into a variable or a constant that no test can name: what lies there
    /// counts, as elements of the type pointed to.
    Static {
        global: GlobalId,
        offset: i64,
        contents: Vec<Seen>,
    },
    /// Into an object that the run made on the heap.
    Fresh(Fresh),
    /// An argument of a call that leads into an object which a test can name: what lay there then.
    Handed {
        pointer: Box<Seen>,
        contents: Vec<Seen>,
        /// Nobody may write there.
        constant: bool,
    },
    /// To something that is no more, or that we do not look into.
    Elsewhere,
    Aggregate(Vec<Seen>),
    /// The text of a string argument of a call, without its end.
    Text(Vec<u8>),
}

/// What a pointer into an object on the heap leads to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fresh {
    /// Pointers into one object have the same number. Objects are counted as
    /// they come, so that engines agree.
    pub block: u32,
    /// How far behind the start of the object the pointer points, in bytes.
    pub offset: u64,
    /// How many bytes there are from there to its end.
    pub size: u64,
    /// These bytes as elements of the type pointed to, as many as are whole.
    pub elements: Vec<Seen>,
}

/// What it takes to tell two runs apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Difference {
    None,
    /// A test fails if MemorySanitizer watches it: it depends on what the mutant never assigned.
    Unassigned,
    /// A test fails if AddressSanitizer watches it: it touches memory that the mutant has freed, or not made.
    Soft,
    /// A test fails.
    Plain,
}

/// How the original differs from a mutant, part by part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Differences {
    pub result: Difference,
    pub calls: Difference,
    pub memory: Difference,
}

impl Differences {
    pub fn strongest(self) -> Difference {
        self.result.max(self.calls).max(self.memory)
    }
}

impl Observation {
    /// Whether a test that was written after this one, the original's, fails on
    /// the other, at least with a sanitizer.
    pub fn differs(&self, other: &Observation) -> bool {
        self.difference(other) != Difference::None
    }

    pub fn difference(&self, other: &Observation) -> Difference {
        self.differences(other).strongest()
    }

    pub fn differences(&self, other: &Observation) -> Differences {
        let comparison = Comparison { original: self, mutant: other };
        let result = match (&self.result, &other.result) {
            (Some(one), Some(other)) => comparison.seen(one, other),
            (one, other) => plain(one.is_some() != other.is_some()),
        };
        let memory = comparison.objects().max(comparison.globals(&self.globals, &other.globals));
        Differences { result, calls: comparison.calls().max(comparison.printed()), memory }
    }

    /// What can be said of a run that ends like this or like the other, as the C library likes. The result is
    /// an integer, signed or not, or else it has to be the same. None: nothing can be said.
    pub(crate) fn in_common(&self, other: &Observation, signed: Option<bool>) -> Option<Observation> {
        let result = match (&self.result, &other.result) {
            (one, other) if one == other => one.clone(),
            (Some(one), Some(other)) => {
                let (one, other) = (one.sign(signed?)?, other.sign(signed?)?);
                Some(Seen::Nonzero { negative: one.filter(|_| one == other) })
            }
            _ => return None,
        };
        let rest = Observation { result: self.result.clone(), ..other.clone() };
        (rest == *self).then_some(Observation { result, ..rest })
    }

    /// Whether what no test can look at differs.
    pub fn differs_inside(&self, other: &Observation) -> bool {
        let comparison = Comparison { original: self, mutant: other };
        let globals = comparison.globals(&self.hidden, &other.hidden);
        let is_open = |one: &Printed, other: &Printed| one.known().is_none() && one != other;
        let prints = self.printed.iter().zip(&other.printed).any(|(one, other)| is_open(one, other));
        prints || globals.max(comparison.beyond()) != Difference::None || self.strays(other)
    }

    /// Whether pointers lead to different things that no test can name. A later call may tell them apart.
    fn strays(&self, other: &Observation) -> bool {
        let changed = |observation: &Observation| {
            let globals = observation.globals.iter().chain(&observation.hidden).cloned();
            globals.collect::<Vec<(GlobalId, Seen)>>()
        };
        let (ours, theirs) = (changed(self), changed(other));
        let global_strays = |(id, seen): &(GlobalId, Seen)| {
            theirs.iter().any(|(other, theirs)| other == id && seen.strays(theirs))
        };
        let mut calls = self.calls.iter().zip(&other.calls);
        ours.iter().any(global_strays)
            || self.result.iter().zip(&other.result).any(|(one, other)| one.strays(other))
            || self.objects.iter().zip(&other.objects).any(|(one, other)| list_strays(one, other))
            || calls.any(|(one, other)| {
                list_strays(&one.arguments, &other.arguments) || list_strays(&one.beyond, &other.beyond)
            })
    }

    pub fn printed(&self, stream: Stream) -> &Printed {
        &self.printed[stream as usize]
    }

    /// Whether the run freed an object of the input.
    pub fn has_freed(&self, object: u32) -> bool {
        self.freed.binary_search(&object).is_ok()
    }
}

/// The two observations that values belong to. The rules for what is freed are
/// also in the encoder's `compare`.
struct Comparison<'a> {
    original: &'a Observation,
    mutant: &'a Observation,
}

impl Comparison<'_> {
    /// Where the original's value means something, what tells the other from it.
    fn seen(&self, one: &Seen, other: &Seen) -> Difference {
        match (one, other) {
            (Seen::Undefined | Seen::Elsewhere, _) => Difference::None,
            (_, Seen::Undefined) => Difference::Unassigned,
            (Seen::Aggregate(one), Seen::Aggregate(other)) => self.list(one, other),
            (Seen::Nonzero { negative }, Seen::Word(word))
            | (Seen::Word(word), Seen::Nonzero { negative }) => {
                plain(word.is_zero() || negative.is_some_and(|it| it != word.is_negative()))
            }
            (Seen::Nonzero { negative: one }, Seen::Nonzero { negative: other }) => {
                plain(one.is_some() && other.is_some() && one != other)
            }
            (Seen::Fresh(one), Seen::Fresh(other)) => self.fresh(one, other),
            // No test can tell how far it is to the end of what it cannot name.
            (Seen::Static { contents: one, .. }, Seen::Static { contents: other, .. }) => {
                self.elements(one, other)
            }
            (Seen::StaticFunction(_), Seen::StaticFunction(_) | Seen::Function(_)) => Difference::None,
            // To follow the pointer is to touch what is gone, or what never was.
            (Seen::Fresh(_), Seen::Elsewhere) => Difference::Soft,
            // The mutant keeps what the original has moved, such as with
            // `realloc`. The caller has lost it either way.
            (Seen::Fresh(one), Seen::Input { object, offset: 0 })
                if one.offset == 0 && self.original.has_freed(*object) =>
            {
                self.kept(one, &self.mutant.objects[*object as usize])
            }
            // What comes from the heap may well come from where the object was.
            (Seen::Input { object, .. }, Seen::Fresh(_) | Seen::Elsewhere)
                if self.mutant.has_freed(*object) =>
            {
                Difference::Soft
            }
            _ => plain(one != other),
        }
    }

    /// More room than in the original is no difference; less is one to whoever uses it all, and
    /// a pointer to another place in the object to whoever frees it.
    fn fresh(&self, one: &Fresh, other: &Fresh) -> Difference {
        let room = soft(other.size < one.size || other.offset != one.offset);
        room.max(self.elements(&one.elements, &other.elements))
    }

    /// An object of the caller's in the place of one that the original has made. They
    /// are compared if both are looked at as the same type; if not, nobody can tell.
    fn kept(&self, one: &Fresh, other: &[Seen]) -> Difference {
        let comparable =
            !other.is_empty() && one.elements.iter().zip(other).all(|(one, other)| one.is_like(other));
        match comparable {
            true => soft(other.len() < one.elements.len()).max(self.elements(&one.elements, other)),
            false => Difference::None,
        }
    }

    /// Compares as many as both have.
    fn elements(&self, one: &[Seen], other: &[Seen]) -> Difference {
        strongest(one.iter().zip(other).map(|(one, other)| self.seen(one, other)))
    }

    fn list(&self, one: &[Seen], other: &[Seen]) -> Difference {
        plain(one.len() != other.len()).max(self.elements(one, other))
    }

    /// Nobody may look at what the original has freed. The caller still uses what only the mutant has freed.
    /// A test does not look at a constant object that the original leaves as it was.
    fn objects(&self) -> Difference {
        let pairs = (0..).zip(self.original.objects.iter().zip(&self.mutant.objects));
        let kept = pairs.filter(|(object, _)| !self.original.has_freed(*object));
        strongest(kept.map(|(object, (one, other))| match self.mutant.has_freed(object) {
            true => Difference::Soft,
            false if one.is_empty() => Difference::None,
            false => self.list(one, other),
        }))
    }

    fn calls(&self) -> Difference {
        let (one, other) = (&self.original.calls, &self.mutant.calls);
        let each = one.iter().zip(other).map(|(one, other)| {
            plain(one.external != other.external).max(self.arguments(&one.arguments, &other.arguments))
        });
        plain(one.len() != other.len()).max(strongest(each))
    }

    /// A test compares what a stream was sent if it knows all of it.
    fn printed(&self) -> Difference {
        let (one, other) = (&self.original.printed, &self.mutant.printed);
        plain(one.iter().zip(other).any(|(one, other)| one.known().is_some() && one != other))
    }

    /// Compares the arguments that no stub can look at, call by call.
    fn beyond(&self) -> Difference {
        let calls = self.original.calls.iter().zip(&self.mutant.calls);
        strongest(calls.map(|(one, other)| self.arguments(&one.beyond, &other.beyond)))
    }

    fn arguments(&self, one: &[Seen], other: &[Seen]) -> Difference {
        let each = one.iter().zip(other).map(|(one, other)| self.argument(one, other));
        plain(one.len() != other.len()).max(strongest(each))
    }

    /// A test stands in for whom is called. It copies what the original has assigned where the argument
    /// leads, and compares the pointer if that leads to what it can name.
    fn argument(&self, one: &Seen, other: &Seen) -> Difference {
        let contents = self.elements(one.contents(), other.target());
        let goes_beyond = soft(other.target().len() < one.contents().len());
        match (one, other) {
            (Seen::Fresh(_) | Seen::Static { .. }, Seen::Null) => Difference::Plain,
            (Seen::Fresh(_) | Seen::Static { .. }, Seen::Undefined) => Difference::Unassigned,
            // Nobody has noted what lies in a constant of the program.
            (Seen::Fresh(_) | Seen::Static { .. }, Seen::Input { .. } | Seen::Global { .. }) => {
                Difference::None
            }
            (Seen::Fresh(_) | Seen::Static { .. }, _) => contents.max(goes_beyond),
            (one, other) => self.seen(one.pointer(), other.pointer()).max(contents),
        }
    }

    /// What is missing on one side has not changed there.
    fn globals(&self, one: &[(GlobalId, Seen)], other: &[(GlobalId, Seen)]) -> Difference {
        let find = |list: &[(GlobalId, Seen)], id: GlobalId| list.iter().position(|(found, _)| *found == id);
        let changed = one.iter().map(|(id, seen)| match find(other, *id) {
            Some(at) => self.seen(seen, &other[at].1),
            None => plain(seen.is_known()),
        });
        let more = other.iter().filter(|(id, _)| find(one, *id).is_none());
        strongest(changed).max(strongest(more.map(|(_, seen)| seen.as_change())))
    }
}

impl Seen {
    /// What lies where a pointer leads, up to the last that is assigned.
    pub fn contents(&self) -> &[Seen] {
        let contents = self.target();
        &contents[..contents.iter().rposition(Seen::is_assigned).map_or(0, |last| last + 1)]
    }

    /// What lies where a pointer leads.
    fn target(&self) -> &[Seen] {
        match self {
            Seen::Fresh(fresh) => &fresh.elements,
            Seen::Static { contents, .. } | Seen::Handed { contents, .. } => contents,
            _ => &[],
        }
    }

    /// Whether an integer is negative, if that is sure. None if it is zero, or no integer.
    fn sign(&self, signed: bool) -> Option<Option<bool>> {
        match self {
            Seen::Word(word) if !word.is_zero() => Some(signed.then(|| word.is_negative())),
            Seen::Nonzero { negative } => Some(*negative),
            _ => None,
        }
    }

    /// Whether some of it is assigned.
    pub fn is_assigned(&self) -> bool {
        match self {
            Seen::Undefined => false,
            Seen::Aggregate(parts) => parts.iter().any(Seen::is_assigned),
            _ => true,
        }
    }

    /// The pointer itself of what a call is given.
    fn pointer(&self) -> &Seen {
        match self {
            Seen::Handed { pointer, .. } => pointer,
            other => other,
        }
    }

    /// Whether the two lead to different things that no test can name.
    fn strays(&self, other: &Seen) -> bool {
        match (self, other) {
            (Seen::Aggregate(one), Seen::Aggregate(other)) => list_strays(one, other),
            (Seen::Fresh(one), Seen::Fresh(other)) => {
                one.offset == other.offset && list_strays(&one.elements, &other.elements)
            }
            (
                Seen::Static { global, offset, contents },
                Seen::Static { global: other, offset: at, contents: theirs },
            ) => (global, offset) != (other, at) || list_strays(contents, theirs),
            (
                Seen::Handed { pointer, contents, .. },
                Seen::Handed { pointer: other, contents: theirs, .. },
            ) => pointer == other && list_strays(contents, theirs),
            (Seen::StaticFunction(_), Seen::StaticFunction(_) | Seen::Function(_)) => self != other,
            _ => false,
        }
    }

    /// Whether all of it means something. A pointer to what the run made means
    /// that it is no longer what it was.
    fn is_known(&self) -> bool {
        match self {
            Seen::Undefined | Seen::Elsewhere => false,
            Seen::Aggregate(parts) => parts.iter().all(Seen::is_known),
            _ => true,
        }
    }

    /// What tells it from the value at the start, which is all assigned, and which the original
    /// leaves as it is. A test knows that value, so that a pointer to what is no more shows as well.
    fn as_change(&self) -> Difference {
        if self.is_all_assigned() { Difference::Plain } else { Difference::Unassigned }
    }

    fn is_all_assigned(&self) -> bool {
        match self {
            Seen::Undefined => false,
            Seen::Aggregate(parts) => parts.iter().all(Seen::is_all_assigned),
            _ => true,
        }
    }

    /// Whether both may be values of one type.
    fn is_like(&self, other: &Seen) -> bool {
        match (self, other) {
            (Seen::Undefined, _) | (_, Seen::Undefined) => true,
            (Seen::Word(one), Seen::Word(other)) => one.width() == other.width(),
            (Seen::Aggregate(one), Seen::Aggregate(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_like(other))
            }
            (Seen::Word(_) | Seen::Aggregate(_), _) | (_, Seen::Word(_) | Seen::Aggregate(_)) => false,
            _ => true,
        }
    }
}

fn list_strays(one: &[Seen], other: &[Seen]) -> bool {
    one.iter().zip(other).any(|(one, other)| one.strays(other))
}

fn plain(differs: bool) -> Difference {
    if differs { Difference::Plain } else { Difference::None }
}

fn soft(differs: bool) -> Difference {
    if differs { Difference::Soft } else { Difference::None }
}

fn strongest(differences: impl Iterator<Item = Difference>) -> Difference {
    differences.max().unwrap_or(Difference::None)
}
