//! A kill that any build of a test shows is preferred to one that needs a sanitizer.

use std::process::Command;

use serde_json::Value;

#[test]
fn an_index_that_strays_on_some_inputs_is_killed_on_another() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let c = "static const int limits[4] = {400, 500, 640, 740};\n\
             int above(int layer, int height)\n{\n    return height > limits[layer];\n}\n";
    std::fs::write(folder.path().join("tables.c"), c).expect("a file can be written");
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    whet.current_dir(folder.path()).args(["run", "tables.c", "--operators", "IVI,UOI", "--no-store"]);
    assert_eq!(whet.output().expect("whet runs").status.code(), Some(0));
    let text = std::fs::read_to_string(folder.path().join("whet-out/verdicts.json")).expect("it is written");
    let verdicts: Value = serde_json::from_str(&text).expect("the verdicts are JSON");
    let mutants = verdicts["mutants"].as_array().expect("there are mutants");
    let needs_more = |it: &&Value| it["method"].as_str().is_some_and(|method| method.contains("-fsanitize"));
    let soft: Vec<&str> =
        mutants.iter().filter(needs_more).filter_map(|it| it["replacement"].as_str()).collect();
    // This one has no index but 0 and those before the array.
    assert_eq!(soft, ["-layer"]);
    let changed = mutants.iter().filter_map(|it| it["replacement"].as_str());
    let expect = ["(height + 1)", "(height - 1)", "(layer + 1)", "(layer - 1)"];
    assert!(expect.iter().all(|it| changed.clone().any(|changed| changed == *it)), "{text}");
}
