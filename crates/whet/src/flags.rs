//! Flags for clang that hold paths.

use std::path::Path;

/// Those that are followed by a path, in the same word or in the next one.
const WITH_PATH: [&str; 9] =
    ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot=", "-I", "-F"];

/// The flags with relative paths taken from this folder.
pub(crate) fn relative_to(folder: &Path, flags: Vec<String>) -> Vec<String> {
    let absolute = |path: &str| folder.join(path).to_string_lossy().into_owned();
    let mut is_path = false;
    let change = |flag: String| {
        if std::mem::take(&mut is_path) {
            return absolute(&flag);
        }
        let Some(prefix) = WITH_PATH.iter().find(|prefix| flag.starts_with(**prefix)) else { return flag };
        match &flag[prefix.len()..] {
            "" => {
                is_path = true;
                flag
            }
            path => format!("{prefix}{}", absolute(path)),
        }
    };
    flags.into_iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(flags: &[&str], expect: &[&str]) {
        let flags = flags.iter().map(|flag| flag.to_string()).collect();
        assert_eq!(relative_to(Path::new("/project"), flags), expect);
    }

    #[test]
    fn paths_are_taken_from_the_folder() {
        check(&["-I", "include", "-DI=1"], &["-I", "/project/include", "-DI=1"]);
        check(&["-Iinclude", "-I/usr/x"], &["-I/project/include", "-I/usr/x"]);
        check(
            &["-include", "config.h", "-isystemsys"],
            &["-include", "/project/config.h", "-isystem/project/sys"],
        );
        check(&["-std=c99", "-Wall"], &["-std=c99", "-Wall"]);
    }
}
