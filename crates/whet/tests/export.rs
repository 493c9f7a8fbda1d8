//! `--export`: inputs for other tools, written where they look for them.

mod folder;

use folder::{Folder, MIN, stderr};

/// One function that fits every format, and one that needs a pointer to a function.
const MIXED: &str = "\
int length(const char *s)
{
    int n = 0;
    if (!s)
        return -1;
    while (s[n])
        n++;
    return n;
}

int twice(int x)
{
    return x + x;
}

int apply(int (*f)(int), int x)
{
    return f ? f(x) + 1 : 0;
}
";

/// The files below a folder, in order.
fn below(folder: &Folder, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.path(name)).expect("it is there").flatten() {
        let path = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() { found.extend(below(folder, &path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn each_format_has_a_folder_for_each_function() {
    let folder = Folder::new(&[("mixed.c", MIXED)]);
    let said = folder.says(&[
        "run",
        "mixed.c",
        "--export",
        "ktest,testcomp,libfuzzer",
        "--allow-open",
        "--allow-limited",
    ]);
    for format in ["ktest", "testcomp", "libfuzzer"] {
        let files = below(&folder, &format!("whet-out/{format}"));
        assert!(
            files.iter().any(|file| file.starts_with(&format!("whet-out/{format}/length/"))),
            "{files:?}"
        );
        let line = said.lines().find(|line| line.contains(&format!("written to whet-out/{format}")));
        let line = line.unwrap_or_else(|| panic!("{said}"));
        assert!(line.ends_with(" left out, because the format has no place for such inputs"), "{line}");
    }
    let text = folder.read("whet-out/testcomp/length/metadata.xml");
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&text, options).expect("it is XML");
    let element = |name: &str| {
        let found = document.descendants().find(|node| node.has_tag_name(name));
        found.and_then(|node| node.text()).unwrap_or_default().to_string()
    };
    let hash = folder.run("sha256sum", &["mixed.c"]).stdout;
    assert_eq!(element("programhash").as_bytes(), &hash[..64]);
    assert_eq!(element("entryfunction"), "length");
    assert_eq!(element("programfile"), "mixed.c");
}

#[test]
fn a_second_run_writes_the_same_and_leaves_nothing_older() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let run = ["run", "min.c", "--export", "ktest,testcomp", "--quiet", "--no-store"];
    folder.says(&run);
    let contents = || -> Vec<(String, Vec<u8>)> {
        let files = [below(&folder, "whet-out/ktest"), below(&folder, "whet-out/testcomp")].concat();
        files.into_iter().map(|file| (file.clone(), std::fs::read(folder.path(&file)).unwrap())).collect()
    };
    let first = contents();
    let count = first.iter().filter(|(name, _)| name.ends_with(".ktest")).count();
    folder.write(&format!("whet-out/ktest/min/test{:06}.ktest", count + 1), "older");
    folder.write(&format!("whet-out/testcomp/min/testcase-{}.xml", count + 1), "older");
    // Then the tests are kept, and no new one is chosen.
    let edited = folder.read("whet-out/test_min.c") + "/* edited */\n";
    folder.write("whet-out/test_min.c", edited);
    folder.says(&run);
    assert_eq!(first, contents());
}

#[test]
fn mistakes_about_formats_get_one_sentence() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let check = |list: &str, expect: &str| folder.check_mistake(&["run", "min.c", "--export", list], expect);
    let known = "--export takes ktest, testcomp, libfuzzer, none";
    check("ktst", &format!("whet: there is no format `ktst`: did you mean `ktest`? {known}\n"));
    check("xml", &format!("whet: there is no format `xml`: {known}\n"));
    check("ktest,none", "whet: --export takes formats or `none`, not both\n");
}

#[test]
fn the_time_of_a_suite_can_be_said() {
    let folder = Folder::new(&[("min.c", MIN)]);
    let run = |time: &str| {
        let program = env!("CARGO_BIN_EXE_whet");
        let time = format!("SOURCE_DATE_EPOCH={time}");
        folder.run("env", &[&time, program, "run", "min.c", "--export", "testcomp", "--quiet"])
    };
    assert!(run("951782400").status.success());
    let metadata = folder.read("whet-out/testcomp/min/metadata.xml");
    assert!(metadata.contains("<creationtime>2000-02-29T00:00:00Z</creationtime>"), "{metadata}");
    let wrong = run("yesterday");
    let expect = "whet: SOURCE_DATE_EPOCH is `yesterday`: it must be a number of seconds since 1970\n";
    assert_eq!((wrong.status.code(), stderr(&wrong).as_str()), (Some(1), expect));
}
