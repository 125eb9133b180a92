//! What the syntax alone says about statements: how control leaves them, what they assign.

use ruff_python_ast::{ElifElseClause, Expr, Number, Stmt};

/// Ways in which control may leave statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::front) struct Exits {
    /// Past the end.
    pub falls: bool,
    /// `break` of the enclosing loop.
    pub breaks: bool,
    /// `continue` of the enclosing loop.
    pub continues: bool,
    /// `return`.
    pub returns: bool,
}

impl Exits {
    const FALLS: Exits = Exits {
        falls: true,
        breaks: false,
        continues: false,
        returns: false,
    };

    /// Whether control may leave other than past the end.
    pub fn jumps(self) -> bool {
        self.breaks || self.continues || self.returns
    }

    pub fn or(self, other: Exits) -> Exits {
        Exits {
            falls: self.falls || other.falls,
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            returns: self.returns || other.returns,
        }
    }
}

/// How control may leave a list of statements.
pub(in crate::front) fn exits(stmts: &[Stmt]) -> Exits {
    let mut all = Exits::FALLS;
    for stmt in stmts {
        let one = stmt_exits(stmt);
        all = Exits {
            falls: one.falls,
            ..all.or(one)
        };
        if !one.falls {
            break;
        }
    }
    all
}

/// How control may leave a statement.
pub(in crate::front) fn stmt_exits(stmt: &Stmt) -> Exits {
    match stmt {
        Stmt::Break(_) => Exits {
            breaks: true,
            ..Exits::default()
        },
        Stmt::Continue(_) => Exits {
            continues: true,
            ..Exits::default()
        },
        Stmt::Return(_) => Exits {
            returns: true,
            ..Exits::default()
        },
        Stmt::If(it) => exits(&it.body).or(else_exits(&it.elif_else_clauses)),
        Stmt::For(it) => {
            let body = exits(&it.body);
            let jumps = Exits {
                falls: body.breaks,
                returns: body.returns,
                ..Exits::default()
            };
            jumps.or(exits(&it.orelse))
        }
        Stmt::While(it) => {
            let body = exits(&it.body);
            let jumps = Exits {
                falls: body.breaks,
                returns: body.returns,
                ..Exits::default()
            };
            match always(&it.test) {
                true => jumps,
                false => jumps.or(exits(&it.orelse)),
            }
        }
        _ => Exits::FALLS,
    }
}

/// How control may leave what stands behind `if`: the first clause and those after it.
pub(in crate::front) fn else_exits(clauses: &[ElifElseClause]) -> Exits {
    let bodies = clauses
        .iter()
        .map(|c| exits(&c.body))
        .fold(Exits::default(), Exits::or);
    let has_else = clauses.last().is_some_and(|c| c.test.is_none());
    if has_else {
        bodies
    } else {
        bodies.or(Exits::FALLS)
    }
}

/// What stands behind the `else` of a loop.
pub(in crate::front) fn loop_else(stmt: &Stmt) -> Option<&[Stmt]> {
    let orelse = match stmt {
        Stmt::For(it) => &it.orelse,
        Stmt::While(it) => &it.orelse,
        _ => return None,
    };
    Some(&orelse[..]).filter(|list| !list.is_empty())
}

/// `while True`, `while 1`.
pub(in crate::front) fn always(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(it) => it.value,
        Expr::NumberLiteral(it) => matches!(&it.value, Number::Int(i) if *i != 0u8),
        _ => false,
    }
}

/// Whether a flag must tell, behind some `if` of this loop level, that a jump of the asked kind was
/// taken: both branches may reach the rest, and one may have jumped instead. `more`: statements follow.
pub(in crate::front) fn needs_flag(stmts: &[Stmt], more: bool, kind: fn(Exits) -> bool) -> bool {
    stmts.iter().enumerate().any(|(at, stmt)| {
        let Stmt::If(it) = stmt else {
            // Behind a loop that has an `else`, a flag always tells.
            return loop_else(stmt).is_some_and(|orelse| kind(exits(orelse)));
        };
        let more = more || at + 1 < stmts.len();
        branch_needs(&it.body, &it.elif_else_clauses, more, kind)
    })
}

fn branch_needs(
    then: &[Stmt],
    els: &[ElifElseClause],
    more: bool,
    kind: fn(Exits) -> bool,
) -> bool {
    // Each `elif` is an `if` inside the `else` of the one before: `behind` is what stands in that.
    let mut branches: Vec<&[Stmt]> = vec![then];
    branches.extend(els.iter().map(|c| &*c.body));
    if els.last().is_none_or(|c| c.test.is_some()) {
        branches.push(&[]);
    }
    let own: Vec<Exits> = branches.iter().map(|b| exits(b)).collect();
    let mut behind = own.clone();
    for at in (0..own.len() - 1).rev() {
        behind[at] = own[at].or(behind[at + 1]);
    }
    let mut more = more;
    for at in 0..own.len() - 1 {
        let (a, b) = (own[at], behind[at + 1]);
        if !kind(a.or(b)) {
            return false;
        }
        let both = a.falls && b.falls;
        if both && more {
            return true;
        }
        let within = more && !both;
        if needs_flag(branches[at], within && a.falls, kind) {
            return true;
        }
        more = within && b.falls;
    }
    needs_flag(branches[own.len() - 1], more, kind)
}

/// Whether a `return` stands inside a loop.
pub(in crate::front) fn returns_in_loop(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::For(it) => exits(&it.body).returns || returns_in_loop(&it.orelse),
        Stmt::While(it) => exits(&it.body).returns || returns_in_loop(&it.orelse),
        Stmt::If(it) => {
            returns_in_loop(&it.body)
                || it
                    .elif_else_clauses
                    .iter()
                    .any(|c| returns_in_loop(&c.body))
        }
        _ => false,
    })
}

/// How a statement changes a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::front) enum Change {
    /// The name gets another value.
    Rebinds,
    /// A component is assigned: another value if the variable is a vector, matrix or struct, the same
    /// array if it is one.
    Component,
}

/// Calls `f` with each name that statements assign, nested ones included, and the whole target.
pub(in crate::front) fn assigned<'a>(
    stmts: &'a [Stmt],
    f: &mut impl FnMut(&'a str, Change, &'a Expr),
) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign(it) => it.targets.iter().for_each(|t| target(t, f)),
            Stmt::AugAssign(it) => target(&it.target, f),
            Stmt::AnnAssign(it) => target(&it.target, f),
            Stmt::For(it) => {
                target(&it.target, f);
                assigned(&it.body, f);
                assigned(&it.orelse, f);
            }
            Stmt::While(it) => {
                assigned(&it.body, f);
                assigned(&it.orelse, f);
            }
            Stmt::If(it) => {
                assigned(&it.body, f);
                it.elif_else_clauses
                    .iter()
                    .for_each(|c| assigned(&c.body, f));
            }
            _ => {}
        }
    }
}

fn target<'a>(expr: &'a Expr, f: &mut impl FnMut(&'a str, Change, &'a Expr)) {
    match expr {
        Expr::Name(it) => f(it.id.as_str(), Change::Rebinds, expr),
        Expr::Tuple(it) => it.elts.iter().for_each(|e| target(e, f)),
        Expr::List(it) => it.elts.iter().for_each(|e| target(e, f)),
        Expr::Starred(it) => target(&it.value, f),
        Expr::Subscript(_) | Expr::Attribute(_) => {
            let mut base = expr;
            loop {
                match base {
                    Expr::Subscript(it) => base = &it.value,
                    Expr::Attribute(it) => base = &it.value,
                    Expr::Name(it) => return f(it.id.as_str(), Change::Component, expr),
                    _ => return,
                }
            }
        }
        _ => {}
    }
}
