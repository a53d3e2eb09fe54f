//! MX operands: packed narrow elements with a scale per 32 of them (isa 03 §6, 05 §3.7, §7).

use crate::isa::fields::{Addr4, Location, Space};
use crate::isa::{DType, Generation, Severity};
use crate::num::{self, Kind};
use crate::sim::Rect;
use crate::sim::exec::Cx;
use crate::sim::exec::cx::kind_of;
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Elements of a container, contraction-interleaved.
pub(super) const LANES: usize = 4;
/// Partitions that share a scale.
const BLOCK: u16 = 8;

/// A resolved MX operand.
pub(super) struct MxOperand {
    slot: &'static str,
    /// Kind of one element; `Fp4x4` for whole containers.
    pub kind: Kind,
    /// Partitions.
    pub lanes: u16,
    data: Location,
    scale: Location,
    /// Position of every container, in containers from the start.
    places: Vec<i64>,
}

/// The element kind of an MX dtype: 0x0E is the fn variant unless a setting says otherwise
/// (decisions 1.3).
pub(super) fn mx_kind(cx: &Cx<'_, '_>, slot: &'static str, dtype: DType) -> Result<Kind, Trap> {
    let fp8_fn = !cx.settings.is(Id::Fp8E4, 1);
    match kind_of(dtype, fp8_fn) {
        Some(k @ (Kind::Fp8E4 | Kind::Fp8E4Fn | Kind::Fp8E5 | Kind::Fp4x4)) => Ok(k),
        _ => {
            let m = format!("{dtype}; MX data are FP8_EXP4, FP8_EXP5 or FP4_EXP2");
            Err(Trap::at("dtype", slot, m))
        }
    }
}

impl MxOperand {
    /// The operand at byte `at` of the bundle.
    ///
    /// # Errors
    /// `dtype`, `count`, `step`, `scale-partition`, `space`, `bounds` and those of addresses.
    pub fn of(
        cx: &mut Cx<'_, '_>,
        slot: &'static str,
        at: usize,
        dtype: DType,
        lanes: u16,
    ) -> Result<MxOperand, Trap> {
        let b = &cx.instr.bundle;
        let first = Addr4(b.u32(at));
        let indirect = first.indirect();
        let skip = if indirect { 4 } else { 0 };
        let (data, scale) = (Addr4(b.u32(at + skip)), Addr4(b.u32(at + 4 + skip)));
        let (count, step) = (b.u16(at + 8 + skip), b.u8(at + 10) as i8);
        let row = b.u8(at + if indirect { 15 } else { 11 });
        if row > 15 || !row.is_multiple_of(4) {
            let m = format!("scale partition {row}; 0, 4, 8 or 12");
            return Err(Trap::at("scale-partition", slot, m));
        }
        if count == 0 || usize::from(count) % LANES != 0 {
            let m = format!("{count} elements; a positive multiple of {LANES}");
            return Err(Trap::at("count", slot, m));
        }
        let containers = i64::from(count) / LANES as i64;
        let kind = mx_kind(cx, slot, dtype)?;
        let class = if kind == Kind::Fp4x4 {
            DType::U16
        } else {
            DType::U32
        };
        let places = if indirect {
            indices(cx, slot, first, containers as u32)?
        } else if step.abs() == 1 {
            (0..containers).map(|i| i * i64::from(step)).collect()
        } else {
            let m = format!("step {step}; 1 or -1");
            return Err(Trap::at("step", slot, m));
        };
        let resolver = cx.resolver();
        let data = resolver.location(slot, data, class, lanes)?;
        let scale = resolver.location(slot, scale, DType::U8, 1)?;
        // The address names the quadrant, the descriptor the row in it.
        let scale = Location {
            part: scale.part / 32 * 32 + u16::from(row),
            ..scale
        };
        let operand = MxOperand {
            slot,
            kind,
            lanes,
            data,
            scale,
            places,
        };
        operand.check(cx.instr.generation)?;
        Ok(operand)
    }

    fn check(&self, g: Generation) -> Result<(), Trap> {
        for (rect, at) in [
            (self.data_bounds(), self.data),
            (self.scale_bounds(), self.scale),
        ] {
            if at.space != Space::Sbuf {
                let m = format!("{at}; MX operands are in SBUF");
                return Err(Trap::at("space", self.slot, m));
            }
            let whole = rect.filter(|r| r.end() <= at.space.backed(g) && r.part_end() <= 128);
            if whole.is_none() {
                let m = format!("the walk from {at} leaves SBUF");
                return Err(Trap::at("bounds", self.slot, m));
            }
        }
        Ok(())
    }

    /// Containers per partition.
    pub fn containers(&self) -> usize {
        self.places.len()
    }

    /// Bytes of a container.
    pub fn container_bytes(&self) -> usize {
        if self.kind == Kind::Fp4x4 { 2 } else { LANES }
    }

    /// Rectangle around `parts` partitions from `at`, elements of `size` bytes; `None` below byte 0.
    fn around(&self, at: Location, parts: u16, size: usize) -> Option<Rect> {
        let (lo, hi) = (self.places.iter().min()?, self.places.iter().max()?);
        let off = |place: i64| u64::try_from(i64::from(at.off) + place * size as i64).ok();
        let (lo, hi) = (off(*lo)?, off(hi + 1)?);
        Some(Rect::new(
            at.space,
            at.part,
            parts,
            lo,
            u32::try_from(hi - lo).ok()?,
        ))
    }

    fn data_bounds(&self) -> Option<Rect> {
        self.around(self.data, self.lanes, self.container_bytes())
    }

    /// Around the scales of all quadrants.
    fn scale_bounds(&self) -> Option<Rect> {
        let blocks = self.lanes.div_ceil(BLOCK).max(1);
        let last = self.scale_partition(blocks - 1);
        self.around(self.scale, last + 1 - self.scale.part, 1)
    }

    /// Partition with the scales of a block of partitions (isa 05 §7).
    fn scale_partition(&self, block: u16) -> u16 {
        self.scale.part + 32 * (block / 4) + block % 4
    }

    /// Rectangles with the scales, one for each quadrant.
    fn scale_rects(&self) -> impl Iterator<Item = Rect> {
        let blocks = self.lanes.div_ceil(BLOCK);
        let bounds = self.scale_bounds();
        (0..blocks).step_by(4).filter_map(move |b| {
            Some(Rect {
                part: self.scale_partition(b),
                parts: (blocks - b).min(4),
                ..bounds?
            })
        })
    }

    /// Records the reads and reports never-written bytes.
    ///
    /// # Errors
    /// `uninit-read` when that is set to fault.
    pub fn note_read(&self, cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
        let (mut missing, mut around) = (0, None);
        for rect in self.data_bounds().into_iter().chain(self.scale_rects()) {
            missing += cx.read_rect(rect);
            around = around.or(Some(rect));
        }
        match around {
            Some(rect) => cx.uninit(missing, self.slot, &rect),
            None => Ok(()),
        }
    }

    /// Byte offset of the `i`-th container, or scale with `size` 1, in its partition.
    fn offset(at: Location, place: i64, size: usize) -> u64 {
        (i64::from(at.off) + place * size as i64) as u64
    }

    /// The scaled values of a partition, container after container. Tells whether a scale is 0xFF.
    pub fn read(&self, cx: &Cx<'_, '_>, lane: u16, out: &mut Vec<f32>) -> bool {
        out.clear();
        let size = self.container_bytes();
        let scales = self.scale_partition(lane / BLOCK);
        let mut odd = false;
        let mut values = [0.0; LANES];
        for place in &self.places {
            let at = Self::offset(self.data, *place, size);
            let bytes = cx
                .state()
                .bytes(Space::Sbuf, self.data.part + lane, at, size as u32);
            num::widen_slice(self.kind, bytes.unwrap_or(&[]), &mut values);
            let at = Self::offset(self.scale, *place, 1);
            let scale = cx.state().bytes(Space::Sbuf, scales, at, 1);
            let scale = scale.and_then(|s| s.first()).copied().unwrap_or(0);
            odd |= scale == u8::MAX;
            // In f64: the product is exact, so it is rounded once, as ldexpf does.
            let factor = f64::from_bits((u64::from(scale) + 1023 - 127) << 52);
            out.extend(values.map(|v| (f64::from(v) * factor) as f32));
        }
        odd
    }

    /// Stores the packed data of all partitions and the scales of all blocks; both hold one entry
    /// per container, partition (or block) after partition.
    ///
    /// # Errors
    /// `bounds`, should the memory refuse the range.
    pub fn write(&self, cx: &mut Cx<'_, '_>, data: &[u8], scales: &[u8]) -> Result<(), Trap> {
        let size = self.container_bytes();
        let mut order: Vec<usize> = (0..self.containers()).collect();
        order.sort_by_key(|i| self.places.get(*i));
        let sorted = |bytes: &[u8], size: usize| -> Vec<u8> {
            let rows = bytes.chunks_exact((size * order.len()).max(1));
            rows.flat_map(|row| {
                order
                    .iter()
                    .flat_map(move |i| row.get(i * size..(i + 1) * size).unwrap_or(&[]))
            })
            .copied()
            .collect()
        };
        let mut done = Ok(());
        if let Some(rect) = self.data_bounds() {
            done = done.and(cx.writer.store(&rect, &sorted(data, size)));
        }
        let scales = sorted(scales, 1);
        let mut rest = scales.as_slice();
        for rect in self.scale_rects() {
            let (now, later) = rest.split_at((rect.bytes() as usize).min(rest.len()));
            rest = later;
            done = done.and(cx.writer.store(&rect, now));
        }
        done.map_err(|e| Trap::at("bounds", self.slot, e.to_string()))
    }
}

/// Container numbers from an index vector: `idx[i mod 32][i div 32]` on the PE (isa 03 §5, §6.2).
fn indices(
    cx: &mut Cx<'_, '_>,
    slot: &'static str,
    word: Addr4,
    containers: u32,
) -> Result<Vec<i64>, Trap> {
    let group = cx.resolver().group;
    let at = cx.resolver().location(slot, word, DType::U32, 1)?;
    let rect = Rect::new(
        at.space,
        at.part,
        group.min(containers) as u16,
        u64::from(at.off),
        4 * containers.div_ceil(group),
    );
    let missing = cx.read_rect(rect);
    cx.uninit(missing, slot, &rect)?;
    (0..containers)
        .map(|i| {
            let (part, column) = (at.part + (i % group) as u16, u64::from(i / group));
            let bytes = cx
                .state()
                .bytes(at.space, part, u64::from(at.off) + 4 * column, 4);
            let word = bytes.and_then(|b| b.first_chunk());
            word.map(|w| i64::from(u32::from_le_bytes(*w)))
                .ok_or_else(|| {
                    let m = format!("the index vector at {at} leaves {}", at.space);
                    Trap::at("bounds", slot, m)
                })
        })
        .collect()
}

/// Reports scales of 0xFF: taken as 2^128, NaN by the public format (decisions 1.3).
pub(super) fn report_odd_scale(cx: &mut Cx<'_, '_>, odd: bool) {
    if odd {
        let m = "a scale byte is 0xff: taken as 2^128".to_owned();
        cx.finding(Severity::Warn, "mx-scale", m);
    }
}
