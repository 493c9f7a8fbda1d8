//! The hunt: long inputs kill what short ones do not, and nothing that a run does hurts the next one.

mod folder;

use folder::Folder;

/// Sums up bytes, in another way from the hundredth on.
const LONG: &str = r"unsigned checksum(const unsigned char *bytes, unsigned count)
{
    unsigned sum = 1;
    if (count >= 100)
        sum = 7;
    for (unsigned i = 0; i < count; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}
";

/// Sums up what follows eight bytes that no search finds by chance.
const SIGNED: &str = r"#include <string.h>

static const char key[] = {6, 28, 49, 6, 19, 88, 7, 77};

int content(const char *bytes, int count)
{
    int sum = 0;
    if (count < 10 || memcmp(bytes, key, sizeof key) != 0)
        return 0;
    for (int i = 8; i < count; i++)
        sum += bytes[i];
    return sum;
}
";

/// Writes far outside of its own variables on most inputs.
const WILD: &str = r"int histogram(const unsigned short *values, int count)
{
    int found[16] = {0};
    int most = 0;
    for (int i = 0; i < count; i++)
        found[values[i]]++;
    for (int i = 0; i < 16; i++)
        if (found[i] > most)
            most = found[i];
    return count >= 60 ? most + 1 : most;
}
";

/// How many mutants each stage kills.
fn kills(file: &str, text: &str, jobs: &str) -> Vec<(String, u64)> {
    let folder = Folder::new(&[(file, text)]);
    let output = folder.whet(&[
        "run",
        file,
        "--stages",
        "simulate,hunt",
        "--allow-open",
        "--jobs",
        jobs,
        "--no-store",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}{}", folder::stdout(&output), folder::stderr(&output));
    let verdicts = folder.json("whet-out/verdicts.json");
    let stages = verdicts["mutants"].as_array().expect("there are mutants").iter();
    let killed = stages.filter(|mutant| mutant["status"] == "killed");
    let mut kills: Vec<(String, u64)> = vec![];
    for mutant in killed {
        let stage = mutant["stage"].as_str().expect("a kill names its stage").to_string();
        match kills.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, count)) => *count += 1,
            None => kills.push((stage, 1)),
        }
    }
    kills.sort();
    kills
}

fn by_hunt(kills: &[(String, u64)]) -> u64 {
    kills.iter().find(|(stage, _)| stage == "hunt").map_or(0, |(_, count)| *count)
}

#[test]
fn long_inputs_kill_what_short_ones_do_not() {
    let kills = kills("checksum.c", LONG, "2");
    assert!(by_hunt(&kills) >= 5, "{kills:?}");
}

#[test]
fn bytes_that_are_compared_are_found() {
    let kills = kills("signed.c", SIGNED, "2");
    assert!(by_hunt(&kills) >= 20, "{kills:?}");
}

#[test]
fn a_run_that_destroys_its_stack_hurts_no_other() {
    let kills = kills("histogram.c", WILD, "2");
    assert!(by_hunt(&kills) >= 3, "{kills:?}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for (file, text) in [("checksum.c", LONG), ("histogram.c", WILD)] {
        assert_eq!(kills(file, text, "1"), kills(file, text, "3"));
    }
}
