//! Repairs the text of Meta's download, in which each byte of a character's UTF-8 is written as a separate character.

/// `text` as intended: `cafÃ©` becomes `café`. Text that is not garbled in this way is left unchanged.
pub(super) fn decoded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_text_is_repaired_and_whole_text_stays() {
        let broken = |text: &str| text.bytes().map(char::from).collect::<String>();
        for text in ["plain", "Jón Þórsson", "👍🏽 ok", "“quoted”", ""] {
            assert_eq!(decoded(&broken(text)), text);
        }
        for text in ["café", "naïve – ž", "👍", "Ã", "é and \u{80}"] {
            assert_eq!(decoded(text), text, "it is whole already");
        }
    }
}
