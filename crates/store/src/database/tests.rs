//! What the file keeps, and what is said when it cannot.

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

#[test]
fn what_was_put_is_there_for_the_next_run() {
    let folder = folder();
    let [one, other] = ["one", "other"].map(|text| Key::of(&[text]));
    assert!(Store::find(folder.path()).unwrap().is_none());
    let store = Store::open(folder.path()).unwrap();
    store.put(&one, "", "all").unwrap();
    store.put(&one, "part", "some").unwrap();
    store.put(&other, "part", "else").unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.get(&one, "").unwrap().as_deref(), Some("all"));
    assert_eq!(store.get(&other, "").unwrap(), None);
    store.keep_only(&one, "").unwrap();
    assert_eq!(store.get(&one, "part").unwrap(), None);
    assert_eq!(store.get(&other, "part").unwrap().as_deref(), Some("else"));
}

#[test]
fn a_key_depends_on_where_its_parts_end() {
    assert_ne!(Key::of(&["ab", "c"]), Key::of(&["a", "bc"]));
    assert_eq!(Key::of(&["ab", "c"]), Key::of(&["ab", "c"]));
}

#[test]
fn many_may_write_at_once() {
    let folder = folder();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = folder.path();
            scope.spawn(move || {
                let store = Store::open(path).unwrap();
                for number in 0..25 {
                    store.put(&Key::of(&[&format!("{thread} {number}")]), "", "here").unwrap();
                }
            });
        }
    });
    let store = Store::open(folder.path()).unwrap();
    for (thread, number) in (0..4).flat_map(|thread| (0..25).map(move |number| (thread, number))) {
        let found = store.get(&Key::of(&[&format!("{thread} {number}")]), "").unwrap();
        assert_eq!(found.as_deref(), Some("here"), "{thread} {number}");
    }
}

/// Makes a store with a record, changes its bytes, and says what becomes of looking for the record.
fn check(change: impl Fn(&mut Vec<u8>), expect: &str) {
    let folder = folder();
    let key = Key::of(&["key"]);
    let store = Store::open(folder.path()).unwrap();
    store.put(&key, "", "the record").unwrap();
    drop(store);
    let path = folder.path().join(FILE);
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(&path, &bytes).unwrap();
    let found = Store::find(folder.path()).and_then(|store| store.expect("it is there").get(&key, ""));
    let said = found.map_or_else(|error| error.to_string(), |found| format!("{found:?}"));
    assert!(said.contains(expect), "{said}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "to look changes nothing");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().flatten().map(|it| it.file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(Store::clear(folder.path()).unwrap());
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.get(&key, "").unwrap(), None);
    store.put(&key, "", "the record").unwrap();
}

#[test]
fn damage_is_noticed_and_can_be_cleared() {
    check(|_| {}, "the record");
    check(|bytes| bytes.truncate(50), "is damaged");
    check(|bytes| bytes.clear(), "is damaged");
    check(|bytes| bytes[..16].fill(b'x'), "is damaged");
    check(|bytes| bytes[100..4096].fill(0x55), "is damaged");
    check(|bytes| bytes.truncate(4096), "is damaged");
    check(|bytes| bytes[4096..].fill(0x55), "is damaged");
}

#[test]
fn a_record_that_was_tampered_with_is_none() {
    let change = |bytes: &mut Vec<u8>| {
        let at = bytes.windows(10).position(|window| window == b"the record").expect("it is in the file");
        bytes[at] = b'T';
    };
    check(change, "is damaged");
}

#[test]
fn another_version_is_told_from_damage() {
    check(|bytes| bytes[63] = 99, "was made by another version of Whet");
    check(|bytes| bytes[71] = 99, "is damaged");
}
