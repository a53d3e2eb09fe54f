//! Copies between packed bytes and equal runs at a constant distance; the usual element sizes are compiled for their width.

/// Packs the runs of `len` bytes that start every `step` bytes of `row`.
pub(super) fn gather(row: &[u8], step: usize, len: usize, out: &mut [u8]) {
    match len {
        1 => gather_n::<1>(row, step, out),
        2 => gather_n::<2>(row, step, out),
        4 => gather_n::<4>(row, step, out),
        8 => gather_n::<8>(row, step, out),
        _ => {
            for (out, run) in out
                .chunks_exact_mut(len.max(1))
                .zip(row.chunks(step.max(1)))
            {
                if let Some(run) = run.get(..len) {
                    out.copy_from_slice(run);
                }
            }
        }
    }
}

/// The inverse of [`gather`]; bytes between the runs are left alone.
pub(super) fn scatter(src: &[u8], row: &mut [u8], step: usize, len: usize) {
    match len {
        1 => scatter_n::<1>(src, row, step),
        2 => scatter_n::<2>(src, row, step),
        4 => scatter_n::<4>(src, row, step),
        8 => scatter_n::<8>(src, row, step),
        _ => {
            for (src, run) in src
                .chunks_exact(len.max(1))
                .zip(row.chunks_mut(step.max(1)))
            {
                if let Some(run) = run.get_mut(..len) {
                    run.copy_from_slice(src);
                }
            }
        }
    }
}

fn gather_n<const N: usize>(row: &[u8], step: usize, out: &mut [u8]) {
    for (out, run) in out
        .as_chunks_mut::<N>()
        .0
        .iter_mut()
        .zip(row.chunks(step.max(1)))
    {
        if let Some(run) = run.first_chunk::<N>() {
            *out = *run;
        }
    }
}

fn scatter_n<const N: usize>(src: &[u8], row: &mut [u8], step: usize) {
    for (src, run) in src
        .as_chunks::<N>()
        .0
        .iter()
        .zip(row.chunks_mut(step.max(1)))
    {
        if let Some(run) = run.first_chunk_mut::<N>() {
            *run = *src;
        }
    }
}
