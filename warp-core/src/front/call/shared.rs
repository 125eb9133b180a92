//! Functions that are walked once for all calls with arguments of one kind.
//!
//! Arguments are of one kind if they differ in the values of numbers alone, and not in integers and flags that are constants: of these
//! a function may be another one (loops that are unrolled, components, `wp.static`). What is walked is a function of the IR; the passes
//! decide whether its body stands in the place of a call ([`crate::pass::inline`]).

use crate::builtins::{Operand, Tree};
use crate::error::Result;
use crate::front::call::inline::Called;
use crate::front::call::instance::{Given, Instance, Leaf, Number, args_of};
use crate::front::call::integers::for_any;
use crate::front::control::loops::scalars;
use crate::front::source::scope::FuncRef;
use crate::front::walk::{VariableState, Walk};
use crate::ir::{Callee, Const, Kind, ParamId, ParamType, Value};
use crate::span::Span;
use std::rc::Rc;

impl Walk<'_> {
    /// Calls the function whose frame is in force, and whose parameters have their values.
    pub fn call_shared(&mut self, func: &FuncRef, at: Span) -> Result<Called> {
        let bound: Vec<usize> = (0..self.frame.env.len())
            .filter(|slot| matches!(self.frame.env[*slot], VariableState::Bound(..)))
            .collect();
        let Some(given) = self.given_numbers(&bound) else {
            return self.called(func, at);
        };
        let general = self.kind_for_any_integers(func, &bound, &given);
        let given = self.needed_integers(general.as_ref(), given);
        let args = args_of(&given);
        let key = (func.id, self.kind_of(&bound, &given));
        if let Some(instance) = self.instances.get(&key) {
            let instance = Rc::clone(instance);
            return Ok(self.call_instance(&instance, args, at));
        }
        if let Some(general) = &general
            && let Some(instance) = self.walk_for_any_integers(func, general, &bound, &given, at)?
        {
            return Ok(self.call_instance(&instance, args_of(&for_any(&given)), at));
        }
        let before = self.frame.env.clone();
        let params = self.b.func().params.len();
        let Some(instance) = self.walk_apart(func, &bound, &given, false, at)? else {
            self.frame.env = before;
            return self.called(func, at);
        };
        let instance = Rc::new(instance);
        if !self.gives_own_array(&instance, params) {
            self.count_instance(general, &instance);
            self.instances.insert(key, Rc::clone(&instance));
        }
        Ok(self.call_instance(&instance, args, at))
    }

    /// The numbers of the arguments, with what is known of them. None: the function is walked in place.
    fn given_numbers(&self, bound: &[usize]) -> Option<Vec<Given>> {
        if !self.differentiated.is_empty() {
            return None;
        }
        let mut values = Vec::new();
        for slot in bound {
            if let VariableState::Bound(tree, _) = &self.frame.env[*slot] {
                numbers(tree, &mut values);
            }
        }
        if values.iter().any(|v| self.local_addresses.contains_key(v)) {
            return None;
        }
        Some(
            values
                .into_iter()
                .map(|v| (v, self.decisive_number(v)))
                .collect(),
        )
    }

    /// A constant that a function may be made for: no float, unless it has no type yet and so is more than its value.
    fn decisive_number(&self, value: Value) -> Option<Number> {
        let number = self.number_of(value, self.b.known(value)?);
        match number.value {
            Const::Float(value) if number.full.is_none_or(|full| full == value) => None,
            _ => Some(number),
        }
    }

    fn number_of(&self, value: Value, constant: Const) -> Number {
        Number {
            ty: self.b.ty(value),
            value: constant,
            full: self.b.full_value(value),
        }
    }

    /// A text that is equal for arguments of one kind.
    pub(super) fn kind_of(&self, bound: &[usize], given: &[Given]) -> String {
        let mut next = 0..;
        let mut text = format!("{}", self.plain);
        for slot in bound {
            if let VariableState::Bound(tree, _) = &self.frame.env[*slot] {
                let tree = with_numbers(tree, &mut next.by_ref().map(Value));
                text += &format!(" {slot} {tree:?}");
            }
        }
        for (value, number) in given {
            text += &match number {
                Some(number) => format!(" {number:?}"),
                None => format!(" {:?}", self.b.ty(*value)),
            };
        }
        text
    }

    /// Walks the body as a function of the IR. None: what it gives holds an address that only its own walk knows. With `probe`
    /// integers that are constants are parameters, and it shows whether the walk asks for their values.
    pub(super) fn walk_apart(
        &mut self,
        func: &FuncRef,
        bound: &[usize],
        given: &[Given],
        probe: bool,
        at: Span,
    ) -> Result<Option<Instance>> {
        let asked = match probe {
            true => for_any(given),
            false => given.to_vec(),
        };
        let params = self.b.fresh_like(&args_of(&asked));
        self.b.open(params.clone());
        let mut own = params.iter().copied();
        let mut inside = Vec::with_capacity(given.len());
        for ((_, number), (_, asked)) in given.iter().zip(&asked) {
            inside.push(match asked {
                Some(number) => self.constant_number(*number),
                None => own.next().expect("one for each that is no constant"),
            });
            if let (Some(number), None) = (number, asked) {
                self.b.probe.add(inside[inside.len() - 1], number.value);
            }
        }
        let mut inside = inside.into_iter();
        for slot in bound {
            if let VariableState::Bound(tree, span) = &self.frame.env[*slot] {
                let tree = with_numbers(tree, &mut inside);
                self.frame.env[*slot] = VariableState::Bound(tree, *span);
            }
        }
        let called = self.called(func, at);
        let mut block = self.b.close(Vec::new());
        let Called { result, updates } = called?;
        let updates = updates.into_iter().map(|(_, tree)| tree);
        let trees: Vec<Tree> = std::iter::once(result).chain(updates).collect();
        let mut values = Vec::new();
        trees.iter().for_each(|tree| numbers(tree, &mut values));
        if values.iter().any(|v| self.local_addresses.contains_key(v)) {
            return Ok(None);
        }
        let leaves = values.into_iter().map(|value| {
            if let Some(constant) = self.b.as_const(value) {
                return Leaf::Constant(self.number_of(value, constant));
            }
            if let Some(n) = params.iter().position(|param| *param == value) {
                return Leaf::Param(n);
            }
            let known = block.results.iter().position(|result| *result == value);
            Leaf::Result(known.unwrap_or_else(|| {
                block.results.push(value);
                block.results.len() - 1
            }))
        });
        let leaves: Vec<Leaf> = leaves.collect();
        let types = block.results.iter().map(|v| self.b.ty(*v)).collect();
        let idle = block.results.is_empty() && block.effects().is_pure();
        let callee = (!idle).then(|| {
            let name = func.source.name.clone();
            self.b.callee(Callee {
                name,
                block,
                exact: false,
            })
        });
        Ok(Some(Instance {
            callee,
            trees,
            leaves,
            types,
        }))
    }

    fn constant_number(&mut self, number: Number) -> Value {
        match number.full {
            Some(full) => self.b.untyped(number.ty, full),
            None => self.b.constant(number.ty, number.value),
        }
    }

    /// Whether something that a function gives is a local array that it has made: that is another one for each call.
    pub(super) fn gives_own_array(&self, instance: &Instance, params: usize) -> bool {
        let is_own = |id: ParamId| {
            let ty = self.b.func().param(id).ty;
            id.0 as usize >= params && matches!(ty, ParamType::Local { .. })
        };
        instance.trees.iter().any(|tree| any_array(tree, &is_own))
    }

    /// Calls a function of the IR; what the call gives.
    fn call_instance(&mut self, instance: &Instance, args: Vec<Value>, at: Span) -> Called {
        self.b.span = at;
        let outs: Vec<Value> = instance.types.iter().map(|ty| self.b.fresh(*ty)).collect();
        let mut values = Vec::with_capacity(instance.leaves.len());
        for leaf in &instance.leaves {
            values.push(match leaf {
                Leaf::Constant(number) => self.constant_number(*number),
                Leaf::Param(n) => args[*n],
                Leaf::Result(n) => outs[*n],
            });
        }
        if let Some(callee) = instance.callee {
            let effects = self.b.func().callee(callee).block.effects();
            self.b.push(Kind::Call {
                callee,
                args,
                outs,
                effects,
            });
        }
        let mut values = values.into_iter();
        let mut trees = (instance.trees.iter()).map(|tree| with_numbers(tree, &mut values));
        let result = trees.next().unwrap_or(Tree::None);
        let places = self.frame.refs.iter().map(|(_, place)| *place);
        Called {
            result,
            updates: places.zip(trees).collect(),
        }
    }
}

/// The numbers that a value is made of, those that say where arrays lie included.
fn numbers(tree: &Tree, out: &mut Vec<Value>) {
    match tree {
        Tree::Tuple(items) | Tree::Struct(_, items) => {
            items.iter().for_each(|item| numbers(item, out));
        }
        other => {
            scalars(other, out);
        }
    }
}

/// The same with other numbers, in the order of [`numbers`].
fn with_numbers(tree: &Tree, values: &mut impl Iterator<Item = Value>) -> Tree {
    match tree {
        Tree::Elem(x) => Tree::Elem(Operand {
            elem: x.elem,
            parts: values.by_ref().take(x.parts.len()).collect(),
        }),
        Tree::Array(view) => Tree::Array(view.with_values(values)),
        Tree::Tuple(items) => Tree::Tuple(items.iter().map(|t| with_numbers(t, values)).collect()),
        Tree::Struct(s, fields) => {
            let fields = fields.iter().map(|t| with_numbers(t, values));
            Tree::Struct(*s, fields.collect())
        }
        other => other.clone(),
    }
}

fn any_array(tree: &Tree, wanted: &impl Fn(ParamId) -> bool) -> bool {
    match tree {
        Tree::Array(view) => view
            .candidates
            .iter()
            .any(|candidate| wanted(candidate.array)),
        Tree::Tuple(items) | Tree::Struct(_, items) => {
            items.iter().any(|item| any_array(item, wanted))
        }
        _ => false,
    }
}
