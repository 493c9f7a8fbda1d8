//! Who judges whom: the functions that a test can call, and the mutants each must judge.
//!
//! A mutant in a function that tests can call is judged by calling it: if no call of the function
//! itself tells the difference, no caller's can. A mutant in a `static` function is judged by
//! every callable function that leads to it through `static` functions only. It is killed if one
//! of them kills it, and equivalent if all of them are proved. But if one of them hands out a
//! pointer to the function, a caller can do with it what no subject does, and there is no proof.
//!
//! Some functions can be called by a test, but not in all the ways of a caller in the file: no test passes
//! arguments for `...`. They judge their mutants together with those that lead to them.
//!
//! A judge looks at calls that keep to some assumptions and limits. Another function of the file may call it
//! in other ways, such as with two pointers into one buffer. So these [callers] are asked about what a judge
//! leaves in doubt.

use std::collections::{BTreeMap, BTreeSet};

use ir::{FunctionId, Mutant};

/// A function that tests can call, with the mutants that it must judge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    pub function: FunctionId,
    /// Sorted.
    pub mutants: Vec<Mutant>,
    /// Those that a caller can reach through a pointer, with the function that it points to.
    pub escaping: BTreeMap<Mutant, FunctionId>,
    /// The other subjects that judge a mutant, if there are any.
    pub others: BTreeMap<Mutant, BTreeSet<FunctionId>>,
}

impl Subject {
    /// A subject that alone judges these mutants.
    pub fn alone(function: FunctionId, mutants: Vec<Mutant>) -> Subject {
        Subject { function, mutants, escaping: BTreeMap::new(), others: BTreeMap::new() }
    }

    /// Whether two mutants have the same judges. Only then can one be a duplicate of the other: where a
    /// subject reaches only one of them, they are not the same.
    pub fn are_peers(&self, one: Mutant, other: Mutant) -> bool {
        self.others.get(&one) == self.others.get(&other)
    }

    /// These mutants, by their judges.
    pub fn peers(&self, mutants: impl IntoIterator<Item = Mutant>) -> Vec<Vec<Mutant>> {
        let mut groups: BTreeMap<Option<&BTreeSet<FunctionId>>, Vec<Mutant>> = BTreeMap::new();
        for mutant in mutants {
            groups.entry(self.others.get(&mutant)).or_default().push(mutant);
        }
        groups.into_values().collect()
    }
}

/// The subjects, given the functions that tests can call, whether a test can do
/// all with one that a caller in the file can, the functions that each mutant
/// (from number 1 on) changes, the functions that each function mentions, and
/// the functions that a caller can get hold of through a subject.
pub fn subjects(
    callable: &[FunctionId],
    wholly: impl Fn(FunctionId) -> bool,
    homes: &[Vec<FunctionId>],
    mentions: &[Vec<FunctionId>],
    escaping: impl Fn(FunctionId) -> Vec<FunctionId>,
) -> Vec<Subject> {
    let whole: Vec<FunctionId> = callable.iter().copied().filter(|function| wholly(*function)).collect();
    let numbered = || homes.iter().enumerate().map(|(at, homes)| (Mutant(at as u32 + 1), homes));
    let judged = |function: FunctionId| {
        let of = |function: FunctionId| {
            let territory = territory(function, &whole, mentions);
            let is_home = move |(_, homes): &(Mutant, &Vec<FunctionId>)| {
                homes.iter().any(|home| territory.contains(home))
            };
            numbered().filter(is_home).map(|(mutant, _)| mutant)
        };
        let mutants = of(function).collect();
        let escaping = escaping(function).into_iter();
        let escaping = escaping.flat_map(|escaping| of(escaping).map(move |mutant| (mutant, escaping)));
        Subject { escaping: escaping.collect(), ..Subject::alone(function, mutants) }
    };
    let all = callable.iter().map(|function| judged(*function));
    let mut all: Vec<Subject> = all.filter(|subject| !subject.mutants.is_empty()).collect();
    let mut judges: BTreeMap<Mutant, BTreeSet<FunctionId>> = BTreeMap::new();
    for subject in &all {
        for mutant in &subject.mutants {
            judges.entry(*mutant).or_default().insert(subject.function);
        }
    }
    judges.retain(|_, judges| judges.len() > 1);
    for subject in &mut all {
        let besides = |mutant: &Mutant| {
            let mut others = judges.get(mutant)?.clone();
            others.remove(&subject.function);
            Some((*mutant, others))
        };
        subject.others = subject.mutants.iter().filter_map(besides).collect();
    }
    all
}

/// For each function, the others that can be called and lead to it, through none that is wholly callable.
pub fn callers(
    callable: &[FunctionId],
    wholly: impl Fn(FunctionId) -> bool,
    mentions: &[Vec<FunctionId>],
) -> BTreeMap<FunctionId, BTreeSet<FunctionId>> {
    let whole: Vec<FunctionId> = callable.iter().copied().filter(|function| wholly(*function)).collect();
    let mut callers: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for caller in callable {
        let territory = territory(*caller, &whole, mentions);
        let callees = territory.iter().flat_map(|function| &mentions[function.0 as usize]);
        for callee in callees.filter(|callee| *callee != caller && callable.contains(callee)) {
            callers.entry(*callee).or_default().insert(*caller);
        }
    }
    callers
}

/// The function and what it reaches without passing through another one that is wholly callable.
fn territory(
    function: FunctionId,
    whole: &[FunctionId],
    mentions: &[Vec<FunctionId>],
) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::from([function]);
    let mut todo = vec![function];
    while let Some(function) = todo.pop() {
        for callee in &mentions[function.0 as usize] {
            if !whole.contains(callee) && reached.insert(*callee) {
                todo.push(*callee);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions are letters, `ab` says that a mentions b; the result reads `a:12`: a judges mutants 1 and 2.
    fn check(callable: &str, homes: &str, mentions: &[&str], expect: &str) {
        check_partly(callable, "", homes, mentions, expect);
    }

    /// The same, if some of the functions cannot be called by a test in all ways.
    fn check_partly(callable: &str, partly: &str, homes: &str, mentions: &[&str], expect: &str) {
        let id = |letter: char| FunctionId(letter as u32 - 'a' as u32);
        let callable: Vec<FunctionId> = callable.chars().map(id).collect();
        let partly: Vec<FunctionId> = partly.chars().map(id).collect();
        let homes: Vec<Vec<FunctionId>> = homes.chars().map(|home| vec![id(home)]).collect();
        let mut by: Vec<Vec<FunctionId>> = vec![vec![]; 5];
        for pair in mentions {
            let pair: Vec<FunctionId> = pair.chars().map(id).collect();
            by[pair[0].0 as usize].push(pair[1]);
        }
        let shown: Vec<String> = subjects(&callable, |it| !partly.contains(&it), &homes, &by, |_| vec![])
            .iter()
            .map(|Subject { function, mutants, .. }| {
                let numbers: String = mutants.iter().map(|mutant| mutant.0.to_string()).collect();
                format!("{}:{numbers}", (b'a' + function.0 as u8) as char)
            })
            .collect();
        assert_eq!(shown.join(" "), expect);
    }

    #[test]
    fn peers_have_the_same_judges() {
        let [a, b, c] = [0, 1, 2].map(FunctionId);
        // Mutants 1 and 2 are in a function that the other two call, 3 is in the first of them.
        let homes = [vec![c], vec![c], vec![a]];
        let mentions = [vec![c], vec![c], vec![]];
        let subjects = subjects(&[a, b], |_| true, &homes, &mentions, |_| vec![]);
        let groups = |subject: &Subject| subject.peers(subject.mutants.iter().copied());
        let [one, two, three] = [1, 2, 3].map(Mutant);
        assert_eq!(groups(&subjects[0]), [vec![three], vec![one, two]]);
        assert_eq!(groups(&subjects[1]), [vec![one, two]]);
        assert!(subjects[0].are_peers(one, two) && !subjects[0].are_peers(one, three));
    }

    #[test]
    fn a_callable_function_judges_its_own_mutants() {
        check("ab", "aab", &["ab"], "a:12 b:3");
    }

    #[test]
    fn a_static_function_is_judged_by_all_that_lead_to_it() {
        check("ab", "ccb", &["ac", "bc"], "a:12 b:123");
        check("ab", "d", &["ac", "cd", "bd"], "a:1 b:1");
    }

    #[test]
    fn a_function_that_no_test_can_call_in_all_ways_is_judged_by_all_that_lead_to_it_too() {
        check_partly("abc", "b", "abc", &["ab", "bc"], "a:12 b:2 c:3");
    }

    #[test]
    fn a_static_function_behind_a_callable_one_is_judged_by_that_one() {
        check("ab", "c", &["ab", "bc"], "b:1");
    }

    #[test]
    fn recursion_among_static_functions_ends() {
        check("a", "bc", &["ab", "bc", "cb", "bb"], "a:12");
    }

    #[test]
    fn what_an_escaping_function_leads_to_escapes() {
        let [a, b, c] = [0, 1, 2].map(FunctionId);
        let homes = [a, b, c].map(|home| vec![home]);
        let subjects = subjects(&[a], |_| true, &homes, &[vec![b], vec![c], vec![]], |_| vec![b]);
        assert_eq!(subjects[0].escaping, BTreeMap::from([(Mutant(2), b), (Mutant(3), b)]));
    }

    #[test]
    fn callers_lead_to_a_function_through_none_that_can_be_called() {
        let id = |letter: char| FunctionId(letter as u32 - 'a' as u32);
        let mut mentions: Vec<Vec<FunctionId>> = vec![vec![]; 5];
        for (caller, callee) in [('a', 'b'), ('b', 'c'), ('c', 'c'), ('c', 'd'), ('a', 'e'), ('e', 'd')] {
            mentions[id(caller).0 as usize].push(id(callee));
        }
        let callable = ['a', 'b', 'c', 'd'].map(id);
        let of = |letters: &str| letters.chars().map(id).collect::<BTreeSet<FunctionId>>();
        let expected = [('b', "a"), ('c', "b"), ('d', "ac")].map(|(callee, by)| (id(callee), of(by)));
        assert_eq!(callers(&callable, |_| true, &mentions), BTreeMap::from(expected));
        let partly = |function: FunctionId| function != id('c');
        let expected = [('b', "a"), ('c', "b"), ('d', "abc")].map(|(callee, by)| (id(callee), of(by)));
        assert_eq!(callers(&callable, partly, &mentions), BTreeMap::from(expected));
    }

    #[test]
    fn what_nobody_leads_to_has_no_judge() {
        check("a", "b", &["bb"], "");
    }
}
