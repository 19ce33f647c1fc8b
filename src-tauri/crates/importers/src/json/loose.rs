//! A scalar whose type varies between exports: ids that are numbers, times that are strings, flags that are null.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A scalar as found in the file. Objects and arrays become `Nothing`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Loose<'a> {
    /// Null, missing, an object or an array.
    #[default]
    Nothing,
    Bool(bool),
    Int(i64),
    Number(f64),
    Text(Cow<'a, str>),
}

impl Loose<'_> {
    /// The text, if it is a non-empty string.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The string or number, used as an id.
    pub(crate) fn id(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(Cow::Borrowed(text)),
            Self::Int(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }

    /// The number, even if it is written as a string.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// True only for the boolean `true`.
    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Loose<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Loose::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Loose::Int(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(i64::try_from(value).map_or(Loose::Number(value as f64), Loose::Int))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Loose::Number(value))
            }

            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Loose::Text(Cow::Borrowed(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Loose::Text(Cow::Owned(value.to_owned())))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Loose::Nothing)
            }

            fn visit_none<E>(self) -> Result<Self::Value, E> {
                Ok(Loose::Nothing)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.deserialize_any(self)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Loose::Nothing)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Loose::Nothing)
            }
        }

        deserializer.deserialize_any(Any)
    }
}
