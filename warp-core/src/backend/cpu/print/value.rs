//! Values that are printed, and what they are as numbers and texts.

/// One value of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `b`
    Bool(bool),
    /// `i`
    Int(i64),
    /// `u` and `p`
    Uint(u64),
    /// `f`
    Float(f64),
    /// `s`
    Text(String),
}

pub(super) fn as_int(v: &Value) -> i64 {
    match v {
        Value::Bool(b) => i64::from(*b),
        Value::Int(i) => *i,
        Value::Uint(u) => *u as i64,
        Value::Float(f) => *f as i64,
        Value::Text(_) => 0,
    }
}

pub(super) fn as_uint(v: &Value) -> u64 {
    as_int(v) as u64
}

pub(super) fn as_float(v: &Value) -> f64 {
    match v {
        Value::Float(f) => *f,
        Value::Uint(u) => *u as f64,
        other => as_int(other) as f64,
    }
}

pub(super) fn as_text(v: &Value) -> String {
    match v {
        Value::Bool(b) => if *b { "True" } else { "False" }.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Uint(u) => u.to_string(),
        Value::Float(f) => f.to_string(),
        Value::Text(t) => t.clone(),
    }
}
