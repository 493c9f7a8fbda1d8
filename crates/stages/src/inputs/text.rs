//! Texts worth trying: short, over few characters, and like one another.

use fastrand::Rng;

use crate::inputs::mentions::Mentions;

/// The characters of texts, if these are not made of what the program mentions.
const ALPHABETS: [&[u8]; 6] = [b"ab", b"abc", b"a ", b"0129", b"+-01 9", b"aB1 ,-_z"];

/// Bytes that are negative where `char` is signed.
const BEYOND_ASCII: [u8; 3] = [0x80, 0xe4, 0xff];

/// The characters of the texts of one input.
pub(super) fn alphabet(random: &mut Rng, mentions: &Mentions) -> Vec<u8> {
    let mut alphabet = ALPHABETS[random.usize(..ALPHABETS.len())].to_vec();
    if !mentions.characters.is_empty() && random.u32(..4) > 0 {
        alphabet.truncate(random.usize(1..=2));
        for _ in 0..random.usize(1..=4) {
            let mentioned = mentions.characters[random.usize(..mentions.characters.len())];
            // A program that mentions `0` and `9` cares about what comes before and after these.
            alphabet.push(match random.u32(..8) {
                0 => mentioned.saturating_sub(1).max(1),
                1 => mentioned.saturating_add(1),
                _ => mentioned,
            });
        }
    }
    if random.u32(..16) == 0 {
        alphabet.push(BEYOND_ASCII[random.usize(..BEYOND_ASCII.len())]);
    }
    alphabet
}

/// A text without its end, of at most so many characters.
pub(super) fn text(
    random: &mut Rng,
    alphabet: &[u8],
    mentions: &Mentions,
    earlier: &[Vec<u8>],
    most: usize,
) -> Vec<u8> {
    let mut text = match random.u32(..16) {
        0 => vec![],
        1..=9 if !earlier.is_empty() => {
            let like = earlier[random.usize(..earlier.len())].clone();
            varied(random, alphabet, like)
        }
        10..=12 if !mentions.words.is_empty() => {
            let word = mentions.words[random.usize(..mentions.words.len())].clone();
            if random.bool() { word } else { varied(random, alphabet, word) }
        }
        _ => {
            let short = most.min(if random.u32(..3) > 0 { 3 } else { 10 });
            let length = random.usize(0..=short);
            (0..length).map(|_| alphabet[random.usize(..alphabet.len())]).collect()
        }
    };
    text.truncate(most);
    text
}

/// The same text, the beginning of it, more of it, or another one that differs in one character.
fn varied(random: &mut Rng, alphabet: &[u8], mut text: Vec<u8>) -> Vec<u8> {
    let another = alphabet[random.usize(..alphabet.len())];
    let length = text.len();
    match random.u32(..9) {
        0..=2 => {}
        3 => text.truncate(random.usize(0..=length)),
        4 => text.push(another),
        5 => text.insert(0, another),
        6 => _ = text.last_mut().map(|last| *last = another),
        7 => _ = text.first_mut().map(|first| *first = another),
        _ if length > 0 => text[random.usize(..length)] = another,
        _ => text.push(another),
    }
    text
}
