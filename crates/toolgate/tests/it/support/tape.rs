//! Choices read off a list of bytes. When it is at its end every choice is the first one, so a shorter tape makes a smaller
//! thing, and what shrinks a list of bytes shrinks whatever was made from it.

pub(crate) struct Tape {
    bytes: Vec<u8>,
    at: usize,
}

impl Tape {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Tape { bytes: bytes.into(), at: 0 }
    }

    /// Makes the first choice always.
    pub(crate) fn empty() -> Self {
        Tape::new([])
    }

    /// A long tape of a reproducible stream.
    pub(crate) fn seeded(seed: u64) -> Self {
        let mut stream = Stream::new(seed);
        Tape::new((0..512).map(|_| stream.below(256) as u8).collect::<Vec<_>>())
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % count.max(1)
    }

    /// True once in `count`; false at the end of the tape.
    pub(crate) fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(crate) fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }
}

/// A reproducible stream of numbers (splitmix64).
pub(crate) struct Stream(u64);

impl Stream {
    pub(crate) fn new(seed: u64) -> Self {
        Stream(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % (count.max(1) as u64)) as usize
    }
}
