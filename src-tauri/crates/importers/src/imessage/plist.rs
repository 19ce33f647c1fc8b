//! Reads the summary of a message, a binary property list, to find the parts that were edited or unsent.
//!
//! Only the types needed for this are read: dictionaries, arrays, strings and data. Everything else, such as a number, becomes
//! [`Value::Nothing`].

use std::collections::BTreeMap;

/// The beginning of every binary property list.
const MAGIC: &[u8] = b"bplist00";

/// Length of the trailer, the part at the end that says where everything is.
const TRAILER_BYTES: usize = 32;

/// Maximum depth. A summary has five levels.
const DEPTH_MAX: usize = 12;

/// Maximum number of values read. An edited message has a few hundred.
const VALUES_MAX: usize = 20_000;

/// A value in a property list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'b> {
    Nothing,
    Text(String),
    Data(&'b [u8]),
    Array(Vec<Value<'b>>),
    Map(BTreeMap<String, Value<'b>>),
}

impl<'b> Value<'b> {
    /// The value under a key of a dictionary.
    pub(super) fn get(&self, key: &str) -> Option<&Value<'b>> {
        match self {
            Self::Map(map) => map.get(key),
            _ => None,
        }
    }
}

/// The parsed parts of a list.
struct List<'b> {
    bytes: &'b [u8],
    /// Where the offsets of the values are, and how many bytes each offset takes.
    places: usize,
    place_len: usize,
    /// How many bytes the index of a value takes.
    number_len: usize,
    left: usize,
}

/// The root of a binary property list; `None` if it is not one.
pub(super) fn parse(bytes: &[u8]) -> Option<Value<'_>> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let trailer = bytes.get(bytes.len().checked_sub(TRAILER_BYTES)?..)?;
    let root = big_endian(trailer.get(16..24)?)?;
    let list = List {
        bytes,
        places: big_endian(trailer.get(24..32)?)?,
        place_len: usize::from(*trailer.get(6)?),
        number_len: usize::from(*trailer.get(7)?),
        left: VALUES_MAX,
    };
    let mut list = list;
    list.value(root, 0)
}

fn big_endian(bytes: &[u8]) -> Option<usize> {
    if bytes.is_empty() || bytes.len() > 8 {
        return None;
    }
    let number = bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    usize::try_from(number).ok()
}

impl<'b> List<'b> {
    fn value(&mut self, number: usize, depth: usize) -> Option<Value<'b>> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEPTH_MAX {
            return None;
        }
        let place = self.places.checked_add(number.checked_mul(self.place_len)?)?;
        let at = big_endian(self.bytes.get(place..place.checked_add(self.place_len)?)?)?;
        let marker = *self.bytes.get(at)?;
        let (count, from) = self.count(marker, at + 1)?;
        let part = |len: usize| self.bytes.get(from..from.checked_add(len)?);
        Some(match marker >> 4 {
            0x4 => Value::Data(part(count)?),
            0x5 => Value::Text(String::from_utf8_lossy(part(count)?).into_owned()),
            0x6 => {
                let units = part(count.checked_mul(2)?)?.chunks_exact(2);
                let units: Vec<u16> = units.filter_map(|unit| Some(u16::from_be_bytes(unit.try_into().ok()?))).collect();
                Value::Text(String::from_utf16_lossy(&units))
            }
            0xa => {
                let numbers = self.numbers(from, count)?;
                Value::Array(numbers.into_iter().filter_map(|number| self.value(number, depth + 1)).collect())
            }
            0xd => {
                let keys = self.numbers(from, count)?;
                let values = self.numbers(from.checked_add(count.checked_mul(self.number_len)?)?, count)?;
                let mut map = BTreeMap::new();
                for (key, value) in keys.into_iter().zip(values) {
                    if let (Some(Value::Text(key)), Some(value)) = (self.value(key, depth + 1), self.value(value, depth + 1)) {
                        map.insert(key, value);
                    }
                }
                Value::Map(map)
            }
            _ => Value::Nothing,
        })
    }

    /// The number of elements or bytes of a value, and where they begin. Fifteen means that the actual number follows.
    fn count(&self, marker: u8, at: usize) -> Option<(usize, usize)> {
        if marker & 0x0f != 0x0f || !matches!(marker >> 4, 0x4..=0x6 | 0xa | 0xd) {
            return Some((usize::from(marker & 0x0f), at));
        }
        let len = 1usize << (self.bytes.get(at)? & 0x03);
        Some((big_endian(self.bytes.get(at + 1..at + 1 + len)?)?, at + 1 + len))
    }

    /// The indexes of the elements of a container.
    fn numbers(&self, from: usize, count: usize) -> Option<Vec<usize>> {
        if self.number_len == 0 {
            return None;
        }
        let end = from.checked_add(count.checked_mul(self.number_len)?)?;
        self.bytes.get(from..end)?.chunks_exact(self.number_len).map(big_endian).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_a_damaged_one_ends() {
        // {"a": ["x", <01 02>], "é": 7}
        let list: &[u8] = b"bplist00\xd2\x01\x02\x03\x04\x51a\x61\x00\xe9\xa2\x05\x06\x10\x07\x51x\x42\x01\x02\
            \x08\x0d\x0f\x12\x15\x17\x19\0\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x1c";
        let root = parse(list);
        let array = Value::Array(vec![Value::Text("x".to_owned()), Value::Data(&[1, 2])]);
        assert_eq!(root.as_ref().and_then(|root| root.get("a")), Some(&array));
        assert_eq!(root.as_ref().and_then(|root| root.get("é")), Some(&Value::Nothing));
        for at in 8..list.len() {
            for byte in [0, 0x0f, 0x7f, 0xaf, 0xdf, 0xff] {
                let mut damaged = list.to_vec();
                if let Some(place) = damaged.get_mut(at) {
                    *place = byte;
                }
                let _ = parse(&damaged);
            }
        }
        assert_eq!(parse(b"bplist00"), None);
    }
}
