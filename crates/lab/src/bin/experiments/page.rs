//! `experiments/README.md`, its plots and the summary: what was measured beside
//! what the papers say. Nothing is measured here.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::pipeline::{PROGRAMS, SOURCES};
use crate::plot::{Plot, Scale};

/// The generators of the paper on the pipeline.
const GENERATORS: [&str; 3] = ["Dextool Mutate", "MUSIC", "Universal Mutator"];

/// The results as JSON that reads well in a diff: a line for each row.
pub(crate) fn rows(results: &Value) -> String {
    let experiment = |(name, value): (&String, &Value)| match value {
        Value::Array(rows) => {
            let rows: Vec<String> = rows.iter().map(|row| format!("    {row}")).collect();
            format!("  \"{name}\": [\n{}\n  ]", rows.join(",\n"))
        }
        other => format!("  \"{name}\": {other}"),
    };
    let all: Vec<String> = results.as_object().into_iter().flatten().map(experiment).collect();
    format!("{{\n{}\n}}\n", all.join(",\n"))
}

/// Writes the page and its plots.
pub(crate) fn write(folder: &Path, results: &Value, papers: &Value) -> Result<()> {
    let mut page = String::from(
        "# The papers' experiments, run again\n\n\
         Written by `./x experiments`, which measures all of this; not by hand. The programs are in [programs](programs), \
         what was measured is in [results.json](results.json), what the papers say in [papers.json](papers.json).\n\n",
    );
    let _ = writeln!(page, "```\n{}```\n", summary(results, papers));
    thesis(&mut page, results, papers);
    pipeline(&mut page, results, papers);
    stubborn(&mut page, results);
    ablations(&mut page, results);
    guidance(&mut page, results);
    peers(&mut page, results);
    std::fs::write(folder.join("README.md"), page)?;
    for (name, plot) in plots(results, papers) {
        std::fs::write(folder.join(name), plot)?;
    }
    Ok(())
}

/// The result in a few lines.
pub(crate) fn summary(results: &Value, papers: &Value) -> String {
    let mut text = String::new();
    let thesis = list(&results["thesis"]);
    if !thesis.is_empty() {
        // The papers' eight come first; those with arrays are no part of the comparison.
        for (what, rows) in
            [("thesis", &thesis[..8.min(thesis.len())]), ("with arrays", &thesis[8.min(thesis.len())..])]
        {
            let (ours, theirs) = (total(rows, "seconds"), total(rows, "compile_seconds"));
            let _ = writeln!(
                text,
                "{what}: {} faults in {} programs, {} open; {ours:.1} s, {theirs:.1} s to compile each mutant once: ratio {:.2}",
                total(rows, "faults"),
                rows.len(),
                total(rows, "open"),
                ours / theirs
            );
        }
    }
    let pipeline = list(&results["pipeline"]);
    for source in SOURCES {
        let rows: Vec<Value> = pipeline.iter().filter(|row| row["operators"] == source).cloned().collect();
        if !rows.is_empty() {
            let _ = writeln!(
                text,
                "pipeline, {source}: {} of {} errors found, {} of {} mutants open; {:.0} s",
                found(&rows),
                rows.len(),
                total(&rows, "open"),
                total(&rows, "mutants"),
                total(&rows, "seconds")
            );
        }
    }
    if !pipeline.is_empty() {
        for generator in GENERATORS {
            let rows: Vec<Value> = list(&papers["pipeline"])
                .iter()
                .filter(|row| row["generator"] == generator)
                .cloned()
                .collect();
            let _ = writeln!(
                text,
                "  the paper, {generator}: {} of {} errors found, {} of {} mutants timed out; {}",
                found(&rows),
                rows.len(),
                total(&rows, "timeouts"),
                total(&rows, "mutants"),
                duration(total(&rows, "seconds"))
            );
        }
    }
    for row in list(&results["stubborn"]["mutants"]) {
        let _ =
            writeln!(text, "stubborn: {} {} by x = {}", word(&row["mutant"]), word(&row["status"]), row["x"]);
    }
    for (way, seconds, open) in ways(results) {
        let _ = writeln!(text, "ablation, {way}: {seconds:.1} s, {open} open");
    }
    for (way, killed, mutants, seconds) in guided(results) {
        let _ = writeln!(text, "guidance, {way}: {killed} of {mutants} mutants killed, {seconds:.1} s");
    }
    for rows in list(&results["peers"]).chunk_by(|one, next| one["tool"] == next["tool"]) {
        let _ = writeln!(
            text,
            "{}: {} of {} mutants settled, {:.1} s: {:.0} times Whet's time",
            word(&rows[0]["tool"]),
            total(rows, "settled"),
            total(rows, "faults"),
            total(rows, "seconds"),
            total(rows, "seconds") / total(rows, "whet_seconds")
        );
    }
    text
}

fn thesis(page: &mut String, results: &Value, papers: &Value) {
    let rows = list(&results["thesis"]);
    if rows.is_empty() {
        return;
    }
    page.push_str(
        "## Thesis and SymBMC\n\n\
         Riener, *Formal Methods for the Analysis of Program Mutations* (thesis, 2011), tables 5.1 to 5.4; Riener, Bloem, Fey, *Test Case Generation from Mutants using Model Checking Techniques* \
         (2011), table I. The programs of the papers, and below them those with arrays that the papers had to rewrite. Faults are \
         Whet's `--operators seed --overflow wrap`: the papers' four operators, on the source in place of LLVM's instructions, so that there are more of them. \
         The papers' times are from their machine (Athlon 64 X2, 3 GHz).\n\n\
         Both cross-checks of section 5.4 hold: nothing that the optimiser proves equivalent is killed by the solver, and each test, run on the \
         original as clang compiles it, gives what it has recorded.\n\n",
    );
    let ours_and_theirs = |paper: &str| -> Vec<(&Value, Value)> {
        rows.iter().map(|row| (row, paper_row(&papers[paper], row))).collect()
    };
    let thesis = ours_and_theirs("thesis");
    thesis_sizes(page, &thesis);
    thesis_optimiser(page, &thesis);
    thesis_solver(page, "The solver alone", "bounded", &thesis);
    thesis_solver(page, "The optimiser, then the solver", "canonical_bounded", &thesis);
    thesis_whole(page, &ours_and_theirs("symbmc"));
    page.push_str(
        "![How many faults of trityp are settled over time](settled.svg)\n\n\
         (Figure 5.2 of the thesis: 196 of 206 faults after 207 s.)\n\n\
         ![How long the solver takes for each fault of trityp](each.svg)\n\n\
         (Figure 5.4 of the thesis: 124 of 206 faults take up to a second each, five take five or more.)\n\n",
    );
}

fn thesis_sizes(page: &mut String, rows: &[(&Value, Value)]) {
    page.push_str("Sizes (the thesis in brackets):\n\n");
    let sizes = rows.iter().map(|(row, theirs)| {
        let both = |key: &str| beside(&row[key], &theirs[key]);
        vec![
            word(&row["program"]),
            both("variables"),
            both("instructions"),
            both("meta_instructions"),
            both("faults"),
        ]
    });
    table(page, &["program", "variables", "instructions", "of the meta-mutant", "faults"], sizes);
}

fn thesis_optimiser(page: &mut String, rows: &[(&Value, Value)]) {
    page.push_str(
        "The optimiser alone (the thesis's MetaOptimizer in brackets; it found no equivalent fault):\n\n",
    );
    let canonical = rows.iter().map(|(row, theirs)| {
        let ours = &row["canonical"];
        let none = if theirs.is_null() { Value::Null } else { Value::from(0) };
        vec![
            word(&row["program"]),
            beside(&ours["redundant"], &theirs["redundant"]),
            beside(&ours["equivalent"], &none),
            beside(&ours["compaction"], &theirs["compaction"]),
        ]
    });
    table(page, &["program", "redundant", "equivalent", "compaction"], canonical);
}

fn thesis_solver(page: &mut String, title: &str, key: &str, rows: &[(&Value, Value)]) {
    let _ = writeln!(page, "{title}; Whet's time is that of the whole command:\n");
    let solved = rows.iter().map(|(row, theirs)| {
        let (ours, theirs) = (&row[key], &theirs[key]);
        let time = |key: &str| match (&theirs[key], theirs.is_null()) {
            (_, true) => String::new(),
            (Value::Null, false) => "over 7 h".to_string(),
            (seconds, false) => format!("{seconds} s"),
        };
        vec![
            word(&row["program"]),
            word(&ours["killed"]),
            word(&ours["equivalent"]),
            word(&ours["limited"]),
            word(&ours["open"]),
            word(&ours["tests"]),
            format!("{} s", ours["seconds"]),
            word(&theirs["tests"]),
            time("boolector"),
            time("z3"),
        ]
    });
    let heads = [
        "program",
        "killed",
        "equivalent",
        "limited",
        "open",
        "tests",
        "time",
        "thesis: tests",
        "Boolector",
        "Z3",
    ];
    table(page, &heads, solved);
}

fn thesis_whole(page: &mut String, rows: &[(&Value, Value)]) {
    page.push_str(
        "The whole of Whet, beside compiling each mutant once (`clang -O0 -c`), and the SymBMC paper:\n\n",
    );
    let whole = rows.iter().map(|(row, theirs)| {
        let time = if theirs.is_null() { String::new() } else { format!("{} s", theirs["seconds"]) };
        let counts = ["faults", "killed", "equivalent", "duplicate", "limited", "open", "tests"]
            .map(|key| word(&row[key]));
        let times = ["seconds", "compile_seconds"].map(|key| format!("{} s", row[key]));
        let ours =
            [vec![word(&row["program"])], counts.to_vec(), times.to_vec(), vec![word(&row["compile_ratio"])]];
        [ours.concat(), vec![word(&theirs["faults"]), word(&theirs["tests"]), time]].concat()
    });
    let heads = [
        "program",
        "faults",
        "killed",
        "equivalent",
        "duplicate",
        "limited",
        "open",
        "tests",
        "time",
        "compile",
        "ratio",
        "paper: faults",
        "tests",
        "time",
    ];
    table(page, &heads, whole);
}

fn pipeline(page: &mut String, results: &Value, papers: &Value) {
    let rows = list(&results["pipeline"]);
    if rows.is_empty() {
        return;
    }
    page.push_str(
        "## Equivalence-prover pipeline\n\n\
         *Generating Mutation Tests Using an Equivalence Prover*, tables 2 to 29. Each program has an error, and a reference without it. \
         Found: a test fails on the program as it is. Whet does not leave that to the mutants alone: with a reference, it also looks for inputs on which the two differ, which the paper did not, so that \
         what is found does not compare the mutants. The paper gave its solver 60 s for each mutant; what ran out of them is open here. A duplicate does the same as \
         another mutant that is killed; the paper counts it with those killed by earlier tests.\n\n\
         ![How long each program takes](pipeline.svg)\n\n",
    );
    let heads = [
        "program",
        "mutants of",
        "mutants",
        "by earlier tests",
        "duplicate",
        "equivalent",
        "limited",
        "by new witness",
        "open",
        "invalid",
        "tests",
        "time",
        "error found",
    ];
    let mut lines = Vec::new();
    for program in PROGRAMS {
        for row in rows.iter().filter(|row| row["program"] == program) {
            let source = format!("Whet, {}", word(&row["operators"]));
            lines.push(settled(&format!("**{program}**"), &source, row, "open"));
        }
        for row in list(&papers["pipeline"]).iter().filter(|row| row["program"] == program) {
            lines.push(settled("", &word(&row["generator"]), row, "timeouts"));
        }
    }
    table(page, &heads, lines);
}

fn settled(program: &str, source: &str, row: &Value, open: &str) -> Vec<String> {
    let before =
        ["mutants", "earlier", "duplicate", "equivalent", "limited", "new"].map(|key| word(&row[key]));
    let found = if row["found"] == true { "yes" } else { "no" };
    let after = [word(&row[open]), word(&row["invalid"]), word(&row["tests"])];
    let time = duration(row["seconds"].as_f64().unwrap_or_default());
    let (first, last) = ([program.to_string(), source.to_string()], [time, found.to_string()]);
    [&first[..], &before, &after, &last].concat()
}

fn stubborn(page: &mut String, results: &Value) {
    let stubborn = &results["stubborn"];
    if stubborn.is_null() {
        return;
    }
    page.push_str(
        "## Stubborn mutants\n\n\
         Chekam, Papadakis, Cordy, Le Traon, *Killing Stubborn Mutants with Symbolic Execution* (2020), figure 1: `func` with M1 and M2.\n\n",
    );
    let rows = list(&stubborn["mutants"]).iter().map(|row| {
        vec![
            word(&row["mutant"]),
            word(&row["status"]),
            format!("x = {}", row["x"]),
            format!("{} s", row["seconds"]),
        ]
    });
    table(page, &["mutant", "verdict", "smallest input", "time of both"], rows);
    let in_vain = &stubborn["in_vain"];
    let _ = writeln!(
        page,
        "x = {} comes to {} and does not kill it: original and mutant both return {}.\n",
        in_vain["x"],
        word(&in_vain["mutant"]),
        in_vain["both_return"]
    );
}

fn ablations(page: &mut String, results: &Value) {
    let rows = list(&results["ablations"]);
    if rows.is_empty() {
        return;
    }
    page.push_str(
        "## Ablations\n\n\
         What each idea buys, on the papers' eight programs: seconds, and how many faults are open in the end, if any. In the upper rows \
         the command runs without a stage. In the lower ones a solver alone is asked, on one thread, without anything that makes its work easier; \
         the free mutant number with blocking is the papers' encoding.\n\n",
    );
    let mut programs: Vec<String> = Vec::new();
    for row in rows {
        let program = word(&row["program"]);
        if !programs.contains(&program) {
            programs.push(program);
        }
    }
    let heads: Vec<&str> =
        ["without"].into_iter().chain(programs.iter().map(String::as_str)).chain(["all"]).collect();
    let lines = ways(results).into_iter().map(|(way, seconds, open)| {
        let cell = |program: &String| {
            let row = rows.iter().find(|row| row["way"] == *way && row["program"] == **program);
            row.map_or(String::new(), |row| with_open(row["seconds"].as_f64(), row["open"].as_u64()))
        };
        let cells: Vec<String> = programs.iter().map(cell).collect();
        [vec![way.clone()], cells, vec![with_open(Some(seconds), Some(open as u64))]].concat()
    });
    table(page, &heads, lines.collect::<Vec<_>>());
}

fn guidance(page: &mut String, results: &Value) {
    let rows = list(&results["guidance"]);
    if rows.is_empty() {
        return;
    }
    page.push_str(
        "### What guides the hunt\n\n\
         Programs of ours that need long or odd inputs: how many mutants are killed, and after how many seconds the search has spent its fuel. Below the first row, machine code is searched, \
         each time with one more reason to keep an input, and always with the same fuel. Nothing is proved here, so that equivalent mutants are among those that are left. \
         The [plot](guidance.svg) adds up the kills in all programs, each timed from the start of its own search.\n\n",
    );
    let mut programs: Vec<String> = rows.iter().map(|row| word(&row["program"])).collect();
    programs.dedup();
    let named = programs.iter().map(|program| {
        let row = rows.iter().find(|row| row["program"] == **program);
        format!("{program} ({})", row.map_or(String::new(), |row| word(&row["mutants"])))
    });
    let heads: Vec<String> =
        ["with".to_string()].into_iter().chain(named).chain(["all".to_string()]).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let lines = guided(results).into_iter().map(|(way, killed, ..)| {
        let cell = |program: &String| {
            let row = rows.iter().find(|row| row["way"] == *way && row["program"] == **program);
            row.map_or(String::new(), |row| format!("{} ({} s)", word(&row["killed"]), word(&row["seconds"])))
        };
        let cells: Vec<String> = programs.iter().map(cell).collect();
        [vec![way], cells, vec![killed.to_string()]].concat()
    });
    table(page, &heads, lines.collect::<Vec<_>>());
}

/// Each way of the hunt, with its kills, all mutants and the seconds of all programs.
fn guided(results: &Value) -> Vec<(String, f64, f64, f64)> {
    let rows = list(&results["guidance"]);
    let mut ways: Vec<String> = Vec::new();
    for way in rows.iter().map(|row| word(&row["way"])) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let sums = ways.into_iter().map(|way| {
        let own: Vec<Value> = rows.iter().filter(|row| row["way"] == *way).cloned().collect();
        (way, total(&own, "killed"), total(&own, "mutants"), total(&own, "seconds"))
    });
    sums.collect()
}

fn peers(page: &mut String, results: &Value) {
    let rows = list(&results["peers"]);
    if rows.is_empty() {
        return;
    }
    page.push_str(
        "## Peers\n\n\
         The same mutants, one harness for each that asserts that original and mutant return the same; one after the other, on the same machine in the same run. A mutant is settled when the tool comes to an answer within ten seconds; each answer is the one that Whet gives.\n\n",
    );
    let keys = ["tool", "program", "faults", "settled", "seconds", "whet_seconds", "ratio"];
    table(page, &keys, rows.iter().map(|row| keys.map(|key| word(&row[key])).to_vec()));
}

/// Each way of the ablations, with its seconds and what it leaves open.
fn ways(results: &Value) -> Vec<(String, f64, f64)> {
    let mut ways: Vec<(String, f64, f64)> = Vec::new();
    for row in list(&results["ablations"]) {
        let (way, seconds, open) = (word(&row["way"]), row["seconds"].as_f64(), row["open"].as_f64());
        let (seconds, open) = (seconds.unwrap_or_default(), open.unwrap_or_default());
        match ways.iter_mut().find(|(known, ..)| *known == way) {
            Some(known) => (known.1, known.2) = (known.1 + seconds, known.2 + open),
            None => ways.push((way, seconds, open)),
        }
    }
    ways
}

fn with_open(seconds: Option<f64>, open: Option<u64>) -> String {
    let seconds = seconds.unwrap_or_default();
    match open {
        None | Some(0) => format!("{seconds:.2}"),
        Some(open) => format!("{seconds:.2} ({open} open)"),
    }
}

fn plots(results: &Value, papers: &Value) -> Vec<(&'static str, String)> {
    let mut plots = Vec::new();
    if let Some(row) = list(&results["thesis"]).iter().find(|row| !row["settled_ms"].is_null()) {
        let points: Vec<(f64, f64)> = list(&row["settled_ms"]).iter().filter_map(pair).collect();
        let each: Vec<f64> = list(&row["each_ms"]).iter().filter_map(Value::as_f64).collect();
        let faults = row["faults"].as_f64().unwrap_or(1.0);
        plots.push(("settled.svg", settled_plot(&points, faults)));
        plots.push(("each.svg", each_plot(&each)));
    }
    if !list(&results["guidance"]).is_empty() {
        plots.push(("guidance.svg", guidance_plot(results)));
    }
    if !list(&results["pipeline"]).is_empty() {
        plots.push(("pipeline.svg", pipeline_plot(results, papers)));
    }
    plots
}

fn settled_plot(points: &[(f64, f64)], faults: f64) -> String {
    let end = points.last().map_or(1.0, |(ms, _)| (ms / 100.0).ceil() * 100.0);
    let x = Scale::Linear { to: end };
    let title = "trityp: faults settled over time";
    let mut plot =
        Plot::new(title, "milliseconds", "faults", Scale::Linear { to: (faults / 50.0).ceil() * 50.0 });
    plot.scale(&x);
    plot.steps(&x, points);
    plot.finish()
}

fn each_plot(each: &[f64]) -> String {
    // The last bar has all that take longer.
    const LIMITS: [f64; 9] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, f64::INFINITY];
    let mut counts = [0usize; LIMITS.len()];
    for ms in each {
        let bar = LIMITS.iter().position(|limit| ms <= limit).unwrap_or(LIMITS.len() - 1);
        counts[bar] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let y = Scale::Linear { to: (most / 50.0).ceil() * 50.0 };
    let mut plot = Plot::new("trityp: time of the solver for each fault", "milliseconds, up to", "faults", y);
    for (bar, (limit, count)) in LIMITS.iter().zip(counts).enumerate() {
        let place = |offset: f64| (bar as f64 + offset) / LIMITS.len() as f64;
        plot.bar(place(0.1), place(0.9), count as f64);
        let label = if limit.is_finite() { format!("{limit}") } else { "more".to_string() };
        plot.label(place(0.5), &label, false);
    }
    plot.finish()
}

/// The kills of each way in all programs, over the time since a program was begun.
fn guidance_plot(results: &Value) -> String {
    let rows = list(&results["guidance"]);
    let mutants = guided(results).first().map_or(1.0, |(_, _, mutants, _)| *mutants);
    let end = rows.iter().filter_map(|row| row["seconds"].as_f64()).fold(1.0, f64::max);
    let x = Scale::Powers { from: -2, to: end.log10().ceil() as i32 };
    let y = Scale::Linear { to: (mutants / 50.0).ceil() * 50.0 };
    let mut plot = Plot::new("Mutants killed over time", "seconds for each program", "mutants", y);
    plot.scale(&x);
    for (way, ..) in guided(results) {
        let mut kills: Vec<(f64, f64)> = Vec::new();
        for row in rows.iter().filter(|row| row["way"] == *way) {
            let sums: Vec<(f64, f64)> = list(&row["kills"]).iter().filter_map(pair).collect();
            let before = [0.0].into_iter().chain(sums.iter().map(|(_, sum)| *sum));
            kills.extend(sums.iter().zip(before).map(|((time, sum), before)| (*time, sum - before)));
        }
        kills.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut sum = 0.0;
        let points = kills.into_iter().map(|(time, killed)| {
            sum += killed;
            (time.max(0.01), sum)
        });
        plot.line(&way, &x, &points.collect::<Vec<_>>(), end);
    }
    plot.finish()
}

fn pipeline_plot(results: &Value, papers: &Value) -> String {
    let y = Scale::Powers { from: -1, to: 5 };
    let mut plot = Plot::new("Time for each program", "", "seconds", y);
    let place = |program: usize| (program as f64 + 0.5) / PROGRAMS.len() as f64;
    for (number, program) in PROGRAMS.iter().enumerate() {
        plot.label(place(number), program, true);
    }
    let mut series = |name: &str, rows: &[Value], key: &str, source: &str| {
        let time = |program: &&str| {
            let row = rows.iter().find(|row| row["program"] == **program && row[key] == source)?;
            row["seconds"].as_f64()
        };
        let times =
            PROGRAMS.iter().enumerate().filter_map(|(number, program)| Some((place(number), time(program)?)));
        let times: Vec<(f64, f64)> = times.collect();
        if !times.is_empty() {
            plot.dots(name, &times);
        }
    };
    let ours = list(&results["pipeline"]);
    series("Whet", ours, "operators", SOURCES[0]);
    series("Whet, universalmutator", ours, "operators", SOURCES[2]);
    let theirs = list(&papers["pipeline"]);
    series("MUSIC", theirs, "generator", GENERATORS[1]);
    series("Universal Mutator", theirs, "generator", GENERATORS[2]);
    plot.finish()
}

fn table(page: &mut String, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let _ = writeln!(page, "| {} |", heads.join(" | "));
    let _ = writeln!(page, "|{}", " --- |".repeat(heads.len()));
    for row in rows {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    page.push('\n');
}

fn paper_row(papers: &Value, row: &Value) -> Value {
    list(papers).iter().find(|it| it["program"] == row["program"]).cloned().unwrap_or_default()
}

fn beside(ours: &Value, theirs: &Value) -> String {
    if theirs.is_null() { word(ours) } else { format!("{} ({})", word(ours), word(theirs)) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn pair(value: &Value) -> Option<(f64, f64)> {
    Some((value[0].as_f64()?, value[1].as_f64()?))
}

fn total(rows: &[Value], key: &str) -> f64 {
    rows.iter().filter_map(|row| row[key].as_f64()).sum()
}

fn found(rows: &[Value]) -> usize {
    rows.iter().filter(|row| row["found"] == true).count()
}

fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        _ => format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60),
    }
}
