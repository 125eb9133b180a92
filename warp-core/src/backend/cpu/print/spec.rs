//! Conversions of `printf`, as C specifies them.

use super::value::{Value, as_float, as_int, as_text, as_uint};

/// `%[flags][width][.precision][length]conversion`
#[derive(Default)]
pub(super) struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    pub(super) conversion: char,
}

/// Wider fields than this are a mistake, not a wish.
const WIDEST: usize = 4096;

impl Spec {
    /// Reads what follows a `%`: the bytes used, and the conversion if there is a known one.
    pub(super) fn read(
        text: &str,
        values: &mut std::slice::Iter<'_, Value>,
    ) -> (usize, Option<Spec>) {
        let mut spec = Spec::default();
        let bytes = text.as_bytes();
        let mut i = 0;
        while let Some(c) = bytes.get(i) {
            match c {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                b'#' => spec.alternate = true,
                _ => break,
            }
            i += 1;
        }
        let mut number = |i: &mut usize| -> i64 {
            if bytes.get(*i) == Some(&b'*') {
                *i += 1;
                return values.next().map_or(0, as_int);
            }
            let mut n: i64 = 0;
            while let Some(d) = bytes.get(*i).filter(|d| d.is_ascii_digit()) {
                n = (n * 10 + i64::from(d - b'0')).min(WIDEST as i64);
                *i += 1;
            }
            n
        };
        let width = number(&mut i);
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(WIDEST);
        if bytes.get(i) == Some(&b'.') {
            i += 1;
            // A negative precision counts as none.
            spec.precision = usize::try_from(number(&mut i)).ok().map(|p| p.min(WIDEST));
        }
        while bytes.get(i).is_some_and(|c| b"hlLqjzt".contains(c)) {
            i += 1;
        }
        let Some(c) = text[i..].chars().next() else {
            return (i, None);
        };
        spec.conversion = c;
        let known = "diuxXocsfFeEgGp%".contains(c);
        (i + c.len_utf8(), known.then_some(spec))
    }

    pub(super) fn write(&self, value: &Value, out: &mut String) {
        match self.conversion {
            'd' | 'i' => {
                let (negative, digits) = match value {
                    Value::Uint(u) => (false, u.to_string()),
                    other => {
                        let i = as_int(other);
                        (i < 0, i.unsigned_abs().to_string())
                    }
                };
                self.integer(negative, "", digits, out);
            }
            'u' => self.unsigned("", as_uint(value).to_string(), out),
            'x' => self.radix("0x", format!("{:x}", as_uint(value)), value, out),
            'X' => self.radix("0X", format!("{:X}", as_uint(value)), value, out),
            'o' => self.radix("0", format!("{:o}", as_uint(value)), value, out),
            'p' => self.pad("", &format!("0x{:x}", as_uint(value)), false, out),
            'c' => {
                let c = u32::try_from(as_uint(value)).ok().and_then(char::from_u32);
                self.pad("", &c.unwrap_or('\u{fffd}').to_string(), false, out);
            }
            's' => {
                let text = as_text(value);
                let cut: String = match self.precision {
                    Some(p) => text.chars().take(p).collect(),
                    None => text,
                };
                self.pad("", &cut, false, out);
            }
            _ => self.float(as_float(value), out),
        }
    }

    fn radix(&self, prefix: &str, digits: String, value: &Value, out: &mut String) {
        let prefix = if self.alternate && as_uint(value) != 0 {
            prefix
        } else {
            ""
        };
        self.unsigned(prefix, digits, out);
    }

    fn unsigned(&self, prefix: &str, digits: String, out: &mut String) {
        let spec = Spec {
            plus: false,
            space: false,
            conversion: 'u',
            ..*self
        };
        spec.integer(false, prefix, digits, out);
    }

    fn integer(&self, negative: bool, prefix: &str, digits: String, out: &mut String) {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(p) => format!("{digits:0>p$}"),
            None => digits,
        };
        let sign = self.sign(negative).to_string() + prefix;
        self.pad(&sign, &digits, self.precision.is_none(), out);
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn float(&self, x: f64, out: &mut String) {
        let sign = self.sign(x.is_sign_negative() && !x.is_nan());
        let upper = self.conversion.is_ascii_uppercase();
        let x = x.abs();
        let mut body = if x.is_nan() {
            "nan".to_string()
        } else if x.is_infinite() {
            "inf".to_string()
        } else {
            let precision = self.precision.unwrap_or(6);
            match self.conversion.to_ascii_lowercase() {
                'f' => self.point(format!("{x:.precision$}")),
                'e' => self.exponent(x, precision),
                _ => self.general(x, precision.max(1)),
            }
        };
        if upper {
            body.make_ascii_uppercase();
        }
        self.pad(sign, &body, x.is_finite(), out);
    }

    /// With `#` there is always a point.
    fn point(&self, digits: String) -> String {
        if self.alternate && !digits.contains('.') {
            digits + "."
        } else {
            digits
        }
    }

    /// `d.ddde+dd`
    fn exponent(&self, x: f64, precision: usize) -> String {
        let text = format!("{x:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        format!(
            "{}e{sign}{:02}",
            self.point(digits.to_string()),
            exponent.abs()
        )
    }

    /// `%g`: the shorter form, without trailing zeros unless `#`.
    fn general(&self, x: f64, precision: usize) -> String {
        let scientific = self.exponent(x, precision - 1);
        let exponent: i32 = scientific
            .split_once('e')
            .and_then(|(_, e)| e.parse().ok())
            .unwrap_or(0);
        let in_range = exponent >= -4 && i64::from(exponent) < precision as i64;
        let text = if in_range {
            let decimals = (precision as i64 - 1 - i64::from(exponent)).max(0) as usize;
            self.point(format!("{x:.decimals$}"))
        } else {
            scientific
        };
        if self.alternate {
            return text;
        }
        let (digits, tail) = match text.find('e') {
            Some(e) => text.split_at(e),
            None => (text.as_str(), ""),
        };
        if digits.contains('.') {
            digits
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_string()
                + tail
        } else {
            text
        }
    }

    /// Pads to the width; zeros go between sign and digits where `zeros` are allowed.
    fn pad(&self, sign: &str, body: &str, zeros: bool, out: &mut String) {
        let fill = self
            .width
            .saturating_sub(sign.chars().count() + body.chars().count());
        let zero = self.zero && zeros && !self.left;
        let blank = |n: usize, c: char| std::iter::repeat_n(c, n);
        if !self.left && !zero {
            out.extend(blank(fill, ' '));
        }
        out.push_str(sign);
        if zero {
            out.extend(blank(fill, '0'));
        }
        out.push_str(body);
        if self.left {
            out.extend(blank(fill, ' '));
        }
    }
}
