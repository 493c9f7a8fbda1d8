//! What Whet is measured and attacked with. The programs are `./x bench`, `./x experiments`
//! and `./x soak`; the modules here are shared by them and by the tests of the command line.

pub mod checks;
pub mod csmith;
pub mod fetched;
pub mod measure;
pub mod whet;
