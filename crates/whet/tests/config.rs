//! `whet.toml`: what it sets, who wins, and what is said of mistakes in it.

mod folder;

use folder::{Folder, MIN, stderr, stdout};

/// The line of `whet config` for a setting.
#[track_caller]
fn check(toml: &str, arguments: &[&str], expect: &str) {
    let folder = Folder::new(&[("src/min.c", MIN), ("whet.toml", toml)]);
    let text = folder.says(&[&["config", "src/min.c"], arguments].concat());
    let lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(lines.iter().any(|line| line == expect), "{expect} is not in\n{text}");
}

#[track_caller]
fn check_mistake(toml: &str, expect: &str) {
    let folder = Folder::new(&[("src/min.c", MIN), ("whet.toml", toml)]);
    folder.check_mistake(&["run", "src/min.c"], expect);
}

#[test]
fn a_setting_comes_from_the_file_or_is_the_default() {
    check("", &[], "bound = 8 # default");
    check("\nbound = 4", &[], "bound = 4 # whet.toml:2");
    check("overflow = 'wrap'", &[], "overflow = \"wrap\" # whet.toml:1");
    check("quiet = true", &[], "quiet = true # whet.toml:1");
    check("function = 'min'", &[], "function = [\"min\"] # whet.toml:1");
    check("may-alias = ['a,b', 'c,d']", &[], "may-alias = [\"a,b\", \"c,d\"] # whet.toml:1");
    check("", &[], "# jobs is not set # default");
}

#[test]
fn the_command_line_wins() {
    check("bound = 4", &["--bound", "5"], "bound = 5 # command line");
    check("function = ['min', 'max']", &["--function", "abs"], "function = [\"abs\"] # command line");
    check("quiet = true", &["--no-quiet"], "quiet = false # command line");
    check("flags = ['-DA']", &["--", "-DB"], "flags = [\"-DB\"] # command line");
}

#[test]
fn what_is_set_holds_for_a_run() {
    let folder =
        Folder::new(&[("src/min.c", MIN), ("whet.toml", "quiet = true\nout = 'here'\noperators = 'ROR'\n")]);
    let output = folder.whet_in("src", &["run", "min.c"]);
    assert_eq!((stdout(&output), stderr(&output)), (String::new(), String::new()));
    // A path in the file starts where the file is.
    assert!(folder.path("here/verdicts.json").exists());
    // The same, for a command that does not have all of the flags.
    assert_eq!(stdout(&folder.whet_in("src", &["list", "min.c"])).lines().count(), 5);
    assert!(stdout(&folder.whet_in("src", &["run", "min.c", "--no-quiet"])).contains("5 mutants"));
}

#[test]
fn flags_for_clang_start_where_the_file_is() {
    let c = "#include \"one.h\"\nint f(int x)\n{\n    return x + ONE;\n}\n";
    let files =
        [("src/f.c", c), ("include/one.h", "#define ONE 1\n"), ("whet.toml", "flags = ['-I', 'include']\n")];
    let folder = Folder::new(&files);
    assert!(folder.whet_in("src", &["list", "f.c"]).status.success());
    assert!(folder.whet(&["list", "src/f.c"]).status.success());
    assert!(folder.whet(&["list", "src/f.c", "--"]).status.success());
    assert!(!folder.whet(&["list", "src/f.c", "--", "-DOTHER"]).status.success(), "the command line wins");
}

#[test]
fn the_nearest_file_counts() {
    let folder =
        Folder::new(&[("whet.toml", "bound = 4"), ("src/whet.toml", "bound = 5"), ("src/deep/min.c", MIN)]);
    assert!(folder.says(&["config", "src/deep/min.c"]).contains("bound = 5"));
    assert!(folder.says(&["config"]).contains("bound = 4"));
}

#[test]
fn mistakes_in_the_file_name_the_line() {
    check_mistake("bound = 4\nbond = 3", "whet.toml:2: there is no setting `bond`: did you mean `bound`?");
    check_mistake(
        "\nbound = 'four'",
        "whet.toml:2: `bound` must be a number, such as `bound = 8`; this is a text",
    );
    check_mistake(
        "bound = [4]",
        "whet.toml:1: `bound` must be a number, such as `bound = 8`; this is a list",
    );
    check_mistake(
        "quiet = 1",
        "whet.toml:1: `quiet` must be true or false, such as `quiet = true`; this is a number",
    );
    check_mistake(
        "operators = true",
        "`operators` must be a text in quotes, such as `operators = \"default\"`; this is true or false",
    );
    check_mistake(
        "function = [1]",
        "`function` must be a text in quotes, or a list of them, such as `function = [\"NAME\"]`; this is a list",
    );
    check_mistake("[run]\nbound = 3", "whet.toml:1: there is no setting `run`");
    check_mistake("bound = 0", "whet.toml:1: `bound`: 0 is not in 1..=1000");
    check_mistake(
        "\n\noverflow = 'maybe'",
        "whet.toml:3: `overflow`: there is no `maybe`; choose from undefined, wrap",
    );
    check_mistake("bound = ", "whet.toml:1: ");
    check_mistake("bound = 1\nbound = 2", "whet.toml:2: duplicate key");
}

/// The schema in the repository is the one that this Whet would write.
#[test]
fn the_schema_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/whet.json");
    let schema = Folder::new(&[]).says(&["config", "--schema"]);
    if std::env::var_os("WHET_BLESS").is_some() {
        std::fs::write(path, &schema).expect("the schema can be written");
    }
    let shipped = std::fs::read_to_string(path).unwrap_or_default();
    assert!(shipped == schema, "schema/whet.json is out of date: `./x bless --test config` writes it anew");
}
