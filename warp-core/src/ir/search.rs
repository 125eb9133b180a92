//! Searches of objects whose results are integers: what [`Intrinsic::Search`](super::Intrinsic::Search) does.
//!
//! A search goes through a mesh in an order of its own, which is fast, and gives an integer that does not depend on this order.
//! What is computed of its result, such as where a ray meets a face, is ordinary IR, which has derivatives.

use crate::dtype::Scalar;

macro_rules! searches {
    ($($(#[$doc:meta])* $search:ident = $number:literal, $name:literal, $args:expr;)+) => {
        /// A search.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Search {
            $($(#[$doc])* $search = $number,)+
        }

        impl Search {
            /// All of them.
            pub const ALL: &[Search] = &[$(Search::$search),+];

            /// The name in the text form, and in `wp.search` of the library.
            pub const fn name(self) -> &'static str {
                match self { $(Search::$search => $name,)+ }
            }

            /// The types of its arguments, behind the address of the object: `f` for float32, `i` for int32.
            const fn letters(self) -> &'static str {
                match self { $(Search::$search => $args,)+ }
            }
        }
    };
}

searches! {
    /// The face closest to a point (3), nearer than a distance; -1 for none.
    Closest = 0, "closest", "ffff";
    /// The face that reaches furthest from a point (3), farther than a distance; -1 for none.
    Furthest = 1, "furthest", "ffff";
    /// -1 if a point (3) is inside, else 1, by the normal of the closest feature.
    SideByNormal = 2, "side_by_normal", "fff";
    /// The same, by the faces that rays along the axes meet first.
    SideByRays = 3, "side_by_rays", "fff";
    /// The same, by how many faces so many rays cross, spread so far.
    SideByParity = 4, "side_by_parity", "fffif";
    /// The same, by whether the winding number, so accurate, is greater than a threshold.
    SideByWinding = 5, "side_by_winding", "fffff";
    /// The first face that a ray from a point (3) along a direction (3) meets before a distance, below a root; -1 for none.
    Ray = 6, "ray", "fffffffi";
    /// 1 if such a ray meets a face, else 0.
    RayAny = 7, "ray_any", "fffffffi";
    /// How many faces a ray from a point (3) along a direction (3) crosses, below a root.
    RayCount = 8, "ray_count", "ffffffi";
    /// 1 if a triangle (three corners, 9) is within a distance of a point (3), else 0. The object says nothing here.
    Touches = 9, "touches", "fffffffffffff";
}

impl Search {
    /// The search of a name.
    pub fn from_name(name: &str) -> Option<Search> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }

    /// The search of a number, `search as u32`.
    pub fn from_number(number: u32) -> Option<Search> {
        let mut all = Self::ALL.iter().copied();
        all.find(|it| *it as u32 == number)
    }

    /// Whether searches of several threads take turns where one waits for memory, so that they take less time together.
    pub const fn takes_turns(self) -> bool {
        matches!(
            self,
            Search::Closest | Search::Ray | Search::RayAny | Search::RayCount
        )
    }

    /// What it takes about, in instructions.
    pub const fn cost(self) -> u64 {
        match self {
            Search::Touches => 60,
            _ => 400,
        }
    }

    /// The types of its arguments, behind the address of the object.
    pub fn arguments(self) -> impl ExactSizeIterator<Item = Scalar> {
        let each = self.letters().bytes();
        each.map(|letter| match letter {
            b'i' => Scalar::I32,
            _ => Scalar::F32,
        })
    }
}
