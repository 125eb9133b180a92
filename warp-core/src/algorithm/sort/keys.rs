//! Keys as bits whose order is that of the numbers.

use crate::dtype::Class;

/// A key's bits.
pub(in crate::algorithm) trait Bits:
    Copy + Send + Sync + Ord + 'static
{
    /// Its digit of 8 bits from a bit on.
    fn digit(self, shift: u32) -> usize;
    /// Bits whose order is that of the numbers they stand for.
    fn ordered(self, class: Class) -> Self;
    /// The bits from `begin` up to `end`.
    fn part(self, begin: u32, end: u32) -> Self;
    /// How many there are.
    const COUNT: u32;
    /// A key, followed by a number that distinguishes equal keys.
    type Numbered: Copy + Ord;
    /// The key with its number.
    fn numbered(self, number: u32) -> Self::Numbered;
    /// The number of a key.
    fn number(numbered: Self::Numbered) -> u32;
}

macro_rules! bits {
    ($($t:ty, $numbered:ty);*) => {$(
        impl Bits for $t {
            const COUNT: u32 = <$t>::BITS;
            type Numbered = $numbered;
            #[inline(always)]
            fn numbered(self, number: u32) -> $numbered {
                <$numbered>::from(self) << 32 | <$numbered>::from(number)
            }
            #[inline(always)]
            fn number(numbered: $numbered) -> u32 { numbered as u32 }
            #[inline(always)]
            fn digit(self, shift: u32) -> usize { (self >> shift) as usize & 0xff }
            #[inline(always)]
            fn ordered(self, class: Class) -> $t {
                let top = 1 << (<$t>::BITS - 1);
                match class {
                    Class::Bool | Class::UInt => self,
                    Class::Int => self ^ top,
                    // Negative numbers turned round, below the others.
                    _ if self & top != 0 => !self,
                    _ => self | top,
                }
            }
            #[inline(always)]
            fn part(self, begin: u32, end: u32) -> $t {
                match end - begin {
                    0 => 0,
                    n => (self << (<$t>::BITS - end)) >> (<$t>::BITS - n),
                }
            }
        }
    )*};
}

bits!(u8, u64; u16, u64; u32, u64; u64, u128);

/// Which bits of the keys count.
#[derive(Clone, Copy, Debug)]
pub(in crate::algorithm) struct Range {
    pub class: Class,
    pub begin: u32,
    pub end: u32,
}

impl Range {
    /// A key as it is compared.
    #[inline(always)]
    pub fn of<K: Bits>(self, key: K) -> K {
        key.ordered(self.class).part(self.begin, self.end)
    }
}
