//! The score: killed / (all - equivalent). It is an interval as long as
//! something is unknown. If the user's own tests ran, it is their score.

use crate::fate::{Fate, FateKind};

/// The counts of a run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Summary {
    pub mutants: usize,
    /// Without duplicates.
    pub killed: usize,
    /// Those of the killed that only a call of the static function itself shows.
    pub alone: usize,
    /// Those of the killed that the user's own tests kill.
    pub own: usize,
    /// Those of the killed that they miss.
    pub missed: usize,
    /// Killed as well, but by doing the same as another one. The score counts each fault once.
    pub duplicate: usize,
    pub equivalent: usize,
    /// Those that nothing tells from the original within the limits of the search.
    pub limited: usize,
    pub open: usize,
    /// Those that stand for all numbers, and are not counted among the others.
    pub parametric: usize,
}

impl Summary {
    pub(crate) fn of<'a>(fates: impl Iterator<Item = Fate<'a>>) -> Summary {
        let mut alone = 0;
        let count = |fate: &Fate| alone += usize::from(fate.is_killed_alone());
        let kinds = Summary::of_kinds(fates.inspect(count).map(|fate| fate.kind));
        Summary { alone, ..kinds }
    }

    fn of_kinds(kinds: impl Iterator<Item = FateKind>) -> Summary {
        let mut summary = Summary::default();
        for kind in kinds {
            if kind == FateKind::Parametric {
                summary.parametric += 1;
                continue;
            }
            summary.mutants += 1;
            match kind {
                FateKind::Killed | FateKind::TimedOut => summary.killed += 1,
                FateKind::Own => {
                    summary.killed += 1;
                    summary.own += 1;
                }
                FateKind::Missed => {
                    summary.killed += 1;
                    summary.missed += 1;
                }
                FateKind::Duplicate => summary.duplicate += 1,
                FateKind::Equivalent => summary.equivalent += 1,
                FateKind::Limited => summary.limited += 1,
                FateKind::Open => summary.open += 1,
                FateKind::Parametric => {}
            }
        }
        summary
    }

    /// The score if every mutant that is not settled can be killed, and is not.
    pub fn low(&self) -> f64 {
        let (part, whole) = self.at_least();
        part as f64 / whole as f64
    }

    /// The score if none of them can be, or a test for it is written: then
    /// nothing is left alive but what the user's own tests miss.
    pub fn high(&self) -> f64 {
        let (part, whole) = self.at_most();
        part as f64 / whole as f64
    }

    /// Whether the score is one number.
    pub fn is_exact(&self) -> bool {
        self.low() == self.high()
    }

    /// The score and what it is made of, in one line.
    pub fn in_words(&self) -> String {
        let Summary { mutants, killed, equivalent, duplicate, limited, open, .. } = self;
        if *mutants == 0 {
            return match self.parametric {
                0 => "nothing to score: there are no mutants".to_string(),
                _ => "nothing to score but parametric mutants, which do not count".to_string(),
            };
        }
        let [low, high] = [self.at_least(), self.at_most()].map(percent);
        let who = if self.own + self.missed > 0 { " by your tests" } else { "" };
        let by_them = killed - self.missed;
        let alone = if self.alone > 0 { format!(" ({} alone)", self.alone) } else { String::new() };
        if self.is_exact() {
            let killable = mutants - equivalent - duplicate;
            return format!(
                "score {low}: {by_them} of {killable} killed{who}{alone}, {equivalent} equivalent"
            );
        }
        let limited = if *limited > 0 { format!(", {limited} limited") } else { String::new() };
        format!(
            "score {low} to {high}: {by_them} killed{who}{alone}, {equivalent} equivalent{limited}, {open} open"
        )
    }

    /// The lower end as a fraction.
    fn at_least(&self) -> (usize, usize) {
        match self.killed + self.open + self.limited {
            0 => (1, 1),
            whole => (self.killed - self.missed, whole),
        }
    }

    /// The upper end as a fraction.
    fn at_most(&self) -> (usize, usize) {
        match self.killed {
            0 => (1, 1),
            whole => (whole - self.missed, whole),
        }
    }
}

/// Rounded down to a tenth: what is not all is never called 100 %.
fn percent((part, whole): (usize, usize)) -> String {
    let tenths = part * 1000 / whole;
    match tenths % 10 {
        0 => format!("{} %", tenths / 10),
        tenth => format!("{}.{tenth} %", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kinds: &[(FateKind, usize)], expect: &str) {
        let kinds = kinds.iter().flat_map(|(kind, count)| std::iter::repeat_n(*kind, *count));
        assert_eq!(Summary::of_kinds(kinds).in_words(), expect);
    }

    #[test]
    fn the_score_is_exact_if_all_is_known() {
        check(&[], "nothing to score: there are no mutants");
        check(
            &[(FateKind::Killed, 3), (FateKind::Equivalent, 2)],
            "score 100 %: 3 of 3 killed, 2 equivalent",
        );
        check(
            &[(FateKind::Killed, 1), (FateKind::TimedOut, 1), (FateKind::Duplicate, 5)],
            "score 100 %: 2 of 2 killed, 0 equivalent",
        );
    }

    #[test]
    fn kills_of_a_function_alone_are_counted_apart() {
        let summary = Summary { mutants: 3, killed: 3, alone: 2, ..Summary::default() };
        assert_eq!(summary.in_words(), "score 100 %: 3 of 3 killed (2 alone), 0 equivalent");
        let summary = Summary { mutants: 4, open: 1, ..summary };
        assert_eq!(summary.in_words(), "score 75 % to 100 %: 3 killed (2 alone), 0 equivalent, 1 open");
    }

    #[test]
    fn the_score_is_an_interval_while_something_is_open() {
        check(
            &[(FateKind::Killed, 3), (FateKind::Open, 1)],
            "score 75 % to 100 %: 3 killed, 0 equivalent, 1 open",
        );
        check(
            &[(FateKind::Killed, 3), (FateKind::Limited, 1)],
            "score 75 % to 100 %: 3 killed, 0 equivalent, 1 limited, 0 open",
        );
        check(&[(FateKind::Open, 2)], "score 0 % to 100 %: 0 killed, 0 equivalent, 2 open");
    }

    #[test]
    fn the_score_is_that_of_the_users_own_tests() {
        let theirs = [(FateKind::Own, 3), (FateKind::Missed, 1), (FateKind::Equivalent, 2)];
        check(&theirs, "score 75 %: 3 of 4 killed by your tests, 2 equivalent");
        check(
            &[(FateKind::Own, 6), (FateKind::Missed, 2), (FateKind::Open, 2)],
            "score 60 % to 75 %: 6 killed by your tests, 0 equivalent, 2 open",
        );
        check(&[(FateKind::Missed, 2)], "score 0 %: 0 of 2 killed by your tests, 0 equivalent");
    }

    #[test]
    fn what_is_not_all_is_not_called_all() {
        check(
            &[(FateKind::Killed, 9999), (FateKind::Open, 1)],
            "score 99.9 % to 100 %: 9999 killed, 0 equivalent, 1 open",
        );
    }
}
