//! Names: which are legal, and those that the Verilog has beside the user's.

const KEYWORDS: &str = " always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign \
default defparam design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify \
endtable endtask event for force forever fork function generate genvar highz0 highz1 if ifnone incdir include initial inout \
input instance integer interface join large liblist library localparam macromodule medium module nand negedge nmos nor \
noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup \
pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1 scalared \
showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 \
tri1 triand trior trireg unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor xor logic bit byte int do \
new this super class package import export assert assume cover property sequence final var type struct union enum unique \
priority return break continue inside with within checker global program ref static string virtual void accept_on alias \
always_comb always_ff always_latch before bind bins binsof chandle clocking const constraint context coverpoint covergroup \
cross dist endchecker endclass endclocking endgroup endinterface endpackage endprogram endproperty endsequence eventually \
expect extends extern final first_match foreach forkjoin iff ignore_bins illegal_bins implements implies interconnect \
intersect join_any join_none let local longint matches modport nettype nexttime null packed protected pure rand randc \
randcase randsequence reject_on restrict s_always s_eventually s_nexttime s_until s_until_with shortint shortreal soft solve \
strong sync_accept_on sync_reject_on tagged throughout timeprecision timeunit typedef unique0 until until_with untyped \
uwire wait_order weak wildcard ";

/// Words of C++ that are none of Verilog: Verilator warns of signals that are called so.
const CPP_WORDS: &str = " alignas alignof and_eq asm auto bitand bitor bool catch char char16_t char32_t char8_t co_await co_return \
co_yield compl concept const_cast consteval constexpr constinit decltype delete double dynamic_cast explicit false float friend \
goto inline long mutable namespace noexcept not_eq nullptr operator or_eq override private public register reinterpret_cast \
requires short sizeof static_assert static_cast switch template thread_local throw true try typeid typename using volatile wchar_t xor_eq ";

/// What Verilator's C++ of a design has beside its ports, and macros of C: a port of that name does not compile there.
const MODEL_WORDS: &str = " EOF NULL atClone contextp errno eval eval_end_step eval_step eventsPending hierName modelName name \
nextTimeSlot prepareClone rootp std threads trace traceBaseModel traceCapable trace_init vlNamep vlSymsp ";

/// Is this a name that every tool takes for what we print?
pub(crate) fn usable(name: &str) -> bool {
    legal(name) && !CPP_WORDS.contains(&format!(" {name} "))
}

/// Can a port be called so, or a clock? Temporaries of the printer begin with an underscore.
pub(crate) fn usable_for_port(name: &str) -> bool {
    usable(name) && !name.starts_with('_') && name != UNUSED && !of_the_model(name)
}

/// Is this a name that Verilator's C++ needs for itself?
pub(crate) fn of_the_model(name: &str) -> bool {
    MODEL_WORDS.contains(&format!(" {name} "))
}

/// Can it stand between quotes in Verilog, as it is?
pub(crate) fn quotable(text: &str) -> bool {
    text.chars().all(|c| (c == ' ' || c.is_ascii_graphic()) && !matches!(c, '"' | '\\'))
}

/// A name that every tool takes, as near to the wish as can be: what is none gets `s_` in front, or `sig_` where that makes a keyword
/// (`always` to `s_always`, which is one of SystemVerilog).
pub(crate) fn near(wish: &str) -> String {
    let base: String = wish.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // temporaries of the printer begin with an underscore
    let base = base.trim_start_matches('_');
    let [plain, other] = ["s_", "sig_"].map(|start| format!("{start}{base}"));
    match usable(base) {
        true => base.into(),
        false if usable(&plain) => plain,
        false => other,
    }
}

/// Is this a name in Verilog?
pub(crate) fn legal(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&format!(" {name} "))
}

pub(crate) fn join(prefix: &str, path: &str) -> String {
    match (prefix.is_empty(), path.is_empty()) {
        (_, true) => prefix.to_string(),
        (true, _) => path.to_string(),
        _ => format!("{prefix}_{path}"),
    }
}

/// The wire that gathers what nothing reads.
pub(crate) const UNUSED: &str = "unused_ok";

/// The name of the cell in the Verilog that makes a port of both directions.
pub(crate) fn pad_cell(port: &str) -> String {
    format!("{port}_pad")
}

/// `WaitForData` as `WAIT_FOR_DATA`.
pub(crate) fn shouting(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 && !out.ends_with('_') {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

/// The attribute that asks for LUT RAM.
pub(crate) const LUT_RAM: (&str, &str) = ("ram_style", "distributed");

#[cfg(test)]
mod tests {
    use super::*;

    /// The keywords of IEEE 1800-2017, annex B, and the words that Verilator knows from C++.
    #[test]
    fn no_keyword_becomes_another() {
        let words: Vec<&str> = KEYWORDS.split_whitespace().chain(CPP_WORDS.split_whitespace()).collect();
        assert!(words.len() > 250, "{}", words.len());
        for word in words {
            assert!(!usable(word), "{word}");
            let start = if KEYWORDS.contains(&format!(" s_{word} ")) { "sig" } else { "s" };
            assert_eq!(near(word), format!("{start}_{word}"));
            assert!(usable(&near(word)), "{word}");
        }
        assert_eq!(["always", "until", "wire"].map(near), ["sig_always", "sig_until", "s_wire"]);
    }

    #[test]
    fn names_near_to_a_wish() {
        let near = |wish| near(wish);
        assert_eq!(
            ["sum", "_sum", "a.b", "8bit", "größe", ""].map(near),
            ["sum", "sum", "a_b", "s_8bit", "gr__e", "s_"]
        );
    }
}
