//! The address of a server, and whether calls may be sent to it.
//!
//! Whether an address is "this computer" is decided by the address actually connected to: a literal loopback address, or the
//! name `localhost`, which the transport resolves itself. No other name qualifies, even if a name server resolves it to this
//! computer.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::{Host, Url};

/// The wire format of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Ollama's own format: `/api/chat`, JSON lines.
    Ollama,
    /// `/v1/chat/completions` with server-sent events: LM Studio, llama.cpp, vLLM, OpenRouter and many others.
    OpenAi,
}

/// The hosts that calls may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Only loopback addresses.
    ThisComputer,
    /// Any host that the person entered.
    Anywhere,
}

/// The base address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    base: Url,
    shape: Shape,
}

/// Why an address cannot be used. The message never quotes the address, because it may contain a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EndpointError {
    /// The text is not a web address.
    #[error("this is not the address of a server; enter one such as http://127.0.0.1:11434")]
    NotAnAddress,
    /// The scheme is neither http nor https.
    #[error("the address of a server must begin with http:// or https://")]
    Scheme,
    /// The address contains `user:password@host`, which can also make one address look like another.
    #[error("the address contains a user name or password before '@'; remove it and enter the key in its own field")]
    UserInfo,
    /// The address contains `?` or `#`.
    #[error("the address of a server cannot contain '?' or '#'; enter only the part before it")]
    QueryOrFragment,
}

impl Endpoint {
    /// Parses an address that a person entered. For [`Shape::OpenAi`], `/v1` may be omitted.
    pub fn parse(address: &str, shape: Shape) -> Result<Self, EndpointError> {
        let mut base = Url::parse(address.trim()).map_err(|_| EndpointError::NotAnAddress)?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(EndpointError::Scheme);
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(EndpointError::UserInfo);
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(EndpointError::QueryOrFragment);
        }
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(if path.is_empty() && shape == Shape::OpenAi { "/v1" } else { &path });
        Ok(Self { base, shape })
    }

    /// The wire format.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Scheme, host and port, as shown in messages and in the call log.
    pub fn origin(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    /// Whether data sent to this endpoint is encrypted in transit.
    pub fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Whether the server is this computer. Name servers cannot influence the result.
    pub fn is_this_computer(&self) -> bool {
        match self.base.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == LOCALHOST,
            None => false,
        }
    }

    /// Whether calls may be sent to this endpoint.
    pub fn is_within(&self, reach: Reach) -> bool {
        reach == Reach::Anywhere || self.is_this_computer()
    }

    /// The URL of `path` below the base address, for example `/chat/completions`.
    pub(crate) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// The URL of `path` at the root of the same host, for example `/health`.
    pub(crate) fn root_url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }
}

/// The only name treated as this computer.
pub(crate) const LOCALHOST: &str = "localhost";

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_and_localhost_are_this_computer() {
        let check = |address: &str, expect: Result<bool, EndpointError>| {
            let found = Endpoint::parse(address, Shape::OpenAi).map(|endpoint| endpoint.is_within(Reach::ThisComputer));
            assert_eq!(found, expect, "{address}");
            if let Ok(endpoint) = Endpoint::parse(address, Shape::OpenAi) {
                assert!(endpoint.is_within(Reach::Anywhere), "control: without the switch {address} may be called");
            }
        };
        check("http://127.0.0.1:11434", Ok(true));
        check("http://127.8.9.10", Ok(true));
        check("https://[::1]:8080/v1", Ok(true));
        check("http://localhost:1234", Ok(true));
        check("HTTP://LOCALHOST:1234/", Ok(true));
        // Other spellings of 127.0.0.1: the address is normalized once, and the normalized form is used to connect and to
        // display.
        check("http://127.1:80", Ok(true));
        check("http://2130706433", Ok(true));
        check("http://0x7f000001", Ok(true));
        check("http://0.0.0.0:11434", Ok(false));
        check("http://[::]:11434", Ok(false));
        check("http://[::ffff:127.0.0.1]", Ok(false));
        check("http://192.168.1.5:11434", Ok(false));
        check("http://128.0.0.1", Ok(false));
        check("http://localhost.evil.example", Ok(false));
        check("http://evil.localhost", Ok(false));
        check("http://localhost.:1234", Ok(false));
        check("http://127.0.0.1.evil.example", Ok(false));
        check("http://127.0.0.1.nip.io", Ok(false));
        check("http://evil.example\\@127.0.0.1/", Ok(false));
        check("http://①②⑦.0.0.1", Ok(true));
        check("http://127.0.0.1@evil.example", Err(EndpointError::UserInfo));
        check("http://evil.example@127.0.0.1", Err(EndpointError::UserInfo));
        check("http://:secret@127.0.0.1", Err(EndpointError::UserInfo));
        check("http://127.0.0.1?x=http://evil.example", Err(EndpointError::QueryOrFragment));
        check("http://evil.example#@127.0.0.1", Err(EndpointError::QueryOrFragment));
        check("file:///etc/passwd", Err(EndpointError::Scheme));
        check("localhost:1234", Err(EndpointError::Scheme));
        check("127.0.0.1:1234", Err(EndpointError::NotAnAddress));
        check("", Err(EndpointError::NotAnAddress));
    }

    #[test]
    fn addresses_are_put_together_whether_or_not_the_person_wrote_the_path() {
        let check = |address: &str, shape, path: &str, expect: &str| {
            assert_eq!(Endpoint::parse(address, shape).unwrap().url(path).as_str(), expect);
        };
        let chat = "/chat/completions";
        check("http://127.0.0.1:1234", Shape::OpenAi, chat, "http://127.0.0.1:1234/v1/chat/completions");
        check("http://127.0.0.1:1234/v1/", Shape::OpenAi, chat, "http://127.0.0.1:1234/v1/chat/completions");
        check(" https://models.example/api/v1 ", Shape::OpenAi, chat, "https://models.example/api/v1/chat/completions");
        check("http://127.0.0.1:11434/", Shape::Ollama, "/api/chat", "http://127.0.0.1:11434/api/chat");
        check("https://proxy.example/ollama", Shape::Ollama, "/api/chat", "https://proxy.example/ollama/api/chat");
        let endpoint = Endpoint::parse("http://127.1:8080/v1", Shape::OpenAi).unwrap();
        assert_eq!(endpoint.origin(), "http://127.0.0.1:8080", "the log shows what is connected to");
        assert_eq!(endpoint.root_url("/health").as_str(), "http://127.0.0.1:8080/health");
    }
}
