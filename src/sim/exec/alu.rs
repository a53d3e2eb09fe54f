//! ALU operations over whole lanes: fp32, integers, raw bits (isa 07 §5, decisions 1.3).

use super::cx::Cx;
use super::dest::{Dest, Fresh, map_bytes, map_f32};
use super::walk::{Walk, raw};
use crate::isa::fields::AluOp;
use crate::num::{self, F32Visitor, IntOpError, Kind, MinMaxNan, Narrowed, Rhs, op};
use crate::sim::fault::Trap;

/// Does the operation work on integers as such (isa 07 §5: the int band and MOD)?
pub const fn int_band(op: AluOp) -> bool {
    op.0 >= op::ADD_INT || op.0 == op::MOD
}

/// Does the operation ignore its second operand?
pub const fn unary(op: AluOp) -> bool {
    matches!(
        op.0,
        op::BYPASS
            | op::BITWISE_NOT
            | op::ABSOLUTE_VALUE
            | op::RSQRT
            | op::RE_LU
            | op::SQUARE
            | op::ABS_VALUE_INT
    )
}

/// An operation that has no meaning in that place.
pub fn no_meaning(field: &'static str, op: AluOp, class: &'static str) -> Trap {
    Trap::at("alu-op", field, format!("{op} is no {class} operation"))
}

/// An operation that cannot go on: division by zero, or one without integer meaning.
pub fn int_trap(field: &'static str, op: AluOp, e: IntOpError) -> Trap {
    match e {
        IntOpError::DivideByZero => Trap::at("divide-by-zero", field, format!("{op}: {e}")),
        IntOpError::NotInt => no_meaning(field, op, "integer"),
    }
}

/// `out = a op b` in fp32, or `b op a` with `swap`.
///
/// # Errors
/// `alu-op` when the operation has no fp32 form.
pub fn zip(
    field: &'static str,
    op: AluOp,
    a: &[f32],
    b: Rhs<'_>,
    swap: bool,
    mm: MinMaxNan,
    out: &mut [f32],
) -> Result<(), Trap> {
    if num::f32_zip(op.0, a, b, swap, mm, out) {
        Ok(())
    } else {
        Err(no_meaning(field, op, "floating-point"))
    }
}

/// `dst = a op b` for two tensors, in fp32 or as integers by the operation's class.
///
/// # Errors
/// `alu-op`, `divide-by-zero`, and the traps of storing.
pub fn arith(cx: &mut Cx<'_, '_>, op: AluOp, a: &Walk, b: &Walk, dest: &Dest) -> Result<(), Trap> {
    if int_band(op) {
        return integer(cx, op, a, b, dest);
    }
    let is_f32 = |w: &Walk| matches!(w.kind, Kind::Fp32 | Kind::Fp32r);
    let mm = cx.settings.min_max();
    if !(is_f32(a) && is_f32(b) && dest.walk.kind == Kind::Fp32) {
        return map_f32(cx, [a, b], dest, |_, [a, b], out| {
            zip("op", op, a, Rhs::Slice(b), false, mm, out)
        });
    }
    let (mut fresh, mut lost) = (Fresh::default(), Narrowed::default());
    map_bytes(cx, [a, b], dest, |_, [a, b], out| {
        let found = num::visit_f32_op(op.0, mm, Rows { a, b, out })
            .ok_or_else(|| no_meaning("op", op, "floating-point"))?;
        if found > 0 {
            let count = |odd: fn(f32) -> bool| floats(out).filter(|x| odd(*x)).count() as u64;
            let now = Narrowed {
                nan: count(f32::is_nan),
                inf: count(f32::is_infinite),
                ..Narrowed::default()
            };
            fresh.see(now, |odd| floats(a).chain(floats(b)).any(odd));
            lost += now;
        }
        Ok(())
    })?;
    cx.report_fresh(lost, fresh);
    Ok(())
}

fn floats(row: &[u8]) -> impl Iterator<Item = f32> + '_ {
    let values = row.as_chunks::<4>().0.iter();
    values.map(|e| f32::from_le_bytes(*e))
}

/// Rows of fp32 as they lie in memory; gives the number of results that are NaN or infinite.
struct Rows<'a> {
    a: &'a [u8],
    b: &'a [u8],
    out: &'a mut [u8],
}

impl F32Visitor for Rows<'_> {
    type Out = u32;
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy) -> u32 {
        num::wide(
            #[inline(always)]
            || {
                let (a, b) = (self.a.as_chunks::<4>().0, self.b.as_chunks::<4>().0);
                let mut odd = 0;
                for ((out, a), b) in self.out.as_chunks_mut::<4>().0.iter_mut().zip(a).zip(b) {
                    let r = f(f32::from_le_bytes(*a), f32::from_le_bytes(*b));
                    odd += u32::from(!r.is_finite());
                    *out = r.to_le_bytes();
                }
                odd
            },
        )
    }
}

/// A use of an operation whose results are its operands in turn.
///
/// Sums and products of a chain are canonical NaN from the first NaN on, so making them canonical
/// can wait until a value leaves the chain: it would double the time of a step.
pub trait Chain {
    /// Runs it; `leave` is applied to every computed value that is kept.
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy, leave: impl Fn(f32) -> f32 + Copy);
}

/// The form whose operation takes care of NaN itself.
struct Plain<C>(C);

impl<C: Chain> F32Visitor for Plain<C> {
    type Out = ();
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy) {
        self.0.run(f, |x| x);
    }
}

/// Runs a chain with an operation.
///
/// # Errors
/// `alu-op` when the operation has no fp32 form.
pub fn visit_chain<C: Chain>(
    field: &'static str,
    op: AluOp,
    mm: MinMaxNan,
    chain: C,
) -> Result<(), Trap> {
    match op.0 {
        op::ADD => chain.run(|a, b| a + b, num::computed),
        op::SUBTRACT => chain.run(|a, b| a - b, num::computed),
        op::MULT => chain.run(|a, b| a * b, num::computed),
        _ => {
            return num::visit_f32_op(op.0, mm, Plain(chain))
                .ok_or_else(|| no_meaning(field, op, "floating-point"));
        }
    }
    Ok(())
}

/// A row added to an accumulator, element after element.
pub fn sum(acc: f32, row: &[f32]) -> f32 {
    num::computed(row.iter().fold(acc, |acc, x| acc + x))
}

/// The integer band: operands extended by their own signedness, the operation at the widest of the
/// three types, the result cut to that of the destination.
fn integer(cx: &mut Cx<'_, '_>, op: AluOp, a: &Walk, b: &Walk, dest: &Dest) -> Result<(), Trap> {
    let kinds = [a.kind, b.kind, dest.walk.kind];
    let wide = widest("op", op, &kinds)?;
    let alike = kinds.iter().all(|k| *k == wide);
    map_bytes(cx, [a, b], dest, |_, [x, y], out| {
        if alike {
            return one_type(op, wide, [x, y], out);
        }
        let values = elements(a.kind, x).zip(elements(b.kind, y));
        for ((x, y), out) in values.zip(out.chunks_exact_mut(kinds[2].bytes())) {
            let r = num::int_op(op.0, wide, x, y).map_err(|e| int_trap("op", op, e))?;
            put(r, out);
        }
        Ok(())
    })
}

/// The same where all three types are one; sums, differences and products need no extension.
fn one_type(op: AluOp, kind: Kind, rows: [&[u8]; 2], out: &mut [u8]) -> Result<(), Trap> {
    let size = kind.bytes();
    match op.0 {
        op::ADD_INT => map_pairs(size, rows, out, |a, b| Ok(a.wrapping_add(b))),
        op::SUBTRACT_INT => map_pairs(size, rows, out, |a, b| Ok(a.wrapping_sub(b))),
        op::MULT_INT | op::MULT_UINT => map_pairs(size, rows, out, |a, b| Ok(a.wrapping_mul(b))),
        _ => map_pairs(size, rows, out, |a, b| {
            num::int_op(op.0, kind, a, b).map_err(|e| int_trap("op", op, e))
        }),
    }
}

/// The widest of some integer types.
///
/// # Errors
/// `dtype` when one of them is no integer.
pub fn widest(field: &'static str, op: AluOp, kinds: &[Kind]) -> Result<Kind, Trap> {
    if let Some(kind) = kinds.iter().find(|k| !k.is_int()) {
        let m = format!("{op} works on integers, found {kind}");
        return Err(Trap::at("dtype", field, m));
    }
    let widest = kinds.iter().max_by_key(|k| k.bytes()).copied();
    Ok(widest.unwrap_or(Kind::I32))
}

/// Elements of a packed row, extended to 64 bits by the signedness of their kind.
pub fn elements(kind: Kind, row: &[u8]) -> impl Iterator<Item = u64> + '_ {
    row.chunks_exact(kind.bytes()).map(move |e| {
        let bits = raw(e);
        if kind.is_int() && kind.is_signed() {
            num::sign_extend(bits, kind.bits()) as u64
        } else {
            bits
        }
    })
}

/// Stores the low bytes of a value in an element of 1, 2, 4 or 8 bytes.
pub fn put(value: u64, out: &mut [u8]) {
    let [a, b, c, d, ..] = value.to_le_bytes();
    match out {
        [o] => *o = a,
        [o, p] => (*o, *p) = (a, b),
        [o, p, q, r] => (*o, *p, *q, *r) = (a, b, c, d),
        _ => {
            if let Some(out) = out.first_chunk_mut() {
                *out = value.to_le_bytes();
            }
        }
    }
}

/// `out[k] = f(a[k], b[k])` on raw elements of one size, zero-extended and cut.
fn map_pairs(
    size: usize,
    [a, b]: [&[u8]; 2],
    out: &mut [u8],
    f: impl Fn(u64, u64) -> Result<u64, Trap>,
) -> Result<(), Trap> {
    match size {
        1 => map_sized::<1>([a, b], out, f),
        2 => map_sized::<2>([a, b], out, f),
        4 => map_sized::<4>([a, b], out, f),
        _ => map_sized::<8>([a, b], out, f),
    }
}

fn map_sized<const N: usize>(
    [a, b]: [&[u8]; 2],
    out: &mut [u8],
    f: impl Fn(u64, u64) -> Result<u64, Trap>,
) -> Result<(), Trap> {
    let pairs = a.as_chunks::<N>().0.iter().zip(b.as_chunks::<N>().0);
    for ((a, b), out) in pairs.zip(out.as_chunks_mut::<N>().0) {
        put(f(raw(a), raw(b))?, out);
    }
    Ok(())
}

/// `out = a op b` on packed raw elements of one kind, or `b op a` with `swap`.
///
/// # Errors
/// `alu-op` for operations without bit-vector form, `not-modelled` for CRC32.
pub fn zip_bits(
    field: &'static str,
    op: AluOp,
    kind: Kind,
    [a, b]: [&[u8]; 2],
    swap: bool,
    out: &mut [u8],
) -> Result<(), Trap> {
    let (a, b) = if swap { (b, a) } else { (a, b) };
    let width = u64::from(kind.bits());
    let mut bytewise = |f: fn(u8, u8) -> u8| {
        let pairs = a.iter().zip(b);
        out.iter_mut()
            .zip(pairs)
            .for_each(|(o, (a, b))| *o = f(*a, *b));
    };
    match op.0 {
        op::BYPASS => bytewise(|a, _| a),
        op::BITWISE_NOT => bytewise(|a, _| !a),
        op::BITWISE_AND => bytewise(|a, b| a & b),
        op::BITWISE_OR => bytewise(|a, b| a | b),
        op::BITWISE_XOR => bytewise(|a, b| a ^ b),
        op::ARITH_SHIFT_LEFT | op::LOGICAL_SHIFT_LEFT => {
            return map_pairs(kind.bytes(), [a, b], out, |a, b| {
                Ok(if b < width { a << b } else { 0 })
            });
        }
        op::LOGICAL_SHIFT_RIGHT => {
            return map_pairs(kind.bytes(), [a, b], out, |a, b| {
                Ok(if b < width { a >> b } else { 0 })
            });
        }
        _ => {
            return map_pairs(kind.bytes(), [a, b], out, |a, b| {
                bit_op(field, op, kind, a, b)
            });
        }
    }
    Ok(())
}

/// One bit-vector operation.
///
/// # Errors
/// As [`zip_bits`].
pub fn bit_op(field: &'static str, op: AluOp, kind: Kind, a: u64, b: u64) -> Result<u64, Trap> {
    num::bit_op(op.0, kind, a, b).ok_or_else(|| match op {
        AluOp::CRC32 => Trap::at("not-modelled", field, "the polynomial of CRC32 is unknown"),
        _ => no_meaning(field, op, "bit-vector"),
    })
}

impl Cx<'_, '_> {
    /// Checks that sources have as many elements as the destination; static counts were checked
    /// before, those of shape registers were not.
    ///
    /// # Errors
    /// `count`.
    pub fn same_counts(&self, sources: &[&Walk], dest: &Dest) -> Result<(), Trap> {
        let wanted = dest.walk.count;
        match sources.iter().find(|s| s.count != wanted) {
            None => Ok(()),
            Some(s) => {
                let m = format!("{} elements, dst has {wanted}", s.count);
                Err(Trap::at("count", s.field, m))
            }
        }
    }

    /// Checks that elements move unconverted: sources of the destination's width.
    ///
    /// # Errors
    /// `dtype`.
    pub fn same_widths(&self, sources: &[&Walk], dest: &Dest) -> Result<(), Trap> {
        match sources.iter().find(|s| s.elem != dest.walk.elem) {
            None => Ok(()),
            Some(s) => {
                let m = format!("{} moves unconverted into {}", s.dtype, dest.walk.dtype);
                Err(Trap::at("dtype", s.field, m))
            }
        }
    }
}
