//! Structs: a value is a tree for each field, an array of them is one array for each leaf, so that nothing behind the
//! front knows of them. Copies are values: assigning a field gives the variable another value.

use crate::builtins::{Operand, Tree, View};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::inline::conversion;
use crate::front::data::index::{Node, Ref, count};
use crate::front::source::scope::External;
use crate::front::walk::Walk;
use crate::front::walk::names::nearest;
use crate::ir::{Op, ParamId, ParamType, Part, Value};
use crate::span::Span;
use crate::ty::{ARRAY_DESCRIPTOR, Elem, Field, Struct, Type, leaves};
use ruff_python_ast::{Expr, ExprCall};

impl Walk<'_> {
    /// Adds a parameter and gives what its name stands for; a struct is one parameter for each leaf.
    pub fn param_tree(&mut self, name: &str, ty: &Type, at: Span) -> Tree {
        match *ty {
            Type::Array { elem, ndim } => {
                let array = ParamId(self.b.func().params.len() as u32);
                let size = match elem {
                    Elem::Struct(s) => Some(s.size() as u32),
                    _ => None,
                };
                for leaf in leaves(name, ty) {
                    if let Type::Array { elem, ndim } = leaf.ty {
                        let part = size.map(|size| Part {
                            size,
                            offset: leaf.offset as u32,
                            group: array.0,
                        });
                        let ty = ParamType::Array { elem, ndim };
                        self.b.param_like(leaf.path, ty, part);
                    }
                }
                self.note_arrays_in(array, name, elem);
                Tree::Array(View::whole(array, elem, ndim))
            }
            Type::Elem(elem) => {
                let id = self.b.param(name, ParamType::Elem(elem));
                self.b.span = at;
                let parts = (0..elem.count() as u32)
                    .map(|n| self.b.let_(elem.scalar(), Op::Param(id, n), &[]))
                    .collect();
                Tree::Elem(Operand { elem, parts })
            }
            Type::Struct(s) => {
                let fields = s.fields().iter();
                let trees =
                    fields.map(|f| self.param_tree(&format!("{name}.{}", f.name), &f.ty, at));
                Tree::Struct(s, trees.collect())
            }
            _ => Tree::None,
        }
    }

    /// Refuses types whose values no kernel can hold.
    pub fn check_type(&self, ty: &Type, at: Span) -> Result<()> {
        match ty {
            Type::Array {
                elem: Elem::Struct(s),
                ..
            } if s.stored().is_empty() => {
                let what = format!("an array of {s}, which has no fields");
                Err(Error::at(Code::Type, at, what).hint("give the struct a field"))
            }
            Type::Array {
                elem: Elem::Struct(s),
                ..
            }
            | Type::Struct(s) => s
                .stored()
                .iter()
                .try_for_each(|leaf| self.check_type(&leaf.ty, at)),
            Type::Array { elem, .. } | Type::Elem(elem) => crate::builtins::check_size(*elem, at),
            _ => Ok(()),
        }
    }

    /// `S()`: zeros and no arrays; `S(x, y)`, `S(x=1.0)`: fields in order or by name, the others as before.
    pub fn construct_struct(&mut self, s: Struct, it: &ExprCall, at: Span) -> Result<Tree> {
        self.check_type(&Type::Struct(s), at)?;
        let mut trees: Vec<Tree> = s.fields().iter().map(|f| self.blank(&f.ty)).collect();
        let mut given = vec![false; trees.len()];
        let positional = it.arguments.args.iter().map(|value| (None, value));
        let named = it.arguments.keywords.iter();
        let named = named.map(|k| (k.arg.as_ref(), &k.value));
        for (n, (name, value)) in positional.chain(named).enumerate() {
            let value_at = self.span(value);
            let place = match name {
                Some(name) => self.field(s, name.as_str(), value_at)?.0,
                None if matches!(value, Expr::Starred(_)) || n >= it.arguments.args.len() => {
                    let what = "the fields of a struct are given one by one";
                    return Err(Error::at(Code::Syntax, value_at, what));
                }
                None if n < trees.len() => n,
                None => {
                    let what = format!(
                        "{s} has {}, {} given",
                        count(trees.len(), "field"),
                        it.arguments.args.len()
                    );
                    return Err(Error::at(Code::Argument, at, what).hint(fields_of(s)));
                }
            };
            let field = &s.fields()[place];
            if std::mem::replace(&mut given[place], true) {
                let what = format!("{s} gets its field `{}` twice", field.name);
                return Err(Error::at(Code::Argument, value_at, what));
            }
            let want = match &field.ty {
                Type::Elem(elem) if self.is_number(value) => Some(elem.scalar()),
                _ => None,
            };
            let tree = self.expr_as(value, want)?;
            self.check_field(s, field, &tree, value_at)?;
            trees[place] = tree;
        }
        Ok(Tree::Struct(s, trees.into()))
    }

    /// Zeros; an array field has no array yet.
    fn blank(&mut self, ty: &Type) -> Tree {
        match ty {
            Type::Struct(s) => {
                let trees = s.fields().iter().map(|f| self.blank(&f.ty));
                Tree::Struct(*s, trees.collect())
            }
            other => self.zeros(other).unwrap_or(Tree::None),
        }
    }

    /// The field of a name and its number.
    fn field(&self, s: Struct, name: &str, at: Span) -> Result<(usize, &'static Field)> {
        s.field(name).ok_or_else(|| {
            let what = format!("{s} has no field `{name}`");
            let names = s.fields().iter().map(|f| f.name.as_str());
            let hint = match nearest(name, names) {
                Some(like) => format!("did you mean `{like}`?"),
                None => fields_of(s),
            };
            Error::at(Code::Attribute, at, what).hint(hint)
        })
    }

    fn check_field(&self, s: Struct, field: &Field, tree: &Tree, at: Span) -> Result<()> {
        let found = tree.ty();
        if found == field.ty {
            return Ok(());
        }
        let what = format!(
            "field `{}` of {s} is {}, this is {found}",
            field.name, field.ty
        );
        Err(Error::at(Code::Type, at, what).hint(conversion(&found, &field.ty)))
    }

    /// What a struct's class has under a name that is no field's.
    pub fn of_class(&self, s: Struct, name: &str) -> Option<External> {
        match s.field(name) {
            Some(_) => None,
            None => self.frame.scope.get().of_class(s, name),
        }
    }

    /// `s.name`. An array field that nothing was assigned to is an array without elements, as in a struct that the host
    /// makes: where it is read is an IndexError of the threads that get there, for other paths may have set it.
    pub fn get_field(&mut self, s: Struct, trees: &[Tree], name: &str, at: Span) -> Result<Tree> {
        let (n, field) = self.field(s, name, at)?;
        if !matches!(trees[n], Tree::None) {
            return Ok(trees[n].clone());
        }
        let none = match field.ty {
            Type::Array { elem, ndim } => self.no_array(elem, ndim),
            _ => None,
        };
        none.map(Tree::Array).ok_or_else(|| {
            let what = format!("field `{}` of this {s} holds no array yet", field.name);
            let hint = format!("assign one first: `s.{} = array`", field.name);
            Error::at(Code::Value, at, what).hint(hint)
        })
    }

    /// The struct with another value of a field.
    pub fn with_field(
        &self,
        (s, trees): (Struct, &[Tree]),
        name: &str,
        value: &Tree,
        at: Span,
        value_at: Span,
    ) -> Result<Tree> {
        let (n, field) = self.field(s, name, at)?;
        self.check_field(s, field, value, value_at)?;
        let mut trees = trees.to_vec();
        trees[n] = value.clone();
        Ok(Tree::Struct(s, trees.into()))
    }

    /// `a[i].name` where `a` holds structs. An array is read, not referred to.
    pub fn element_field(&mut self, place: &Ref, s: Struct, name: &str, at: Span) -> Result<Node> {
        let (_, field) = self.field(s, name, at)?;
        Ok(match &field.ty {
            Type::Array { .. } => Node::Tree(self.load_field(place, field)),
            Type::Struct(inner) if inner.is_indexed() => Node::Tree(self.load_field(place, field)),
            _ => Node::Ref(part(place, field)),
        })
    }

    /// Reads an element, whatever it is.
    pub fn load_tree(&mut self, place: &Ref) -> Tree {
        match place.elem {
            Elem::Struct(s) => {
                let trees = s.fields().iter().map(|f| self.load_field(place, f));
                Tree::Struct(s, trees.collect())
            }
            _ => Tree::Elem(self.load_ref(place)),
        }
    }

    /// Reads a field of an element.
    fn load_field(&mut self, place: &Ref, field: &Field) -> Tree {
        match field.ty {
            Type::Array { elem, ndim } => {
                let element = place.element.leaf(field.stored);
                Tree::Array(self.described(&element, elem, ndim))
            }
            _ => self.load_tree(&part(place, field)),
        }
    }

    /// Writes a value that has the element's type: of an array its descriptor.
    pub fn store_tree(&mut self, place: &Ref, tree: &Tree) {
        match tree {
            Tree::Struct(s, trees) => {
                for (field, tree) in s.fields().iter().zip(trees.iter()) {
                    self.store_tree(&part(place, field), tree);
                }
            }
            Tree::Array(view) => {
                let words = view.words(&mut self.b);
                self.store_words(place, words);
            }
            Tree::None => {
                let none = self.b.number(Scalar::U64, 0.0);
                self.store_words(place, vec![none; ARRAY_DESCRIPTOR.count()]);
            }
            Tree::Elem(x) => {
                for (n, value) in x.parts.iter().enumerate() {
                    place.store(self, n as u32, *value);
                }
            }
            _ => {}
        }
    }

    /// Whether `name` is a field of an element that is an array, indexed or not.
    pub fn is_array_field(&self, element: &Ref, name: &str) -> bool {
        let Elem::Struct(s) = element.elem else {
            return false;
        };
        s.field(name).is_some_and(|(_, field)| match field.ty {
            Type::Struct(inner) => inner.is_indexed(),
            ref ty => matches!(ty, Type::Array { .. }),
        })
    }

    /// `a[i].name = tree`, where the field is an array.
    pub fn store_array_field(
        &mut self,
        element: &Ref,
        name: &str,
        tree: &Tree,
        at: Span,
        value_at: Span,
    ) -> Result<()> {
        let Elem::Struct(s) = element.elem else {
            return Ok(());
        };
        let (_, field) = self.field(s, name, at)?;
        self.check_field(s, field, tree, value_at)?;
        let place = part(element, field);
        self.check_stored(&place, tree, at)?;
        self.b.span = at;
        self.store_tree(&place, tree);
        Ok(())
    }

    fn store_words(&mut self, place: &Ref, words: Vec<Value>) {
        for (n, word) in (0..).zip(words) {
            place.store(self, n, word);
        }
    }

    /// Refuses to store what no launch could keep alive: local arrays, and structs with arrays in memory of which only an
    /// address is known.
    pub fn check_stored(&self, place: &Ref, tree: &Tree, at: Span) -> Result<()> {
        match tree {
            Tree::Struct(_, trees) => trees
                .iter()
                .try_for_each(|tree| self.check_stored(place, tree, at)),
            Tree::Array(view) => self.check_stored_array(place, view, at),
            _ => Ok(()),
        }
    }

    fn check_stored_array(&self, place: &Ref, view: &View, at: Span) -> Result<()> {
        let is = |id: ParamId, wanted: fn(&ParamType) -> bool| wanted(&self.b.func().param(id).ty);
        let mut local = view
            .candidates
            .iter()
            .filter(|candidate| !self.absent.contains(&candidate.array));
        if local.any(|candidate| {
            is(candidate.array, |ty| {
                matches!(ty, ParamType::Local { .. } | ParamType::Shared { .. })
            })
        }) {
            let what = "a local array ends with its thread: no array of structs can hold it";
            return Err(Error::at(Code::Type, at, what)
                .hint("assign an array that is passed, or a part of one"));
        }
        let mut places = place.element.arrays();
        if places.any(|id| !is(id, |ty| matches!(ty, ParamType::Array { .. }))) {
            let what = "this array of structs is no parameter of the kernel, so that a launch could not keep alive the arrays \
                        that are stored in it";
            return Err(Error::at(Code::Type, at, what)
                .hint("pass the array of structs itself as an argument of the launch"));
        }
        Ok(())
    }
}

/// A field of an element: the leaves of an array of structs are parameters in a row.
fn part(place: &Ref, field: &Field) -> Ref {
    let elem = match field.ty {
        Type::Struct(s) => Elem::Struct(s),
        Type::Elem(elem) => elem,
        // Of an array the descriptor.
        _ => ARRAY_DESCRIPTOR,
    };
    Ref::whole(place.element.leaf(field.stored), elem)
}

/// What a struct has, for hints.
fn fields_of(s: Struct) -> String {
    let names: Vec<&str> = s.fields().iter().map(|f| f.name.as_str()).collect();
    format!("it has {}", names.join(", "))
}

/// The part of a variable that an expression names, as far as the path there is known: what stands behind an array is
/// that array.
fn named<'t>(tree: &'t Tree, expr: &Expr) -> Option<&'t Tree> {
    let (base, field) = match expr {
        Expr::Name(_) => return Some(tree),
        Expr::Attribute(it) => (named(tree, &it.value)?, Some(it.attr.as_str())),
        Expr::Subscript(it) => (named(tree, &it.value)?, None),
        _ => return None,
    };
    match (base, field) {
        (Tree::Array(_), _) => Some(base),
        (Tree::Struct(s, _), None) if s.is_indexed() => Some(base),
        (Tree::Struct(s, trees), Some(name)) => trees.get(s.field(name)?.0),
        _ => None,
    }
}

/// Whether assigning to this part of a variable writes to an array, so that the variable stays what it is.
pub(in crate::front) fn writes_array(tree: &Tree, target: &Expr) -> bool {
    let base = match target {
        Expr::Attribute(it) => &it.value,
        Expr::Subscript(it) => &it.value,
        _ => return false,
    };
    match named(tree, base) {
        // A field without an array is one without elements: see `Walk::get_field`.
        Some(Tree::Array(_) | Tree::None) => true,
        Some(Tree::Struct(s, _)) => s.is_indexed(),
        _ => false,
    }
}
