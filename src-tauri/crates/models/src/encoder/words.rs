//! The frozen word vectors in packed form: 250,037 rows of 216 bytes. Each row has 12 blocks, and each block has a half-precision
//! scale and 32 values of 4 bits.

/// The length of a vector.
pub(crate) const WIDTH: usize = 384;
const BLOCK_VALUES: usize = 32;
const BLOCK_BYTES: usize = 2 + BLOCK_VALUES / 2;
const ROW_BYTES: usize = WIDTH / BLOCK_VALUES * BLOCK_BYTES;

/// The table of vectors.
pub(crate) struct Words(Vec<u8>);

impl Words {
    /// Wraps the table. `None` if its length is invalid.
    pub(crate) fn new(bytes: Vec<u8>) -> Option<Self> {
        (!bytes.is_empty() && bytes.len().is_multiple_of(ROW_BYTES)).then_some(Self(bytes))
    }

    /// Writes the vector of a piece to `out`, which has [`WIDTH`] elements. A piece that is not in the table leaves `out` as
    /// passed in, which is zero.
    pub(crate) fn write(&self, id: u32, out: &mut [f32]) {
        let Some(row) = self.0.get(id as usize * ROW_BYTES..(id as usize + 1) * ROW_BYTES) else { return };
        for (block, out) in row.chunks_exact(BLOCK_BYTES).zip(out.chunks_exact_mut(BLOCK_VALUES)) {
            let scale = half(u16::from_le_bytes([block[0], block[1]]));
            for (k, byte) in block[2..].iter().enumerate() {
                out[k] = (f32::from(byte & 15) - 8.0) * scale;
                out[k + BLOCK_VALUES / 2] = (f32::from(byte >> 4) - 8.0) * scale;
            }
        }
    }
}

/// Converts a half-precision number (IEEE 754 binary16). The table's known hash guarantees that it contains no infinities.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = if exponent == 0 { fraction * 2_f32.powi(-24) } else { (1024.0 + fraction) * 2_f32.powi(exponent - 25) };
    if bits >> 15 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_numbers_are_read() {
        for (bits, expect) in [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0, 0.0)] {
            assert_eq!(half(bits), expect, "{bits:#06x}");
        }
    }

    #[test]
    fn a_row_is_unpacked_in_its_order() {
        let mut block = vec![0x00, 0x3c]; // scale 1
        block.extend((0..16).map(|k| k | (15 - k) << 4));
        let words = Words::new(block.repeat(12)).unwrap();
        let mut out = [0.0; WIDTH];
        words.write(0, &mut out);
        assert_eq!(
            (out[0], out[15], out[16], out[31], out[32]),
            (-8.0, 7.0, 7.0, -8.0, -8.0),
            "low halves first, then high ones"
        );
        words.write(1, &mut out);
        assert_eq!(out[0], -8.0, "a piece that is not there leaves the vector as it was");
        assert!(Words::new(vec![0; 5]).is_none(), "a table of another length is none");
    }
}
