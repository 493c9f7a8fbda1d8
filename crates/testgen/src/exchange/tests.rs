//! Each format, read back by what knows it.

use bv::Word;
use ir::{Datum, FunctionId, Pointer, Seen, SeenCall, Type};

use super::{Collection, Exchanged, Format};
use crate::sketch::{Sketch, given, seen};

fn exchange(format: Format, sketch: &Sketch) -> Exchanged {
    format.exchange(&Collection {
        program: &sketch.program,
        tests: &sketch.tests,
        names: &sketch.names(),
        file: "src/a&b.c",
        hash: "e3b0c442",
        time: 951_782_400,
        producer: "Whet 0.1.0",
    })
}

/// `int find(const char *s, char c, unsigned short n)`, called with a text and with null.
fn find() -> Sketch {
    let mut s = Sketch::default();
    let (char, int, short) = (s.char(), s.int(), s.integer("unsigned short", 16, false));
    let pointer = s.of(Type::Pointer(Pointer {
        name: "const char *".to_string(),
        to: char,
        constant: true,
        untyped: false,
    }));
    let find = s.function("find", &[("s", pointer), ("c", char), ("n", short)], Some(int), &[], &[]);
    let text = s.text(b"a\xff\0", None);
    s.test(find, vec![text, letter(b'b'), Datum::Word(Word::new(16, 0x1234))], Some(seen(-1)), |_, _| {});
    s.test(find, vec![Datum::Null, letter(b'b'), Datum::Word(Word::new(16, 0))], Some(seen(-1)), |_, _| {});
    s
}

fn letter(byte: u8) -> Datum {
    Datum::Word(Word::new(8, byte.into()))
}

/// What KLEE reads in a file, as its `kTest_fromFile` does.
struct Ktest {
    arguments: Vec<String>,
    objects: Vec<(String, Vec<u8>)>,
}

fn read_ktest(file: &[u8]) -> Ktest {
    let mut rest = file.strip_prefix(b"KTEST").expect("the magic");
    assert_eq!(number(&mut rest), 3);
    let arguments = (0..number(&mut rest)).map(|_| name(&mut rest)).collect();
    assert_eq!((number(&mut rest), number(&mut rest)), (0, 0), "there are no symbolic arguments");
    let objects = (0..number(&mut rest)).map(|_| (name(&mut rest), string(&mut rest))).collect();
    assert!(rest.is_empty(), "there is more than was said");
    Ktest { arguments, objects }
}

fn number(rest: &mut &[u8]) -> u32 {
    let (number, after) = rest.split_first_chunk().expect("four bytes");
    *rest = after;
    u32::from_be_bytes(*number)
}

fn string(rest: &mut &[u8]) -> Vec<u8> {
    let length = number(rest) as usize;
    assert!(length > 0, "KLEE fails to read nothing");
    let (bytes, after) = rest.split_at(length);
    *rest = after;
    bytes.to_vec()
}

fn name(rest: &mut &[u8]) -> String {
    String::from_utf8(string(rest)).expect("a name")
}

#[test]
fn klee_reads_an_object_for_each_parameter() {
    let exchanged = exchange(Format::Ktest, &find());
    let names: Vec<&str> = exchanged.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["find/test000001.ktest", "find/test000002.ktest"]);
    let Ktest { arguments, objects } = read_ktest(&exchanged.files[0].1);
    assert_eq!(arguments, ["src/a&b.c"]);
    let object = |name: &str, bytes: &[u8]| (name.to_string(), bytes.to_vec());
    assert_eq!(objects, [object("s", b"a\xff\0"), object("c", b"b"), object("n", &[0x34, 0x12])]);
    assert_eq!(read_ktest(&exchanged.files[1].1).objects, [object("c", b"b"), object("n", &[0, 0])]);
    assert_eq!((exchanged.tests, exchanged.left_out), (vec![(FunctionId(0), 2)], 0));
}

#[test]
fn a_seed_has_its_numbers_before_its_buffers() {
    let exchanged = exchange(Format::LibFuzzer, &find());
    let expect = find().names().iter().map(|name| format!("find/{name}")).collect::<Vec<_>>();
    assert_eq!(exchanged.files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), expect);
    assert_eq!(exchanged.files[0].1, b"b\x34\x12a\xff\0");
    assert_eq!(exchanged.files[1].1, b"b\0\0");
}

#[test]
fn a_suite_of_the_competition_is_xml() {
    let exchanged = exchange(Format::TestComp, &find());
    let text = |at: usize| {
        let (name, bytes) = &exchanged.files[at];
        let text = String::from_utf8(bytes.clone()).expect("UTF-8");
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        roxmltree::Document::parse_with_options(&text, options)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        (name.as_str(), text)
    };
    let (name, first) = text(0);
    assert_eq!(name, "find/testcase-1.xml");
    assert_eq!(
        first,
        r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE testcase PUBLIC "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN" "https://sosy-lab.org/test-format/testcase-1.1.dtd">
<testcase>
  <input variable="s[0]" type="char">97</input>
  <input variable="s[1]" type="char">-1</input>
  <input variable="s[2]" type="char">0</input>
  <input variable="c" type="char">98</input>
  <input variable="n" type="unsigned short">4660</input>
</testcase>
"#
    );
    let (name, second) = text(1);
    assert_eq!(name, "find/testcase-2.xml");
    assert!(second.contains(r#"<input variable="s" type="const char *">0</input>"#), "{second}");
    let (name, metadata) = text(2);
    assert_eq!(name, "find/metadata.xml");
    assert_eq!(
        metadata,
        r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE test-metadata PUBLIC "+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN" "https://sosy-lab.org/test-format/test-metadata-1.1.dtd">
<test-metadata>
  <sourcecodelang>C</sourcecodelang>
  <producer>Whet 0.1.0</producer>
  <specification>kill every mutant</specification>
  <programfile>src/a&amp;b.c</programfile>
  <programhash>e3b0c442</programhash>
  <entryfunction>find</entryfunction>
  <architecture>64bit</architecture>
  <creationtime>2000-02-29T00:00:00Z</creationtime>
</test-metadata>
"#
    );
}

#[test]
fn structs_are_taken_apart_and_lie_as_in_memory() {
    let mut s = Sketch::default();
    let (char, int, double) = (s.char(), s.int(), s.double());
    let pair = s.array(int, 2);
    let record =
        s.record("struct r", false, &[("low", int, Some(3)), ("pair", pair, None), ("d", double, None)]);
    // A field after a bit-field starts at the next number.
    if let Type::Record(record) = &mut s.program.types[record.0 as usize] {
        (record.fields[1].offset, record.fields[2].offset, record.size) = (32, 128, 24);
    }
    let pointer = s.pointer(record, false);
    let f = s.function("f", &[("p", pointer), ("", char)], None, &[], &[]);
    let double = Datum::Word(Word::new(64, 0.5f64.to_bits().into()));
    let low = Datum::Word(Word::from_signed(3, -2));
    let parts = vec![low, Datum::Aggregate(vec![given(1), given(-1)]), double];
    let object = s.object(record, vec![Datum::Aggregate(parts)], None);
    s.test(f, vec![object, letter(b'x')], None, |_, _| {});

    let xml = String::from_utf8(exchange(Format::TestComp, &s).files[0].1.clone()).expect("UTF-8");
    let inputs: Vec<&str> = xml.lines().filter_map(|line| line.strip_prefix("  <input variable=")).collect();
    assert_eq!(
        inputs,
        [
            r#""p[0].low" type="int">-2</input>"#,
            r#""p[0].pair[0]" type="int">1</input>"#,
            r#""p[0].pair[1]" type="int">-1</input>"#,
            r#""p[0].d" type="double">0.5</input>"#,
            r#""argument_2" type="char">120</input>"#,
        ]
    );
    let Ktest { objects, .. } = read_ktest(&exchange(Format::Ktest, &s).files[0].1);
    let mut expect = vec![6, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0];
    expect.extend(0.5f64.to_le_bytes());
    assert_eq!(objects, [("p".to_string(), expect), ("argument_2".to_string(), b"x".to_vec())]);
}

#[test]
fn what_needs_addresses_or_stubs_is_left_out() {
    let mut s = Sketch::default();
    let (char, int) = (s.char(), s.int());
    let text = s.pointer(char, false);
    let texts = s.pointer(text, false);
    let one = s.function("one", &[("s", text)], None, &[], &[]);
    let two = s.function("two", &[("s", text), ("t", text)], None, &[], &[]);
    let nested = s.function("nested", &[("list", texts)], None, &[], &[]);
    let read = s.external("read", &[], Some(int), false);
    let print = s.external("puts", &[], Some(int), true);

    let inside = s.text(b"ab\0", None);
    s.test(two, vec![inside.clone(), inside], None, |_, _| {});
    s.text(b"ab\0", None);
    s.test(one, vec![Datum::Pointer { object: 0, element: 1 }], None, |_, _| {});
    s.test(one, vec![Datum::Function(FunctionId(0))], None, |_, _| {});
    let inner = s.text(b"a\0", None);
    let list = s.object(text, vec![inner], None);
    s.test(nested, vec![list], None, |_, _| {});
    s.test(one, vec![Datum::Null], None, |input, _| input.results = vec![(read, vec![given(1)])]);
    let call = |external| SeenCall { external, arguments: vec![], beyond: vec![] };
    s.test(one, vec![Datum::Null], None, |_, seen| seen.calls = vec![call(read)]);
    for format in Format::ALL {
        let exchanged = exchange(format, &s);
        assert_eq!((exchanged.files, exchanged.left_out), (vec![], 6), "{format:?}");
    }

    let list = s.object(text, vec![Datum::Null], Some(vec![Seen::Null]));
    s.test(nested, vec![list], None, |_, seen| seen.calls = vec![call(print)]);
    for format in Format::ALL {
        let exchanged = exchange(format, &s);
        assert_eq!(exchanged.left_out, 6, "{format:?}");
        assert!(exchanged.files[0].0.starts_with("nested/"), "{format:?}");
    }
}

#[test]
fn global_variables_come_after_the_parameters() {
    let mut s = Sketch::default();
    let int = s.int();
    let total = s.global("total", int, &[0; 4], true);
    let add = s.function("add", &[("n", int)], None, &[], &[]);
    s.test(add, vec![given(2)], None, |input, _| input.globals = vec![(total, given(7))]);
    assert_eq!(exchange(Format::LibFuzzer, &s).files[0].1, [2, 0, 0, 0, 7, 0, 0, 0]);
}

#[test]
fn what_an_earlier_run_left_is_known_by_its_number() {
    let check = |format: Format, tests: usize, expect: &[&str]| {
        assert_eq!(format.leftovers("f", tests).take(2).collect::<Vec<_>>(), expect);
    };
    check(Format::Ktest, 3, &["f/test000004.ktest", "f/test000005.ktest"]);
    check(Format::TestComp, 1, &["f/testcase-2.xml", "f/testcase-3.xml"]);
    check(Format::TestComp, 0, &["f/metadata.xml", "f/testcase-1.xml"]);
    check(Format::LibFuzzer, 1, &[]);
}
