//! Properties of every layout of every opcode.

use proptest::prelude::*;

use crate::isa::field::{DTypeOf, Field, FieldKind};
use crate::isa::fields::*;
use crate::isa::{Bundle, DType, Format, Generation, decode, table};

/// Every layout that some bundle decodes by, once.
fn formats() -> Vec<&'static Format> {
    let mut all: Vec<&'static Format> = Vec::new();
    for row in table::rows() {
        for g in Generation::ALL {
            // Sub-opcodes that choose a layout lie in byte 12.
            for sub in 0..16 {
                let mut b = Bundle::of_opcode(row.byte);
                b.put(12, &[sub]);
                all.push(decode(&b, g).format);
            }
        }
    }
    all.sort_by_key(|f| std::ptr::from_ref(*f) as usize);
    all.dedup_by(|a, b| std::ptr::eq(*a, *b));
    all
}

#[test]
fn names_in_a_layout_are_unique_and_what_they_refer_to_exists() {
    for f in formats() {
        for (i, d) in f.fields.iter().enumerate() {
            let told = format!("{}.{}", f.name, d.name);
            assert!(f.fields[..i].iter().all(|e| e.name != d.name), "{told}");
            assert!(!d.doc.is_empty(), "{told}");
            if let FieldKind::Imm { src, .. } = d.kind {
                let source = f.field(src).expect(&told).kind;
                assert!(matches!(source, FieldKind::Enum(_)), "{told}");
            }
            if let Some(operand) = d.operand {
                if let DTypeOf::Field(name) = operand.dtype {
                    let kind = f.field(name).expect(&told).kind;
                    assert!(
                        matches!(
                            kind,
                            FieldKind::DType | FieldKind::OutDType | FieldKind::OptDType
                        ),
                        "{told}"
                    );
                }
                if let Some(name) = operand.lanes {
                    assert_eq!(f.field(name).expect(&told).kind, FieldKind::Uint, "{told}");
                }
            }
        }
    }
}

#[test]
fn dve_and_pool_rows_have_a_sentence_and_a_layout_where_the_sheets_give_one() {
    use crate::isa::Known;
    use crate::isa::ops::{dve, pool, stream};
    let rows = [dve::OPS, stream::OPS, pool::OPS];
    for row in rows.into_iter().flatten() {
        let unpublished = row.decode == Known::Unknown || matches!(row.byte, 0x66 | 0xFF);
        assert_eq!(row.formats.is_empty(), unpublished, "{}", row.name);
        let sentence = row.doc.contains("isa ") && row.doc.ends_with('.');
        assert!(sentence, "{}", row.name);
    }
}

proptest! {
    #[test]
    fn a_field_put_reads_back_and_leaves_the_others(
        fill in prop::collection::vec(any::<u8>(), 64),
        value in prop::collection::vec(any::<u8>(), 64),
    ) {
        let before = Bundle::from_slice(&fill).unwrap_or_default();
        for f in formats() {
            for d in f.fields {
                let mut after = before;
                if d.bits <= 64 {
                    let v = u64::from_le_bytes(std::array::from_fn(|i| value[i]));
                    after.put_bits(d.at, d.bits, v);
                    prop_assert_eq!(d.raw(&after), v & (u64::MAX >> (64 - d.bits)));
                } else {
                    after.put(d.byte(), &value[..d.len()]);
                    prop_assert_eq!(d.bytes(&after), &value[..d.len()]);
                }
                for other in f.fields.iter().filter(|o| o.name != d.name) {
                    if other.bits <= 64 {
                        prop_assert_eq!(other.raw(&after), other.raw(&before));
                    } else {
                        prop_assert_eq!(other.bytes(&after), other.bytes(&before));
                    }
                }
            }
        }
    }

    #[test]
    fn a_typed_value_put_back_changes_nothing(fill in prop::collection::vec(any::<u8>(), 64)) {
        let b = Bundle::from_slice(&fill).unwrap_or_default();
        fn round<T: Field>(b: &Bundle, at: u16) -> Bundle {
            let mut again = *b;
            T::get(b, at).put(&mut again, at);
            again
        }
        macro_rules! types {
            ($($ty:ty = $at:expr),* $(,)?) => {$(
                prop_assert_eq!(round::<$ty>(&b, $at), b, "{}", stringify!($ty));
            )*};
        }
        types!(
            DType = 96, DType4 = 96, DType4 = 100, OutDType = 96, AluOp = 96, ImmSrc = 96,
            ImmSrc4 = 500, Flag = 104, Bits<1> = 106, Bits<3> = 107, Imm32 = 320, f32 = 320,
            i32 = 480, u8 = 96, u16 = 304, u32 = 224, Reg = 120, Sem = 112, Addr4 = 224,
            Tensor<1> = 384, Tensor<2> = 96, Tensor<3> = 128, Tensor<4> = 352,
            Mem<1> = 384, Mem<2> = 96, Mem<3> = 128, Mem<4> = 352,
            Data4 = 128, List<u8, 32> = 256, List<u32, 4> = 128, List<u32, 8> = 256, Raw<16> = 192,
        );
    }
}
