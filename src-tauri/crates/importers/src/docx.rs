//! Reads the text of a Word document (`.docx`): its paragraphs, separated by empty lines, with line breaks preserved.
//!
//! Documents are treated as hostile: no document type declaration, no entities except XML's own five, limited depth and size, and
//! only the main part is opened. Meeting services write plain paragraphs, so everything else in a document (styles, fields,
//! comments, headers, text deleted by tracked changes) is deliberately ignored.

use std::io::{self, BufRead};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Error, Reader};

use crate::limits::{TRANSCRIPT_BYTES_MAX, XML_ATTRIBUTES_MAX, XML_DEPTH_MAX};

/// XML namespaces of Word documents, in both editions of the standard.
const LANGUAGES: &[&str] =
    &["http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main"];

/// Elements whose content is not document text: properties, fields, and text deleted by tracked changes.
const SILENT: &[&str] = &["pPr", "rPr", "sectPr", "tblPr", "del", "moveFrom", "instrText", "delText"];

/// An alternative copy of a drawing, for programs that cannot display the original.
const FALLBACK: &str = "mc:Fallback";

/// Why the text of a document cannot be read.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Reading failed.
    Io(io::Error),
    /// The document is invalid or unsafe, for this reason.
    Unfit(&'static str),
}

/// The text of a document whose main part is read from `input`.
pub(crate) fn text_of(input: impl BufRead) -> Result<String, Refusal> {
    let mut reader = Reader::from_reader(input);
    let mut buffer = Vec::new();
    let mut page = Page::default();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(refusal)? {
            Event::Start(element) => page.open(&element)?,
            Event::Empty(element) => {
                page.open(&element)?;
                page.close(element.name().as_ref());
            }
            Event::End(element) => page.close(element.name().as_ref()),
            Event::Text(text) => page.say(&text.xml10_content())?,
            Event::CData(text) => page.say(&text)?,
            Event::GeneralRef(reference) => match reference.resolve_char_ref().map_err(refusal)? {
                Some(c) => page.say(c.encode_utf8(&mut [0; 4]))?,
                None => page.say(
                    predefined(&reference).ok_or(Refusal::Unfit("it defines its own XML entities, which could hide anything"))?,
                )?,
            },
            Event::DocType(_) => return Err(Refusal::Unfit("it declares a document type, which Word documents never do")),
            Event::Decl(declaration) => {
                let encoding = declaration.encoding().and_then(Result::ok);
                if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case("utf-8")) {
                    return Err(Refusal::Unfit("it is not written in UTF-8"));
                }
            }
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => return page.finish(),
        }
    }
}

/// The five entities that XML itself defines.
fn predefined(name: &str) -> Option<&'static str> {
    Some(match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => return None,
    })
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Io(error) => Refusal::Io(io::Error::new(error.kind(), error.to_string())),
        _ => Refusal::Unfit("its XML is damaged"),
    }
}

/// The state of the reader.
#[derive(Default)]
struct Page {
    text: String,
    depth: usize,
    /// The prefix of Word's own elements, including the colon; empty if they have none.
    prefix: String,
    has_root: bool,
    /// The depth of the current [`SILENT`] or [`FALLBACK`] element, inside which nothing is text.
    silent_at: Option<usize>,
    /// The depth of the current text element.
    spoken_at: Option<usize>,
}

impl Page {
    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), Refusal> {
        let name = element.name();
        let name: &str = name.as_ref();
        if self.depth == 0 {
            if self.has_root {
                return Err(Refusal::Unfit("it has two root elements"));
            }
            self.has_root = true;
            self.prefix = prefix_of(element)?;
            if self.own(name) != Some("document") {
                return Err(Refusal::Unfit("it is not a Word document"));
            }
        }
        self.depth += 1;
        if self.depth > XML_DEPTH_MAX {
            return Err(Refusal::Unfit("its elements are nested too deeply"));
        }
        if self.silent_at.is_some() {
            return Ok(());
        }
        match self.own(name) {
            Some("t") => self.spoken_at = Some(self.depth),
            Some("br" | "cr") => self.push("\n")?,
            Some("tab") => self.push("\t")?,
            Some("noBreakHyphen") => self.push("-")?,
            Some(own) if SILENT.contains(&own) => self.silent_at = Some(self.depth),
            _ if name == FALLBACK => self.silent_at = Some(self.depth),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str) {
        if self.silent_at == Some(self.depth) {
            self.silent_at = None;
        } else if self.spoken_at == Some(self.depth) {
            self.spoken_at = None;
        } else if self.silent_at.is_none() && self.own(name) == Some("p") && !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn say(&mut self, text: &str) -> Result<(), Refusal> {
        // A line break in the XML is a space in the document.
        if self.spoken_at.is_some() && self.silent_at.is_none() { self.push(&text.replace('\n', " ")) } else { Ok(()) }
    }

    fn push(&mut self, text: &str) -> Result<(), Refusal> {
        if self.text.len() + text.len() > TRANSCRIPT_BYTES_MAX {
            return Err(Refusal::Unfit("its text is too long for a meeting"));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// The local name, if this is one of Word's own elements.
    fn own<'n>(&self, name: &'n str) -> Option<&'n str> {
        let rest = name.strip_prefix(self.prefix.as_str())?;
        (!rest.contains(':')).then_some(rest)
    }

    fn finish(self) -> Result<String, Refusal> {
        match (self.has_root, self.depth) {
            (true, 0) => Ok(self.text),
            (false, _) => Err(Refusal::Unfit("it is not a Word document")),
            (true, _) => Err(Refusal::Unfit("its XML is incomplete")),
        }
    }
}

/// The prefix that the root element assigns to Word's namespace.
fn prefix_of(root: &BytesStart<'_>) -> Result<String, Refusal> {
    // Duplicate attributes are not checked, because that takes quadratic time.
    for attribute in root.attributes().with_checks(false).take(XML_ATTRIBUTES_MAX) {
        let attribute = attribute.map_err(|_| Refusal::Unfit("its XML is damaged"))?;
        let key = attribute.key;
        let key: &str = key.as_ref();
        if LANGUAGES.contains(&attribute.value.as_ref()) {
            match key.strip_prefix("xmlns") {
                Some("") => return Ok(String::new()),
                Some(prefix) => return Ok(format!("{}:", prefix.trim_start_matches(':'))),
                None => {}
            }
        }
    }
    Err(Refusal::Unfit("it is not a Word document"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(xml: &str) -> Result<String, &'static str> {
        text_of(xml.as_bytes()).map(|text| text.trim_end().to_owned()).map_err(|refusal| match refusal {
            Refusal::Unfit(reason) => reason,
            Refusal::Io(_) => "io",
        })
    }

    fn document(body: &str) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document xmlns:w=\"{}\"><w:body>{body}</w:body></w:document>",
            LANGUAGES[0]
        )
    }

    #[test]
    fn text_is_what_a_reader_sees() {
        for (body, wanted) in [
            ("<w:p><w:r><w:t>Ana: hi</w:t></w:r></w:p><w:p><w:r><w:t>Bo: yes</w:t></w:r></w:p>", "Ana: hi\n\nBo: yes"),
            ("<w:p><w:r><w:t>Ana  0:03</w:t><w:br/><w:t>hi</w:t></w:r></w:p>", "Ana  0:03\nhi"),
            (
                "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>",
                "a\tb",
            ),
            ("<w:p><w:r><w:t>1 &lt; 2 &amp; &#x1F600;&#233;</w:t></w:r></w:p>", "1 < 2 & 😀é"),
            ("<w:p><w:r><w:t>two\nlines of XML</w:t></w:r></w:p>", "two lines of XML"),
            ("<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>here</w:t></w:r></w:ins></w:p>", "here"),
            ("<w:p><w:r><w:instrText>HYPERLINK</w:instrText><w:t><![CDATA[a<b]]></w:t></w:r></w:p>", "a<b"),
            ("<w:p>loose<a:t xmlns:a=\"x\">drawn</a:t></w:p>", ""),
            ("<mc:Fallback xmlns:mc=\"x\"><w:p><w:r><w:t>twice</w:t></w:r></w:p></mc:Fallback>", ""),
        ] {
            assert_eq!(read(&document(body)).as_deref(), Ok(wanted), "{body}");
        }
        let other = format!("<document xmlns='{}'><p><t>no prefix</t></p></document>", LANGUAGES[1]);
        assert_eq!(read(&other).as_deref(), Ok("no prefix"));
    }

    #[test]
    fn hostile_xml_is_refused_with_its_reason() {
        let laughs = "<!DOCTYPE d [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>";
        let deep = |depth: usize| document(&format!("{}{}", "<w:p>".repeat(depth), "</w:p>".repeat(depth)));
        // The document and its body take up two levels.
        assert_eq!(read(&deep(XML_DEPTH_MAX - 2)).as_deref(), Ok(""), "a control: at the limit it is read");
        for (what, xml, wanted) in [
            ("a document type", format!("{laughs}{}", document("<w:p><w:r><w:t>&b;</w:t></w:r></w:p>")), "document type"),
            ("an entity", document("<w:p><w:r><w:t>&b;</w:t></w:r></w:p>"), "entities"),
            ("an entity outside of text", document("&b;"), "entities"),
            ("depth", deep(XML_DEPTH_MAX - 1), "deeply"),
            ("an end too early", document("").replace("</w:body></w:document>", ""), "incomplete"),
            ("ends that do not match", document("<w:p></w:r>"), "damaged"),
            ("no XML", "PK".to_owned(), "not a Word document"),
            ("nothing", String::new(), "not a Word document"),
            ("another language", "<html><body>Ana: hi</body></html>".to_owned(), "not a Word document"),
            (
                "two roots",
                format!("{0}{0}", document("").replace("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "")),
                "two root elements",
            ),
            ("another encoding", document("").replace("UTF-8", "UTF-16"), "UTF-8"),
            ("an impossible character", document("<w:p><w:r><w:t>&#0;</w:t></w:r></w:p>"), "damaged"),
        ] {
            let reason = read(&xml).err().unwrap_or_default();
            assert!(reason.contains(wanted), "{what}: {reason:?} says {wanted:?}");
        }
        let large = document(&format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "x".repeat(TRANSCRIPT_BYTES_MAX + 1)));
        assert!(read(&large).is_err_and(|reason| reason.contains("too long")));
    }

    #[test]
    fn no_truncation_is_taken_for_a_whole_document() {
        let whole = document("<w:p><w:r><w:t>Ana: h&amp;i</w:t><w:br/></w:r></w:p>");
        assert!(read(&whole).is_ok());
        for len in 0..whole.len() {
            assert!(read(&whole[..len]).is_err(), "cut after {len} bytes");
        }
    }

    #[test]
    fn any_wrong_byte_is_read_or_refused_and_never_grows_the_text() {
        let whole = document("<w:p><w:r><w:t xml:space=\"preserve\">Ana: h&amp;i</w:t><w:br/><w:tab/></w:r></w:p>");
        let room = read(&whole).map(|text| text.len()).unwrap_or_default() + whole.len();
        let mut refused = 0;
        for at in 0..whole.len() {
            for wrong in *b"<>&;\"/! \0\xff" {
                let mut bytes = whole.clone().into_bytes();
                bytes[at] = wrong;
                match text_of(bytes.as_slice()) {
                    Ok(text) => assert!(text.len() <= room, "byte {at} as {wrong}"),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > whole.len(), "most wrong bytes are noticed");
    }
}
