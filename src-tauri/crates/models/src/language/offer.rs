//! Request parameters that not every server accepts, and which of them to omit after a rejection. Not in this module: how each
//! format writes them (`ollama`, `openai`).

/// Request parameters that not every server accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer {
    /// How the format of the reply is requested. The reply is validated in any case.
    pub(crate) shape: ReplyShape,
    /// Request token counts at the end of a stream.
    pub(crate) usage: bool,
    /// Send `max_tokens`. Newer OpenAI models require `max_completion_tokens` instead.
    pub(crate) classic_limit: bool,
    /// Send a temperature. Newer OpenAI models do not accept one.
    pub(crate) temperature: bool,
}

/// How the required reply format is requested from the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyShape {
    /// With a JSON schema, in the form that current servers accept.
    Schema,
    /// With the older JSON mode, including the schema for servers that read it there.
    Json,
    /// Only through the wording of the prompt.
    Unsaid,
}

impl Offer {
    /// All parameters. This is tried first.
    pub(crate) const ALL: Self = Self { shape: ReplyShape::Schema, usage: true, classic_limit: true, temperature: true };

    /// The parameters to try after the server rejected `parameter`. A rejection without a parameter name is assumed to be about
    /// the reply format. `None` if nothing is left to omit.
    pub(crate) fn without(self, parameter: Option<&str>) -> Option<Self> {
        // In "response_format.json_schema.name", the first part is the parameter.
        match parameter.map(|parameter| parameter.split('.').next().unwrap_or(parameter)) {
            Some("max_tokens") => self.classic_limit.then_some(Self { classic_limit: false, ..self }),
            Some("temperature") => self.temperature.then_some(Self { temperature: false, ..self }),
            Some("stream_options") => self.usage.then_some(Self { usage: false, ..self }),
            None | Some("response_format" | "format") => match self.shape {
                ReplyShape::Schema => Some(Self { shape: ReplyShape::Json, ..self }),
                ReplyShape::Json => Some(Self { shape: ReplyShape::Unsaid, usage: false, ..self }),
                ReplyShape::Unsaid => None,
            },
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_parameter_is_left_out_and_an_unnamed_refusal_is_about_the_replys_shape() {
        let all = Offer::ALL;
        let json = Offer { shape: ReplyShape::Json, ..all };
        let unsaid = Offer { shape: ReplyShape::Unsaid, usage: false, ..all };
        assert_eq!(all.without(Some("max_tokens")), Some(Offer { classic_limit: false, ..all }));
        assert_eq!(all.without(Some("temperature")), Some(Offer { temperature: false, ..all }));
        assert_eq!(all.without(Some("stream_options.include_usage")), Some(Offer { usage: false, ..all }));
        assert_eq!(all.without(Some("messages")), None, "not ours to leave out");
        assert_eq!(all.without(None), Some(json));
        assert_eq!(all.without(Some("response_format.json_schema")), Some(json));
        assert_eq!(json.without(None), Some(unsaid));
        assert_eq!(unsaid.without(None), None, "nothing is left");
        let mut steps = 0;
        let mut offer = all;
        while let Some(next) =
            ["max_tokens", "temperature", "stream_options", "format"].iter().find_map(|name| offer.without(Some(name)))
        {
            offer = next;
            steps += 1;
        }
        assert_eq!(steps, 5, "a server that refuses everything is asked a bounded number of times");
    }
}
