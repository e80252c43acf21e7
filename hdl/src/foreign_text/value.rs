//! Constant expressions in Verilog, as they stand in ranges and parameters.
//!
//! Verilog computes with the width of the widest operand and wraps. Here, what would wrap, and what mixes signed and
//! unsigned numbers so that the sign is lost, is not evaluated: a range in which that matters is a mistake or worth
//! asking about.

use super::tokens::{Kind, Token, Unreadable};

/// A constant with the width and sign that Verilog gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub v: i128,
    pub width: u32,
    pub signed: bool,
    /// It is negative, or computed from what is: in an unsigned expression, that would be another number.
    pub negative: bool,
}

impl Value {
    /// A number as it is written without base: 32 bits, signed.
    pub fn integer(v: i128) -> Value {
        Value { v, width: 32, signed: true, negative: v < 0 }
    }
    fn truth(v: bool) -> Value {
        Value { v: v.into(), width: 1, signed: false, negative: false }
    }
    /// Width and sign of two in one expression: unsigned, if one is, which is not evaluated for negative ones.
    fn beside(self, other: Value, operator: Token) -> Result<Value, Unreadable> {
        let negative = self.negative || other.negative;
        if self.signed != other.signed && negative {
            return Err(operator.unreadable(format!("`{}` mixes a negative with an unsigned number", operator.text)));
        }
        Ok(Value { width: self.width.max(other.width), signed: self.signed && other.signed, negative, ..self })
    }
    /// Is the number one of its width?
    pub fn fits(&self) -> bool {
        let bits = self.width.min(120);
        match self.signed {
            true => (-(1i128 << (bits - 1))..1 << (bits - 1)).contains(&self.v),
            false => (0..1 << bits).contains(&self.v),
        }
    }
}

/// What a name stands for, or why that is not known.
pub type Lookup<'a> = dyn FnMut(&Token) -> Result<Value, Unreadable> + 'a;

struct Expression<'t, 'a, 'l> {
    tokens: &'t [Token<'a>],
    at: usize,
    end: Token<'a>,
    lookup: &'l mut Lookup<'l>,
}

/// Evaluates an expression, which is all of `tokens`. `end` is the token behind it.
pub fn evaluate<'a>(tokens: &[Token<'a>], end: Token<'a>, lookup: &mut Lookup) -> Result<Value, Unreadable> {
    // the closure only shortens the lifetime
    let mut lookup = |name: &Token| lookup(name);
    let mut e = Expression { tokens, at: 0, end, lookup: &mut lookup };
    let value = e.ternary()?;
    match e.peek() {
        rest if e.at < tokens.len() => Err(rest.unreadable(format!("{} is not expected in a constant", rest.shown()))),
        _ => Ok(value),
    }
}

/// Binary operators by how tightly they bind.
const LEVELS: [&[&str]; 11] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^", "~^", "^~"],
    &["&"],
    &["==", "!=", "===", "!=="],
    &["<", "<=", ">", ">="],
    &["<<", ">>", "<<<", ">>>"],
    &["+", "-"],
    &["*", "/", "%"],
    &["**"],
];

impl<'a> Expression<'_, 'a, '_> {
    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).copied().unwrap_or(self.end)
    }
    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }
    fn expect(&mut self, symbol: &str) -> Result<(), Unreadable> {
        let token = self.take();
        if self.at <= self.tokens.len() && token.is(symbol) {
            return Ok(());
        }
        Err(token.unreadable(format!("`{symbol}` is expected, not {}", token.shown())))
    }
    fn ternary(&mut self) -> Result<Value, Unreadable> {
        let condition = self.binary(0)?;
        if self.at >= self.tokens.len() || !self.peek().is("?") {
            return Ok(condition);
        }
        let operator = self.take();
        let yes = self.ternary()?;
        self.expect(":")?;
        let no = self.ternary()?;
        let together = yes.beside(no, operator)?;
        Ok(Value { v: if condition.v != 0 { yes.v } else { no.v }, ..together })
    }
    fn binary(&mut self, level: usize) -> Result<Value, Unreadable> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while self.at < self.tokens.len() && operators.iter().any(|o| self.peek().is(o)) {
            let operator = self.take();
            let right = self.binary(level + 1)?;
            left = combine(operator, left, right)?;
        }
        Ok(left)
    }
    fn unary(&mut self) -> Result<Value, Unreadable> {
        let token = self.take();
        if self.at > self.tokens.len() {
            return Err(token.unreadable("a value is missing"));
        }
        match (token.kind, token.text) {
            (Kind::Symbol, "+") => self.unary(),
            (Kind::Symbol, "-") => {
                let x = self.unary()?;
                fitting(token, Value { v: -x.v, negative: x.negative || x.v > 0, ..x })
            }
            (Kind::Symbol, "!") => self.unary().map(|x| Value::truth(x.v == 0)),
            (Kind::Symbol, "(") => {
                let value = self.ternary()?;
                self.expect(")")?;
                Ok(value)
            }
            (Kind::System, "$clog2") => {
                self.expect("(")?;
                let value = self.ternary()?;
                self.expect(")")?;
                if value.v < 0 {
                    return Err(token.unreadable(format!("`$clog2` of {} is not evaluated", value.v)));
                }
                let bits = if value.v > 1 { 128 - (value.v - 1).leading_zeros() } else { 0 };
                Ok(Value::integer(bits.into()))
            }
            (Kind::Number, _) => number(token),
            (Kind::Word, _) if self.at < self.tokens.len() && self.peek().is("(") => {
                Err(token.unreadable(format!("the function `{}` is not evaluated", token.text)))
            }
            (Kind::Word, _) => (self.lookup)(&token),
            _ => Err(token.unreadable(format!("{} is not evaluated in a constant", token.shown()))),
        }
    }
}

fn fitting(operator: Token, value: Value) -> Result<Value, Unreadable> {
    let Value { v, width, signed, .. } = value;
    let kind = if signed { "signed" } else { "unsigned" };
    let why = || format!("the result of `{}`, {v}, is not one of {width} {kind} bits", operator.text);
    if value.fits() { Ok(value) } else { Err(operator.unreadable(why())) }
}

fn combine(operator: Token, a: Value, b: Value) -> Result<Value, Unreadable> {
    let text = operator.text;
    if let "&&" | "||" = text {
        let (x, y) = (a.v != 0, b.v != 0);
        return Ok(Value::truth(if text == "&&" { x && y } else { x || y }));
    }
    let (x, y) = (a.v, b.v);
    let amount = |limit: i128| u32::try_from(y.clamp(-1, limit)).ok();
    let shift = matches!(text, "<<" | "<<<" | ">>" | ">>>" | "**");
    let together = if shift { a } else { a.beside(b, operator)? };
    let compared = match text {
        "==" | "===" => Some(x == y),
        "!=" | "!==" => Some(x != y),
        "<" => Some(x < y),
        "<=" => Some(x <= y),
        ">" => Some(x > y),
        ">=" => Some(x >= y),
        _ => None,
    };
    if let Some(truth) = compared {
        return Ok(Value::truth(truth));
    }
    let result = match text {
        "+" => x.checked_add(y),
        "-" => x.checked_sub(y),
        "*" => x.checked_mul(y),
        "/" => x.checked_div(y),
        "%" => x.checked_rem(y),
        "&" => Some(x & y),
        "|" => Some(x | y),
        "^" => Some(x ^ y),
        "**" => amount(128).and_then(|n| x.checked_pow(n)),
        "<<" | "<<<" => amount(128).and_then(|n| x.checked_mul(1i128.checked_shl(n)?)),
        ">>" if x < 0 => None,
        ">>" | ">>>" => amount(127).map(|n| x >> n),
        _ => None,
    };
    let Some(v) = result else { return Err(operator.unreadable(format!("`{x} {text} {y}` is not evaluated"))) };
    fitting(operator, Value { v, negative: together.negative || v < 0, ..together })
}

fn number(token: Token) -> Result<Value, Unreadable> {
    let text: String = token.text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let wrong = || token.unreadable(format!("`{}` is not evaluated in a constant", token.text));
    let Some((size, based)) = text.split_once('\'') else {
        let v = text.parse().map_err(|_| wrong())?;
        return fitting(token, Value::integer(v));
    };
    let width = if size.is_empty() { 32 } else { size.parse().map_err(|_| wrong())? };
    let (signed, based) = match based.strip_prefix(['s', 'S']) {
        Some(rest) => (true, rest),
        None => (false, based),
    };
    let radix = match based.chars().next().map(|c| c.to_ascii_lowercase()) {
        Some('b') => 2,
        Some('o') => 8,
        Some('d') => 10,
        Some('h') => 16,
        _ => return Err(wrong()),
    };
    let v = i128::from_str_radix(&based[1..], radix).map_err(|_| wrong())?;
    if width == 0 {
        return Err(wrong());
    }
    fitting(token, Value { v, width, signed, negative: false })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn value(text: &str) -> Result<Value, String> {
        let all = tokens(text).unwrap();
        let (end, body) = all.split_last().unwrap();
        let mut lookup = |name: &Token| match name.text {
            "W" => Ok(Value::integer(16)),
            _ => Err(name.unreadable(format!("no `{}`", name.text))),
        };
        evaluate(body, *end, &mut lookup).map_err(|e| e.why)
    }

    #[test]
    fn expressions() {
        for (text, wanted) in [
            ("W-1", 15),
            ("2*W/3 - -1", 11),
            ("(W + 1) << 2", 68),
            ("2**3**1 % 5", 3),
            ("$clog2(W) + $clog2(W+1) + $clog2(1)", 9),
            ("W > 8 ? W == 16 ? 3 : 4 : 5", 3),
            ("!(W < 4 || W != 16) && 1", 1),
            ("8'hf_f & 'b1010 | 1", 11),
            ("W >> 1 >>> 1", 4),
            ("5 - 2 - 1", 2),
        ] {
            assert_eq!(value(text).map(|x| x.v), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_not_evaluated() {
        for (text, why) in [
            ("4'd15 + 4'd1", "the result of `+`, 16, is not one of 4 unsigned bits"),
            ("4'd1 - 4'd2", "the result of `-`, -1, is not one of 4 unsigned bits"),
            ("2147483647 + 1", "the result of `+`, 2147483648, is not one of 32 signed bits"),
            ("-1 < 4'd2", "`<` mixes a negative with an unsigned number"),
            ("(0 - 2) + 4 < 4'd8 ? 7 : 3", "`<` mixes a negative with an unsigned number"),
            ("(1 - -1) - (3'b1 > 'd0)", "`-` mixes a negative with an unsigned number"),
            ("1 ? -1 : 4'd2", "`?` mixes a negative with an unsigned number"),
            ("$clog2(0 - 1)", "`$clog2` of -1 is not evaluated"),
            ("W / 0", "`16 / 0` is not evaluated"),
            ("1 << -1", "`1 << -1` is not evaluated"),
            ("V", "no `V`"),
            ("f(W)", "the function `f` is not evaluated"),
            ("4'b1x", "`4'b1x` is not evaluated in a constant"),
            ("1.5", "`1.5` is not evaluated in a constant"),
            ("{W, W}", "`{` is not evaluated in a constant"),
            ("W W", "`W` is not expected in a constant"),
            ("W -", "a value is missing"),
            ("(W", "`)` is expected, not the end of the text"),
            ("~W", "`~` is not evaluated in a constant"),
        ] {
            assert_eq!(value(text).unwrap_err(), why, "{text}");
        }
    }
}
