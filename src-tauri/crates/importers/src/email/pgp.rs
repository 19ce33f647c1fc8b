//! Text that was signed or encrypted in place (RFC 9580, section 7). The marks of a signature are removed, and encrypted text
//! does not count as anybody's words.

use super::plain::Line;

const SIGNED: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----";
const SIGNATURE_END: &str = "-----END PGP SIGNATURE-----";
const ENCRYPTED: &str = "-----BEGIN PGP MESSAGE-----";
const ENCRYPTED_END: &str = "-----END PGP MESSAGE-----";

/// The lines without the marks, and whether any of them were encrypted.
pub(super) fn plain(lines: Vec<Line>) -> (Vec<Line>, bool) {
    if !lines.iter().any(|line| line.text.starts_with("-----BEGIN PGP ")) {
        return (lines, false);
    }
    let mut kept = Vec::new();
    let mut is_encrypted = false;
    let mut is_signed = false;
    // The line that ends the part to leave out.
    let mut until: Option<&str> = None;
    for mut line in lines {
        let text = line.text.trim_end();
        match until {
            Some(end) => {
                if text == end {
                    until = None;
                }
                continue;
            }
            None => match text {
                SIGNED => {
                    is_signed = true;
                    // Its header, which ends with an empty line.
                    until = Some("");
                    continue;
                }
                SIGNATURE => {
                    is_signed = false;
                    until = Some(SIGNATURE_END);
                    continue;
                }
                ENCRYPTED => {
                    is_encrypted = true;
                    until = Some(ENCRYPTED_END);
                    continue;
                }
                _ => {}
            },
        }
        if is_signed && let Some(escaped) = line.text.strip_prefix("- ") {
            line.text = escaped.to_owned();
        }
        kept.push(line);
    }
    (kept, is_encrypted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::email::plain::{Flow, lines};

    #[test]
    fn marks_are_taken_off() {
        let shown = |text: &str| {
            let (lines, is_encrypted) = plain(lines(text, Flow::default()).unwrap_or_default());
            (lines.into_iter().map(|line| line.text).collect::<Vec<_>>().join("|"), is_encrypted)
        };
        let signed = format!("{SIGNED}\nHash: SHA256\n\nHi\n- -- \nAna\n{SIGNATURE}\n\nabc=\n{SIGNATURE_END}\n- x");
        assert_eq!(shown(&signed), ("Hi|-- |Ana|- x".to_owned(), false));
        assert_eq!(shown(&format!("Hi\n{ENCRYPTED}\n\nabc\n{ENCRYPTED_END}")), ("Hi".to_owned(), true));
        assert_eq!(shown("Hi\n- x"), ("Hi|- x".to_owned(), false));
    }
}
