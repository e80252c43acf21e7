//! What the modules of a Verilog text declare: ports, in either style, and parameters.

use super::tokens::{Kind, Token, Unreadable, tokens};

/// `[high:low]`.
#[derive(Clone, Debug)]
pub struct Range<'a> {
    pub high: Vec<Token<'a>>,
    pub low: Vec<Token<'a>>,
    /// The bracket behind.
    pub end: Token<'a>,
}

#[derive(Clone, Debug)]
pub struct TextPort<'a> {
    pub name: Token<'a>,
    /// `input`, `output` or `inout`.
    pub direction: &'a str,
    pub range: Option<Range<'a>>,
    /// Bits without a range: 1, but 32 for an `integer`.
    pub width: u32,
}

#[derive(Clone, Debug)]
pub struct TextParameter<'a> {
    pub name: Token<'a>,
    /// A `localparam`, which nobody can set.
    pub local: bool,
    pub signed: bool,
    /// An `integer`.
    pub integer: bool,
    pub range: Option<Range<'a>>,
    pub value: Vec<Token<'a>>,
    /// The token behind the value.
    pub end: Token<'a>,
}

#[derive(Clone, Debug)]
pub struct TextModule<'a> {
    pub name: Token<'a>,
    pub ports: Vec<TextPort<'a>>,
    pub parameters: Vec<TextParameter<'a>>,
    /// What could not be read of it.
    pub problem: Option<Unreadable>,
}

/// The modules of a text, in its order.
pub fn modules(text: &str) -> Result<Vec<TextModule<'_>>, Unreadable> {
    let tokens = tokens(text)?;
    let mut r = Reader { tokens: &tokens, at: 0 };
    let mut found = vec![];
    loop {
        let keyword = r.take();
        let (end, readable) = match keyword.text {
            _ if keyword.kind == Kind::End => return Ok(found),
            "module" | "macromodule" => ("endmodule", true),
            "primitive" => ("endprimitive", false),
            _ => return Err(keyword.unreadable(format!("a module is expected, not {}", keyword.shown()))),
        };
        let name = r.name("a module")?;
        let mut module = TextModule { name, ports: vec![], parameters: vec![], problem: None };
        if readable {
            module.problem = r.module(&mut module).err();
        }
        r.skip_past(end)?;
        found.push(module);
    }
}

const DIRECTIONS: [&str; 3] = ["input", "output", "inout"];
/// What may stand between the direction of a port and its range.
const NET_TYPES: [&str; 12] =
    ["wire", "tri", "tri0", "tri1", "wand", "wor", "triand", "trior", "supply0", "supply1", "uwire", "reg"];

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a> Reader<'_, 'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }
    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }
    fn take_if(&mut self, text: &str) -> bool {
        let found = self.peek().is(text);
        self.at += usize::from(found);
        found
    }
    fn expect(&mut self, symbol: &str) -> Result<Token<'a>, Unreadable> {
        let token = self.take();
        if token.is(symbol) {
            return Ok(token);
        }
        Err(token.unreadable(format!("`{symbol}` is expected, not {}", token.shown())))
    }
    fn name(&mut self, of: &str) -> Result<Token<'a>, Unreadable> {
        let token = self.take();
        match token.kind {
            Kind::Word if crate::ir::names::legal(&token.text.replace('$', "_")) => Ok(token),
            _ => Err(token.unreadable(format!("the name of {of} is expected, not {}", token.shown()))),
        }
    }
    fn skip_past(&mut self, end: &str) -> Result<(), Unreadable> {
        loop {
            let token = self.take();
            match token.kind {
                Kind::End => return Err(token.unreadable(format!("`{end}` is missing"))),
                _ if token.is(end) => return Ok(()),
                _ if token.is("module") => return Err(token.unreadable("`module` stands in a module")),
                _ => {}
            }
        }
    }
    /// Tokens up to one of these outside of brackets, which is not taken.
    fn until(&mut self, ends: &[&str]) -> Result<Vec<Token<'a>>, Unreadable> {
        let (start, mut depth, mut choices) = (self.at, 0, 0);
        loop {
            let token = self.peek();
            if token.kind == Kind::End || token.is("endmodule") {
                return Err(token.unreadable(format!("`{}` is missing", ends[0])));
            }
            if depth == 0 && (choices == 0 || !token.is(":")) && ends.iter().any(|e| token.is(e)) {
                return Ok(self.tokens[start..self.at].to_vec());
            }
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "?" if depth == 0 => choices += 1,
                ":" if depth == 0 => choices -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
    fn range(&mut self) -> Result<Option<Range<'a>>, Unreadable> {
        if !self.take_if("[") {
            return Ok(None);
        }
        let high = self.until(&[":", "]"])?;
        self.expect(":")?;
        let low = self.until(&["]"])?;
        Ok(Some(Range { high, low, end: self.take() }))
    }
    /// From behind the name to the last declaration; `endmodule` may be taken or not.
    fn module(&mut self, module: &mut TextModule<'a>) -> Result<(), Unreadable> {
        if self.take_if("#") {
            self.expect("(")?;
            self.take_if("parameter");
            while !self.take_if(")") {
                let local = self.take_if("localparam");
                self.parameters(local, ")", module)?;
            }
        }
        let mut listed = vec![];
        if self.take_if("(") && !self.take_if(")") {
            if DIRECTIONS.contains(&self.peek().text) {
                self.ansi_ports(module)?;
            } else {
                listed = self.port_names()?;
            }
        }
        self.expect(";")?;
        let ansi = module.ports.len();
        self.body(module)?;
        if let Some(late) = module.ports.get(ansi).filter(|_| ansi > 0) {
            return Err(late
                .name
                .unreadable(format!("`{}` is declared behind a complete list of ports", late.name.text)));
        }
        if ansi == 0 { in_list_order(&listed, &mut module.ports) } else { unique(&module.ports) }
    }
    /// `input [7:0] a, b, output c)`.
    fn ansi_ports(&mut self, module: &mut TextModule<'a>) -> Result<(), Unreadable> {
        loop {
            let mut port = self.port_type()?;
            loop {
                port.name = self.port_name()?;
                module.ports.push(port.clone());
                if self.take_if(")") {
                    return Ok(());
                }
                self.expect(",")?;
                if DIRECTIONS.contains(&self.peek().text) {
                    break;
                }
            }
        }
    }
    /// `a, b, c)`.
    fn port_names(&mut self) -> Result<Vec<Token<'a>>, Unreadable> {
        let mut names = vec![self.name("a port")?];
        while !self.take_if(")") {
            self.expect(",")?;
            names.push(self.name("a port")?);
        }
        Ok(names)
    }
    /// Direction, type and range of a port.
    fn port_type(&mut self) -> Result<TextPort<'a>, Unreadable> {
        let direction = self.take();
        let mut width = 1;
        if NET_TYPES.contains(&self.peek().text) {
            self.take();
        } else if self.take_if("integer") {
            width = 32;
        }
        self.take_if("signed");
        Ok(TextPort { name: direction, direction: direction.text, range: self.range()?, width })
    }
    /// A name, and an initial value that does not matter here.
    fn port_name(&mut self) -> Result<Token<'a>, Unreadable> {
        let name = self.name("a port")?;
        if self.peek().is("[") {
            return Err(self.peek().unreadable(format!("port `{}` is an array", name.text)));
        }
        if self.take_if("=") {
            self.until(&[",", ")", ";"])?;
        }
        Ok(name)
    }
    /// From the type of parameters to `end` (which is not taken) or to the next keyword.
    fn parameters(&mut self, local: bool, end: &str, module: &mut TextModule<'a>) -> Result<(), Unreadable> {
        let mut signed = self.take_if("signed");
        let integer = self.take_if("integer");
        let _ = ["real", "realtime", "time"].iter().any(|kind| self.take_if(kind));
        signed |= integer;
        let range = self.range()?;
        loop {
            let name = self.name("a parameter")?;
            self.expect("=")?;
            let value = self.until(&[",", end])?;
            if let Some(twice) = module.parameters.iter().find(|p| p.name.text == name.text) {
                return Err(name.unreadable(format!("parameter `{}` is declared twice", twice.name.text)));
            }
            let (range, end_token) = (range.clone(), self.peek());
            module.parameters.push(TextParameter { name, local, signed, integer, range, value, end: end_token });
            if !self.take_if(",") || self.take_if("parameter") || self.peek().is("localparam") {
                return Ok(());
            }
        }
    }
    /// Declarations of ports and parameters in the body, outside of blocks, functions and `generate`.
    fn body(&mut self, module: &mut TextModule<'a>) -> Result<(), Unreadable> {
        let mut depth = 0;
        let mut statement_begins = true;
        loop {
            let token = self.peek();
            if token.kind == Kind::End || token.is("endmodule") {
                return Ok(());
            }
            if token.is("module") {
                return Err(token.unreadable("`module` stands in a module"));
            }
            self.at += 1;
            let declares = depth == 0 && statement_begins && token.kind == Kind::Word;
            match token.text {
                "function" => self.skip_past("endfunction")?,
                "task" => self.skip_past("endtask")?,
                "specify" => self.skip_past("endspecify")?,
                "begin" | "fork" | "generate" => depth += 1,
                "end" | "join" | "endgenerate" => depth -= 1,
                "parameter" | "localparam" if declares => {
                    self.parameters(token.text == "localparam", ";", module)?;
                    self.expect(";")?;
                }
                direction if declares && DIRECTIONS.contains(&direction) => {
                    self.at -= 1;
                    self.port_declaration(module)?;
                }
                _ => {}
            }
            let ends = [";", "end", "endgenerate", "endfunction", "endtask", "endspecify"];
            statement_begins = ends.iter().any(|end| self.tokens[self.at - 1].is(end));
        }
    }
    /// `output reg [7:0] a, b;`.
    fn port_declaration(&mut self, module: &mut TextModule<'a>) -> Result<(), Unreadable> {
        let port = self.port_type()?;
        loop {
            module.ports.push(TextPort { name: self.port_name()?, ..port.clone() });
            if self.take_if(";") {
                return Ok(());
            }
            self.expect(",")?;
        }
    }
}

fn unique(ports: &[TextPort]) -> Result<(), Unreadable> {
    for (i, port) in ports.iter().enumerate() {
        if ports[..i].iter().any(|p| p.name.text == port.name.text) {
            return Err(port.name.unreadable(format!("port `{}` is declared twice", port.name.text)));
        }
    }
    Ok(())
}

/// Puts ports that are declared in the body into the order of the list.
fn in_list_order<'a>(listed: &[Token<'a>], ports: &mut Vec<TextPort<'a>>) -> Result<(), Unreadable> {
    unique(ports)?;
    let position = |port: &TextPort| listed.iter().position(|name| name.text == port.name.text);
    if let Some(port) = ports.iter().find(|p| position(p).is_none()) {
        return Err(port.name.unreadable(format!("`{}` is not in the list of ports", port.name.text)));
    }
    if let Some(name) = listed.iter().find(|name| ports.iter().all(|p| p.name.text != name.text)) {
        return Err(name.unreadable(format!("port `{}` has no direction", name.text)));
    }
    ports.sort_by_key(|p| position(p));
    Ok(())
}

#[cfg(test)]
mod tests;
