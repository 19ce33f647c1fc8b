//! Separates the MIME structure of an email into its texts, the names of its attachments, and the emails attached to it.
//!
//! The tree is walked here, with bounds on its depth and size, and only texts are decoded. `mail-parser` reads the headers and
//! decodes the texts; its own traversal has no such bounds and decodes every attachment.

use keepsake_domain::limits::MESSAGE_BYTES_MAX;
use mail_parser::{ContentType, Encoding, Message, MessageParser, MimeHeaders, PartType};
use serde_json::{Value, json};

use super::plain::{Flow, Line};
use super::{HEADER_BYTES_MAX, html, plain};

/// Maximum nesting of parts. Real mail reaches about ten.
const DEPTH_MAX: usize = 32;

/// Maximum number of parts of an email. Further ones are left out. An email with a hundred photos has about that many.
const PARTS_MAX: usize = 1_000;

/// Maximum length, in characters, of an attachment's name that is kept.
const NAME_CHARS_MAX: usize = 300;

/// Types of parts that belong to transport: signatures, and the control part of encrypted mail.
const TRANSPORT: &[&str] = &["pgp-signature", "pkcs7-signature", "x-pkcs7-signature", "pgp-encrypted"];

/// One text of an email, in up to two forms.
#[derive(Default)]
struct Text {
    plain: Vec<(String, Flow)>,
    html: Vec<String>,
}

/// What an email contains.
#[derive(Default)]
pub(super) struct Parts<'m> {
    texts: Vec<Text>,
    /// The attachments: their names and types.
    pub(super) attachments: Vec<Value>,
    /// The attached emails, each with its header.
    pub(super) mails: Vec<&'m [u8]>,
    /// Whether it reports on the delivery or reading of another email.
    pub(super) is_report: bool,
    /// Whether a text is larger than a message may be.
    pub(super) is_too_large: bool,
    count: usize,
}

impl<'m> Parts<'m> {
    /// Splits up an email.
    pub(super) fn of(mail: &'m [u8]) -> Self {
        let mut parts = Self::default();
        parts.walk(mail, 0, None);
        parts
    }

    /// The lines of its texts; `None` if there are too many. If a text has two forms, the plain one is used, unless it is only
    /// a stub that points to the other.
    pub(super) fn lines(&self) -> Option<Vec<Line>> {
        let mut all: Vec<Line> = Vec::new();
        for text in &self.texts {
            let mut written = Vec::new();
            for (text, flow) in &text.plain {
                written.append(&mut plain::lines(text, *flow)?);
            }
            if !text.html.is_empty() && own_letters(&written) < STUB_LETTERS_MAX {
                let mut shown = Vec::new();
                for page in &text.html {
                    shown.append(&mut html::lines(page)?);
                }
                if own_letters(&shown) > STUB_FACTOR * own_letters(&written) {
                    written = shown;
                }
            }
            if !all.is_empty() && !written.is_empty() {
                all.push(Line::default());
            }
            all.append(&mut written);
        }
        (all.len() <= plain::LINES_MAX).then_some(all)
    }

    /// Whether it has a text, even an empty one.
    pub(super) fn has_text(&self) -> bool {
        self.texts.iter().any(|text| !text.plain.is_empty() || !text.html.is_empty())
    }

    /// Walks through a part. `alternative` is the index of the text that the part is one form of.
    fn walk(&mut self, part: &'m [u8], depth: usize, alternative: Option<usize>) {
        self.count += 1;
        if self.count > PARTS_MAX {
            return;
        }
        // A part whose header has no end was cut off. A part with a huge header was not written by a mail program.
        let Some(body) = header_end(part).filter(|body| *body <= HEADER_BYTES_MAX) else { return };
        let header = part.get(..body).unwrap_or_default();
        let parsed = MessageParser::new().parse_headers(header);
        let kind = Kind::of(parsed.as_ref());
        if kind.main == "multipart" {
            self.is_report |= kind.sub == "report";
            if let Some(boundary) = kind.boundary.as_deref().filter(|_| depth < DEPTH_MAX) {
                let alternative = alternative.or_else(|| {
                    (kind.sub == "alternative").then(|| {
                        self.texts.push(Text::default());
                        self.texts.len() - 1
                    })
                });
                let children = children(part.get(body..).unwrap_or_default(), boundary);
                if children.is_empty() {
                    self.undivided(part.get(body..).unwrap_or_default(), alternative);
                }
                for child in children {
                    self.walk(child, depth + 1, alternative);
                }
                return;
            }
        }
        let is_text = kind.main == "text" && matches!(kind.sub.as_str(), "plain" | "html");
        if is_text && kind.name.is_none() && !kind.is_attachment {
            // A part without even an empty line may have been cut off.
            if body < part.len() {
                self.text(part, &kind, alternative);
            }
        } else if kind.main == "message" && matches!(kind.sub.as_str(), "rfc822" | "global") && !kind.is_encoded {
            self.mails.push(part.get(body..).unwrap_or_default());
        } else if !(TRANSPORT.contains(&kind.sub.as_str()) || self.is_report && kind.main != "image") {
            // Other forms of the same text, such as one for watches, are not attachments; an invitation is.
            let is_form = alternative.is_some() && kind.main == "text" && kind.name.is_none() && kind.sub != "calendar";
            if !is_form {
                self.attach(&kind);
            }
        }
    }

    /// Reads a multipart body without any parts as text. This occurs if a program removed the parts and left the header.
    fn undivided(&mut self, body: &[u8], alternative: Option<usize>) {
        if body.len() > MESSAGE_BYTES_MAX {
            self.is_too_large = true;
            return;
        }
        if alternative.is_none() {
            self.texts.push(Text::default());
        }
        let at = alternative.unwrap_or(self.texts.len().saturating_sub(1));
        if let Some(forms) = self.texts.get_mut(at) {
            forms.plain.push((String::from_utf8_lossy(body).trim_end().to_owned(), Flow::default()));
        }
    }

    fn text(&mut self, part: &[u8], kind: &Kind, alternative: Option<usize>) {
        let parsed = MessageParser::new().parse(part);
        let utf8 = as_utf8(part, kind);
        let Some(part) = parsed.as_ref().and_then(|parsed| parsed.parts.first()) else { return };
        // Text that claims to be base64 but is not does not count as anybody's words.
        if part.is_encoding_problem && kind.is_encoded && part.encoding == Encoding::None {
            return self.attach(kind);
        }
        let (PartType::Text(text) | PartType::Html(text)) = &part.body else { return };
        let text = utf8.as_deref().unwrap_or(text);
        let is_html = kind.sub == "html";
        // An HTML page may contain its pictures, so it may be larger.
        if text.len() > if is_html { 4 * MESSAGE_BYTES_MAX } else { MESSAGE_BYTES_MAX } {
            self.is_too_large = true;
            return;
        }
        if alternative.is_none() {
            self.texts.push(Text::default());
        }
        let at = alternative.unwrap_or(self.texts.len().saturating_sub(1));
        let Some(forms) = self.texts.get_mut(at) else { return };
        if is_html {
            forms.html.push(text.to_owned());
        } else {
            // The line break at the end belongs to the boundary or the file.
            forms.plain.push((text.trim_end_matches(['\r', '\n']).to_owned(), kind.flow));
        }
    }

    fn attach(&mut self, kind: &Kind) {
        let written = format!("{}/{}", kind.main, kind.sub);
        let name: String = kind.name.as_deref().unwrap_or(&written).chars().take(NAME_CHARS_MAX).collect();
        self.attachments.push(json!({ "name": name, "type": written }));
    }
}

/// Text with fewer letters may be a stub, such as "This mail has to be read in a browser".
const STUB_LETTERS_MAX: usize = 200;

/// How many times as many letters the HTML page must have for the plain text to be a stub.
const STUB_FACTOR: usize = 4;

/// The number of letters in lines that are not quoted.
fn own_letters(lines: &[Line]) -> usize {
    lines.iter().filter(|line| line.depth == 0).map(|line| line.text.chars().filter(|c| c.is_alphanumeric()).count()).sum()
}

/// What a part's header says about it.
#[derive(Default)]
struct Kind {
    main: String,
    sub: String,
    boundary: Option<String>,
    name: Option<String>,
    is_attachment: bool,
    is_encoded: bool,
    /// The transfer encoding, as written.
    encoding: String,
    /// Its character set, in lower case.
    charset: String,
    flow: Flow,
}

impl Kind {
    fn of(header: Option<&Message<'_>>) -> Self {
        let part = header.and_then(|header| header.parts.first());
        let content = part.and_then(|part| part.content_type());
        let attribute = |name: &str| content.and_then(|content: &ContentType<'_>| content.attribute(name));
        let is = |name: &str, value: &str| attribute(name).is_some_and(|found| found.eq_ignore_ascii_case(value));
        let name = part.and_then(|part| part.attachment_name()).map(str::trim).filter(|name| !name.is_empty());
        let encoding = part.and_then(|part| part.content_transfer_encoding()).unwrap_or_default();
        Self {
            main: content.map_or("text", |content| content.ctype()).to_ascii_lowercase(),
            sub: content.map_or(Some("plain"), |content| content.subtype()).unwrap_or_default().to_ascii_lowercase(),
            boundary: attribute("boundary").filter(|boundary| !boundary.is_empty()).map(str::to_owned),
            name: name.map(str::to_owned),
            is_attachment: part.and_then(|part| part.content_disposition()).is_some_and(|found| found.is_attachment()),
            is_encoded: encoding.eq_ignore_ascii_case("base64") || encoding.eq_ignore_ascii_case("quoted-printable"),
            encoding: encoding.to_owned(),
            charset: attribute("charset").unwrap_or_default().to_ascii_lowercase(),
            flow: Flow { is_flowed: is("format", "flowed"), drops_space: is("delsp", "yes") },
        }
    }
}

/// Text that is UTF-8 although its header names another character set, as some programs write it. Text in another character set
/// does not form UTF-8 characters of three or more bytes by accident.
fn as_utf8(part: &[u8], kind: &Kind) -> Option<String> {
    if matches!(kind.charset.as_str(), "" | "utf-8" | "utf8" | "us-ascii") {
        return None;
    }
    let head = format!("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {}\n\n", kind.encoding);
    let renamed = [head.as_bytes(), part.get(body_start(part)..)?].concat();
    let parsed = MessageParser::new().parse(&renamed)?;
    let PartType::Text(text) = &parsed.parts.first()?.body else { return None };
    let is_utf8 = !text.contains('\u{fffd}') && text.chars().any(|c| c.len_utf8() > 2);
    is_utf8.then(|| text.to_string())
}

/// Where the body of a part begins: after the first empty line.
pub(super) fn body_start(part: &[u8]) -> usize {
    header_end(part).unwrap_or(part.len())
}

/// The end of a part's header, including the empty line; `None` if the header has no end.
pub(super) fn header_end(part: &[u8]) -> Option<usize> {
    if part.starts_with(b"\n") { Some(1) } else { memchr::memmem::find(part, b"\n\n").map(|at| at + 2) }
}

/// The parts between the lines `--boundary`.
fn children<'m>(body: &'m [u8], boundary: &str) -> Vec<&'m [u8]> {
    let mark = format!("--{boundary}");
    let mark = mark.as_bytes();
    let mut found = Vec::new();
    let mut start = None;
    for at in memchr::memmem::find_iter(body, mark) {
        let is_line = at == 0 || body.get(at - 1) == Some(&b'\n');
        let after = body.get(at + mark.len()..).unwrap_or_default();
        let rest = after.get(..memchr::memchr(b'\n', after).unwrap_or(after.len())).unwrap_or_default();
        let is_last = rest.trim_ascii_end() == b"--";
        if !is_line || !(is_last || rest.trim_ascii().is_empty()) {
            continue;
        }
        if let Some(start) = start {
            found.push(body.get(start..at.saturating_sub(1)).unwrap_or_default());
        }
        start = (!is_last).then_some((at + mark.len() + rest.len() + 1).min(body.len()));
        if is_last || found.len() >= PARTS_MAX {
            break;
        }
    }
    if let Some(start) = start {
        found.push(body.get(start..).unwrap_or_default());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(mail: &str) -> String {
        let parts = Parts::of(mail.as_bytes());
        let lines: Vec<String> = parts.lines().unwrap_or_default().into_iter().map(|line| line.text).collect();
        format!("{} {}", lines.join("|"), Value::from(parts.attachments))
    }

    #[test]
    fn of_two_forms_the_plain_one_counts_unless_it_is_a_stub() {
        let mail = |plain: &str, page: &str| {
            format!(
                "Content-Type: multipart/alternative; boundary=b\n\n--b\n\n{plain}\n--b\nContent-Type: text/html\n\n{page}\n--b--\n"
            )
        };
        assert_eq!(shown(&mail("Hello", "<p>Hello</p>")), "Hello []");
        assert_eq!(shown(&mail("", "<p>Hello</p>")), "Hello []");
        assert_eq!(
            shown(&mail("See page.", "<p>A letter with many more words than that</p>")),
            "A letter with many more words than that []"
        );
    }

    #[test]
    fn a_text_in_utf_8_is_read_as_such_whatever_its_header_says() {
        let check = |charset: &str, encoding: &str, body: &str, expect: &str| {
            let mail = format!("Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n{body}\n");
            assert_eq!(shown(&mail), format!("{expect} []"), "{charset}");
        };
        check("big5", "base64", "6Jyc6JyC", "蜜蜂");
        check("gb2312", "8bit", "蜜蜂在花园里", "蜜蜂在花园里");
        // Control: the words really are in the character set that the header names.
        check("gb2312", "quoted-printable", "=C3=DB=B7=E4", "蜜蜂");
        check("iso-8859-1", "quoted-printable", "B=E4ume", "Bäume");
    }

    #[test]
    fn a_text_whose_header_promises_parts_that_are_not_there_is_read_as_it_stands() {
        assert_eq!(shown("Content-Type: multipart/alternative; boundary=b\n\nHello\nbees\n"), "Hello|bees []");
        assert_eq!(shown("Content-Type: multipart/mixed; boundary=b\n\nno part\n--b\n\nHello\n--b--\n"), "Hello []", "control");
    }

    #[test]
    fn hostile_structures_are_read_with_bounds() {
        let deep: String = (0..200).map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n")).collect();
        let _ = shown(&(deep + "\nhello\n"));
        let many = "Content-Type: multipart/mixed; boundary=b\n\n".to_owned() + &"--b\n\nx\n".repeat(100_000);
        assert_eq!(Parts::of(many.as_bytes()).texts.len(), PARTS_MAX - 1);
        let endless = format!("Content-Type: multipart/mixed; boundary={}\n\nhello\n", "x".repeat(1 << 20));
        let _ = shown(&endless);
        let _ = shown("Content-Type: multipart/mixed; boundary=b\n\n--b");
        let _ = shown("Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!!\n");
    }
}
