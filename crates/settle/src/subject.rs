//! Who judges whom: the functions that a test can call, and the mutants each must judge.
//!
//! A mutant in a function that tests can call is judged by calling it: if no call of the
//! function itself tells the difference, no caller's can. A mutant in a `static` function is
//! judged by every callable function that leads to it through `static` functions only. It is killed if one of
//! them kills it, and equivalent if all of them are proved.

use std::collections::BTreeSet;

use ir::{FunctionId, Mutant};

/// A function that tests can call, with the mutants that it must judge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    pub function: FunctionId,
    /// Sorted.
    pub mutants: Vec<Mutant>,
}

/// The subjects, given the functions that tests can call, the function that each mutant (from number 1 on) changes, and the
/// functions that each function mentions.
pub fn subjects(callable: &[FunctionId], homes: &[FunctionId], mentions: &[Vec<FunctionId>]) -> Vec<Subject> {
    let judged = |function: FunctionId| {
        let territory = territory(function, callable, mentions);
        let numbered = homes.iter().enumerate().map(|(at, home)| (Mutant(at as u32 + 1), home));
        let mutants =
            numbered.filter(|(_, home)| territory.contains(home)).map(|(mutant, _)| mutant).collect();
        Subject { function, mutants }
    };
    callable.iter().map(|function| judged(*function)).filter(|subject| !subject.mutants.is_empty()).collect()
}

/// The function and what it reaches without passing through another callable one.
fn territory(
    function: FunctionId,
    callable: &[FunctionId],
    mentions: &[Vec<FunctionId>],
) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::from([function]);
    let mut todo = vec![function];
    while let Some(function) = todo.pop() {
        for callee in &mentions[function.0 as usize] {
            if !callable.contains(callee) && reached.insert(*callee) {
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
        let id = |letter: char| FunctionId(letter as u32 - 'a' as u32);
        let callable: Vec<FunctionId> = callable.chars().map(id).collect();
        let homes: Vec<FunctionId> = homes.chars().map(id).collect();
        let mut by: Vec<Vec<FunctionId>> = vec![vec![]; 5];
        for pair in mentions {
            let pair: Vec<FunctionId> = pair.chars().map(id).collect();
            by[pair[0].0 as usize].push(pair[1]);
        }
        let shown: Vec<String> = subjects(&callable, &homes, &by)
            .iter()
            .map(|Subject { function, mutants }| {
                let numbers: String = mutants.iter().map(|mutant| mutant.0.to_string()).collect();
                format!("{}:{numbers}", (b'a' + function.0 as u8) as char)
            })
            .collect();
        assert_eq!(shown.join(" "), expect);
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
    fn a_static_function_behind_a_callable_one_is_judged_by_that_one() {
        check("ab", "c", &["ab", "bc"], "b:1");
    }

    #[test]
    fn recursion_among_static_functions_ends() {
        check("a", "bc", &["ab", "bc", "cb", "bb"], "a:12");
    }

    #[test]
    fn what_nobody_leads_to_has_no_judge() {
        check("a", "b", &["bb"], "");
    }
}
