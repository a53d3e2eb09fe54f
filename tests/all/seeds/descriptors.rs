//! tensor-descriptors.txt, beyond the rows: packing, texts, addresses, walks.

use tpbdbg::isa::fields::{
    Access, Addr4, Location, PackError, Pattern, element_address, ordinal_bytes, pack,
};
use tpbdbg::isa::text::NoNames;
use tpbdbg::isa::{Generation, Space};
use tpbdbg::program::asm;

use super::rig::{ADD, Rig, explained, hex, line, ramp, slots, with};

const PART: Access = Access { step: 1, num: 128 };

fn free(step: i64, num: i64) -> Access {
    Access { step, num }
}

/// The packed descriptor at address 0, in hex.
fn packed(pattern: &[Access], rank: usize) -> Result<String, PackError> {
    let bytes = pack(Addr4(0), pattern, rank)?.to_bytes(Pattern::size(rank))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// The same without the address word.
fn tail(pattern: &[Access], rank: usize) -> String {
    packed(pattern, rank).unwrap()[8..].to_owned()
}

#[test]
fn t1_sizes() {
    assert_eq!([1, 2, 3, 4].map(Pattern::size), [8, 12, 16, 20]);
}

#[test]
fn t2_q26_slot_of_the_wrong_length() {
    for (rank, bytes) in [(1, 8), (2, 12), (3, 16), (4, 20)] {
        let p = pack(Addr4(0), &[PART, free(1, 2)], rank).unwrap();
        for slot in [8, 12, 16, 20] {
            let wanted = format!("ISA mem pattern {rank}D must have {bytes} bytes to encode");
            match p.to_bytes(slot) {
                Ok(b) => assert_eq!((slot, b.len()), (bytes, bytes)),
                Err(e) => assert_eq!(e.to_string(), wanted),
            }
        }
    }
}

#[test]
fn t7_reverse_and_broadcast_walk() {
    let p = Pattern::read(&hex("07008000ffff000008000400"), 0, 2);
    let down = [0, -1, -2, -3, -4, -5, -6, -7];
    assert_eq!(p.offsets().collect::<Vec<_>>(), down.repeat(4));
}

#[test]
fn t8_steps_count_elements() {
    for (dtype, size) in [(0x0A, 4), (0x06, 2)] {
        let mut r = Rig::new(Generation::V3);
        r.put(Space::Sbuf, 0, 0, &ramp(32));
        let mut copy = with(hex("4610"), &[(32, &[dtype, dtype, 1])]);
        let addr = |a| Addr4(a);
        let dims = [free(2, 8)];
        pack(addr(0), &[&[PART][..], &dims].concat(), 4)
            .unwrap()
            .write(&mut copy, 12);
        pack(addr(0x1000), &[PART, free(1, 8)], 4)
            .unwrap()
            .write(&mut copy, 44);
        r.run(copy).unwrap();
        let src = r.bytes(Space::Sbuf, 0, 0, 128);
        let out = r.bytes(Space::Sbuf, 0, 0x1000, 8 * size);
        let expected = src.chunks(2 * size as usize).take(8);
        let expected: Vec<u8> = expected.flat_map(|c| c[..size as usize].to_vec()).collect();
        assert_eq!(out, expected, "{dtype:#x}");
    }
}

#[test]
fn t11_t12_ranges_of_steps_and_counts() {
    for step in [32767, -32768, -1, 0] {
        assert!(packed(&[PART, free(step, 2)], 1).is_ok(), "{step}");
    }
    for step in [32768, -32769, 65536, 65537, -65537] {
        assert_eq!(
            packed(&[PART, free(step, 2)], 1),
            Err(PackError::Step(step))
        );
    }
    assert!(packed(&[PART, free(1, 65535)], 1).is_ok());
    for num in [0, 65536, 65537] {
        assert_eq!(packed(&[PART, free(1, num)], 1), Err(PackError::Count(num)));
    }
    let text = |step: i64, num: i64| {
        let text = format!(
            "TENSOR_TENSOR_ARITH_OP fp32@00000000[{step}][{num}] fp32@00001000[1][64] fp32@00002000[1][64] op=ADD num_active_channels=128"
        );
        asm::bundle(&text, Generation::V3, &NoNames).is_ok()
    };
    for (step, ok) in [
        (32767, true),
        (-32768, true),
        (32768, false),
        (-32769, false),
        (65536, false),
        (65537, false),
    ] {
        assert_eq!(text(step, 2), ok, "{step}");
    }
    for (num, ok) in [(65535, true), (0, false), (65536, false), (65537, false)] {
        assert_eq!(text(1, num), ok, "{num}");
    }
}

#[test]
fn t13_t29_innermost_first_partition_and_ones_dropped() {
    let p = [free(77, 99), free(64, 16), free(5, 1), free(1, 32)];
    assert_eq!(tail(&p, 2), "0100400020001000");
    let packed = pack(Addr4(0), &p, 4).unwrap();
    assert!(packed.dims().iter().all(|d| d.step != 77 && d.num != 99));
}

#[test]
fn t14_t15_t16_t41_spare_slots() {
    assert_eq!(tail(&[PART, free(1, 32)], 3), "010001000100200001000100");
    assert_eq!(tail(&[PART, free(1, 32)], 2), "0100010020000100");
    let one = [PART, free(1, 1)];
    assert_eq!(packed(&one, 1).unwrap(), "0000000001000100");
    assert_eq!(packed(&one, 2).unwrap(), "000000000100010001000100");
    assert_eq!(packed(&one, 3).unwrap(), "00000000010001000100010001000100");
}

#[test]
fn t17_the_slot_decides_the_rank() {
    let bytes = "00000000010001000100020002000200";
    for (opcode, at, last) in [("4310", 16, 2), ("4610", 12, 3)] {
        let mut b = hex(opcode);
        b.put(at, hex(bytes).slice(0, 16));
        let e = explained(&b, Generation::V3);
        let dims = e.rows.iter().filter(|r| r.name.starts_with("src.num["));
        assert_eq!(dims.count(), last + 1, "{opcode}");
    }
}

#[test]
fn t18_too_many_dimensions() {
    let four = [PART, free(1, 2), free(2, 2), free(4, 2), free(8, 2)];
    let e = packed(&four, 3).unwrap_err().to_string();
    assert_eq!(
        e,
        "Illegal ISA memory access dimension 4, which must be in range of [1, 3]D tensor for ISA mem pattern"
    );
    assert!(packed(&four, 4).is_ok());
}

#[test]
fn t30_t31_t32_address_words() {
    let g = Generation::V3;
    let home = |space, part, off| Location { space, part, off };
    let word = |l, offset, element| {
        let w = element_address(l, offset, element, g).map(|w| w.0.to_le_bytes());
        w.map(|b| b.iter().map(|b| format!("{b:02x}")).collect::<String>())
    };
    let origin = home(Space::Sbuf, 0, 0);
    assert_eq!(word(origin, 0x10001, 4).unwrap(), "04000400");
    assert_eq!(word(origin, -1, 4), Err(PackError::Partition(-1)));
    let last = home(Space::Sbuf, 127, 0);
    assert_eq!(word(last, 0x10000, 4), Err(PackError::Partition(128)));
    assert_eq!(
        word(home(Space::Sbuf, 5, 0x1234), 0, 1).unwrap(),
        "34121400"
    );
    assert_eq!(word(home(Space::Sbuf, 32, 0), 0, 1).unwrap(), "00008000");
    let bank = home(Space::Psum, 64, 3 * 2048 + 0x40);
    assert_eq!(word(bank, 0, 4).unwrap(), "40182002");
    let v5 = home(Space::Sbuf, 5, 0x1234).address(Generation::V5);
    assert_eq!(v5, Some(5 << 20 | 0x1234));
}

#[test]
fn t33_negative_partition_step() {
    let e = packed(&[free(-1, 128), free(1, 2)], 1).unwrap_err();
    assert_eq!(e.to_string(), "Negative step in Pattern[0] not supported");
    assert!(packed(&[PART, free(-1, 2)], 1).is_ok());
}

#[test]
fn t34_element_sizes_by_ordinal() {
    let table = [1, 1, 2, 1, 1, 1, 1, 1, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8];
    for (n, bytes) in table.into_iter().enumerate() {
        assert_eq!(ordinal_bytes(n), Ok(bytes), "{n}");
    }
    assert_eq!(ordinal_bytes(16).map(|b| 3 * b), Ok(12));
    assert_eq!(ordinal_bytes(20).unwrap_err().to_string(), "Unknown dtype");
}

#[test]
fn t38_slots_of_the_matmul_family() {
    let g = Generation::V3;
    assert_eq!(slots(0x01, g), [("src", 16, 3)]);
    assert_eq!(slots(0x02, g), [("src", 16, 3), ("dst", 48, 3)]);
    assert_eq!(slots(0x07, g)[0], ("src", 12, 4));
    for mx in [0x09, 0x0A] {
        assert_eq!(slots(mx, Generation::V4)[0].2, 0, "{mx:#x}");
    }
}

#[test]
fn t39_t40_order_of_the_worked_examples() {
    let p = Pattern::read(&hex("000000004000010010002000"), 0, 2);
    let first: Vec<i64> = p.offsets().take(18).collect();
    assert_eq!(first[..3], [0, 64, 128]);
    assert_eq!(first[15..], [960, 1, 65]);
    let pattern = |inner| [PART, free(64, 16), free(inner, 32)];
    assert_eq!(tail(&pattern(1), 2), "0100400020001000");
    assert_eq!(tail(&pattern(-1), 2), "ffff400020001000");
    let b = with(
        hex(ADD),
        &[(16, hex("00000000400001000100100020000100").slice(0, 16))],
    );
    let text = line(&b, Generation::V3);
    assert!(text.contains("fp32@00000000[64,1][16,32]"), "{text}");
}
