//! Chance that a seed decides.

/// A generator of numbers (SplitMix64): one seed gives one order.
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below another one.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// An index of a list of so many.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    pub fn shuffle(&mut self, list: &mut [u32]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// The numbers below `count` in an order that is drawn, without a list of them: steps of a length that has no divisor in common.
pub(super) fn order(count: u64, random: &mut Random) -> impl Iterator<Item = u64> + use<> {
    let start = random.below(count.max(1));
    let mut step = 1 + random.below(count.max(1));
    while divisor(step, count) != 1 {
        step += 1;
    }
    (0..count).map(move |k| {
        let at = u128::from(k) * u128::from(step) + u128::from(start);
        (at % u128::from(count)) as u64
    })
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for count in [1, 2, 7, 12, 100] {
            for seed in 0..20 {
                let mut seen: Vec<_> = order(count, &mut Random::new(seed)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..count));
            }
        }
    }
}
