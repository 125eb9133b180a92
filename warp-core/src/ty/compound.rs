//! Compounds: composites with a name and named parts, one row each.
//!
//! A new one is a variant and a row here. What its product is stands in `builtins/operation/compound.rs`, and its class of Python in
//! `warp/_values/composite.py`.

/// A composite with a name and a fixed number of components: those of its parts, one part after the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compound {
    /// A quaternion.
    Quat,
    /// A rigid transformation: a position, then a rotation.
    Transform,
}

/// What the system knows of a compound.
#[derive(Debug)]
pub struct Row {
    /// Which one it is.
    pub compound: Compound,
    /// The word for it in texts. Names of its types begin with it, as `wp.quatf` does.
    pub name: &'static str,
    /// The class that stands for all its types in stubs.
    pub class: &'static str,
    /// The function of `wp.types` that makes its types.
    pub made_by: &'static str,
    /// Its parts in the order of memory, with their names.
    pub parts: &'static [(&'static str, Form)],
    /// What makes one besides all of its parts, or all of its components.
    pub constructors: &'static [Constructor],
    /// Whether one number stands for all components.
    pub fills: bool,
    /// What it has, for messages.
    pub has: &'static str,
    /// What it is made of, for messages.
    pub made_of: &'static str,
}

/// What a part of a compound is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// One component.
    Number,
    /// A vector of so many components.
    Vec(u32),
    /// A compound.
    Compound(Compound),
}

/// Arguments that make a compound, and numbers for the components behind theirs.
#[derive(Debug)]
pub struct Constructor {
    /// The arguments.
    pub forms: &'static [Form],
    /// The other components.
    pub rest: &'static [f64],
}

/// All of them, in the order of the variants.
pub const COMPOUNDS: &[Row] = &[
    Row {
        compound: Compound::Quat,
        name: "quat",
        class: "Quaternion",
        made_by: "quaternion",
        parts: &[
            ("x", Form::Number),
            ("y", Form::Number),
            ("z", Form::Number),
            ("w", Form::Number),
        ],
        constructors: &[Constructor {
            forms: &[Form::Vec(3), Form::Number],
            rest: &[],
        }],
        fills: false,
        has: "x, y, z, w",
        made_of: "nothing (zeros), x, y, z, w, or a vector of 3 and w",
    },
    Row {
        compound: Compound::Transform,
        name: "transform",
        class: "Transform",
        made_by: "transformation",
        parts: &[("p", Form::Vec(3)), ("q", Form::Compound(Compound::Quat))],
        constructors: &[Constructor {
            forms: &[Form::Vec(3)],
            rest: &[0.0, 0.0, 0.0, 1.0],
        }],
        fills: true,
        has: "p, the position, and q, the rotation",
        made_of: "nothing (zeros), one number for all components, 7 components, or a vector of 3 with or without a quaternion",
    },
];

impl Compound {
    /// Its row.
    pub const fn row(self) -> &'static Row {
        &COMPOUNDS[self as usize]
    }

    /// The word for it in texts.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The compound of a name.
    pub fn named(name: &str) -> Option<Compound> {
        let mut rows = COMPOUNDS.iter();
        rows.find(|row| row.name == name).map(|row| row.compound)
    }

    /// The compound whose types a function of `wp.types` makes.
    pub fn made_by(function: &str) -> Option<Compound> {
        let mut rows = COMPOUNDS.iter();
        rows.find(|row| row.made_by == function)
            .map(|row| row.compound)
    }

    /// Number of components.
    pub const fn count(self) -> usize {
        let parts = self.row().parts;
        let (mut count, mut at) = (0, 0);
        while at < parts.len() {
            count += parts[at].1.count();
            at += 1;
        }
        count
    }

    /// The part of a name, and the number of its first component.
    pub fn part(self, name: &str) -> Option<(usize, Form)> {
        let parts = self.row().parts;
        let at = parts.iter().position(|part| part.0 == name)?;
        let first = parts[..at].iter().map(|part| part.1.count()).sum();
        Some((first, parts[at].1))
    }
}

impl Form {
    /// Number of components.
    pub const fn count(self) -> usize {
        match self {
            Form::Number => 1,
            Form::Vec(len) => len as usize,
            Form::Compound(compound) => compound.count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_variants() {
        for (at, row) in COMPOUNDS.iter().enumerate() {
            assert_eq!(row.compound as usize, at);
            assert_eq!(Compound::named(row.name), Some(row.compound));
            assert_eq!(Compound::made_by(row.made_by), Some(row.compound));
        }
    }

    #[test]
    fn ways_fill_all_components() {
        for row in COMPOUNDS {
            for constructor in row.constructors {
                let given: usize = constructor.forms.iter().map(|form| form.count()).sum();
                assert_eq!(
                    given + constructor.rest.len(),
                    row.compound.count(),
                    "{}",
                    row.name
                );
            }
        }
        assert_eq!(
            [Compound::Quat, Compound::Transform].map(Compound::count),
            [4, 7]
        );
        let rotation = Form::Compound(Compound::Quat);
        assert_eq!(Compound::Transform.part("q"), Some((3, rotation)));
        assert_eq!(Compound::Transform.part("x"), None);
    }
}
