//! The operators, and how Verilog writes them.

/// Operators with one operand. The reductions give one bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Every bit inverted.
    Not,
    /// OR of all bits.
    Any,
    /// AND of all bits.
    All,
    /// XOR of all bits.
    Parity,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// `Add` to `Xor`: both operands and the result have one width; add and subtract wrap.
    Add,
    /// Difference.
    Sub,
    /// AND of each bit.
    And,
    /// OR of each bit.
    Or,
    /// XOR of each bit.
    Xor,
    /// Products: the result is as wide as both operands together.
    Mul,
    /// Of two's complement numbers.
    MulSigned,
    /// Comparisons: operands of one width, the result is one bit.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Less, of two's complement numbers.
    LtSigned,
    /// Less or equal, of two's complement numbers.
    LeSigned,
    /// Greater, of two's complement numbers.
    GtSigned,
    /// Greater or equal, of two's complement numbers.
    GeSigned,
    /// Shifts: the result is as wide as the left operand; the amount is unsigned, of any width and value.
    Shl,
    /// Shift right that brings in zeros.
    Shr,
    /// Shift right that copies the sign bit.
    Sra,
}

impl UnOp {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            UnOp::Not => "~",
            UnOp::Any => "|",
            UnOp::All => "&",
            UnOp::Parity => "^",
        }
    }
}

impl BinOp {
    /// Is this one of the comparisons?
    pub(crate) fn compares(self) -> bool {
        use BinOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | LtSigned | LeSigned | GtSigned | GeSigned)
    }
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Mul | BinOp::MulSigned => "*",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt | BinOp::LtSigned => "<",
            BinOp::Le | BinOp::LeSigned => "<=",
            BinOp::Gt | BinOp::GtSigned => ">",
            BinOp::Ge | BinOp::GeSigned => ">=",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Sra => ">>>",
        }
    }
}
