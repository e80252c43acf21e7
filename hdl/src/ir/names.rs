//! Names: which are legal, and those that the Verilog has beside the user's.

/// The channels of buses, as they stand before `valid` and `ready`; none, of a stream.
const CHANNELS: [&str; 7] = ["", "t", "aw", "w", "b", "ar", "r"];

/// Is this the field `kind` (`valid` or `ready`) of a stream or of a channel of a bus, such as `s_ready` and `m_awready`?
pub(crate) fn is_handshake(name: &str, kind: &str) -> bool {
    let field = name.rsplit('_').next().unwrap_or_default();
    field.strip_suffix(kind).is_some_and(|channel| CHANNELS.contains(&channel))
}

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

/// What Verilator's C++ of a design has beside its ports: a port of that name does not compile there. `Vm` is the class as the engine
/// of Verilator calls it, of whatever design.
const MODEL_WORDS: &str = " CData EData IData QData SData WData TOP VlWide atClone contextp eval eval_end_step eval_step eventsPending \
hierName modelName name nextTimeSlot prepareClone rootp std threads trace traceBaseModel traceCapable trace_init vlNamep vlSymsp Vm ";

/// What all of its names begin with.
const MODEL_PREFIXES: [&str; 3] = ["VL_", "VERILATOR_", "Verilated"];

/// Further words that Verilator warns of where a port is called so.
const WARNED_WORDS: &str = " abort atomic_cancel atomic_commit atomic_noexcept bit_vector cdecl const_iterator const_reference far huge \
interrupt iterator near pascal queue reference sc_clock sc_in sc_inout sc_out sc_signal sensitive sensitive_neg sensitive_pos stack synchronized \
transaction_safe transaction_safe_dynamic type_info ";

/// Macros in what Verilator's C++ includes, but for those of [`is_limit`], [`is_format`], [`is_number_of_mathematics`] and
/// [`LIBRARY_PREFIXES`]: what the compiler defines, and the headers of C and POSIX. Words and no prefixes where hardware may well have
/// names that begin so: `CLOCK_`, `FP_`, `E`.
const LIBRARY_WORDS: &str = " BIG_ENDIAN BUFSIZ BYTE_ORDER CLOCKS_PER_SEC CLOCK_BOOTTIME CLOCK_BOOTTIME_ALARM CLOCK_MONOTONIC CLOCK_MONOTONIC_COARSE \
CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_REALTIME_ALARM CLOCK_REALTIME_COARSE CLOCK_TAI \
CLOCK_THREAD_CPUTIME_ID CPU_SETSIZE CSIGNAL E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE \
EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET \
EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ \
EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC \
ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN \
ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM \
ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE \
ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT \
EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE \
ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE EXIT_SUCCESS \
FD_SETSIZE FILENAME_MAX FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_INT_DOWNWARD FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO \
FP_INT_TOWARDZERO FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO F_LOCK F_OK F_TEST F_TLOCK \
F_ULOCK INFINITY LITTLE_ENDIAN L_INCR L_SET L_XTND L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MB_CUR_MAX \
MOD_CLKA MOD_CLKB MOD_ESTERROR MOD_FREQUENCY MOD_MAXERROR MOD_MICRO MOD_NANO MOD_OFFSET MOD_STATUS MOD_TAI MOD_TIMECONST NAN \
NFDBITS NULL PDP_ENDIAN P_tmpdir RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT R_OK SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE \
SEEK_SET SNAN SNANF SNANF128 SNANF32 SNANF32X SNANF64 SNANF64X SNANL STA_CLK STA_CLOCKERR STA_DEL STA_FLL STA_FREQHOLD \
STA_INS STA_MODE STA_NANO STA_PLL STA_PPSERROR STA_PPSFREQ STA_PPSJITTER STA_PPSSIGNAL STA_PPSTIME STA_PPSWANDER STA_RONLY \
STA_UNSYNC STDERR_FILENO STDIN_FILENO STDOUT_FILENO TIMER_ABSTIME TIME_UTC WCONTINUED WEOF WEXITED WNOHANG WNOWAIT WSTOPPED \
WUNTRACED W_OK X_OK errno i386 linux math_errhandling unix vl_unique_ptr vl_unordered_map vl_unordered_set ";

const LIBRARY_PREFIXES: [&str; 9] =
    ["ADJ_", "ATOMIC_", "CLONE_", "CLOSE_RANGE_", "HUGE_VAL", "LC_", "PTHREAD_", "SCHED_", "SYS_"];

/// The formats of `<cinttypes>`: `PRIu8`, `SCNxFAST32`.
fn is_format(name: &str) -> bool {
    let kind = name.strip_prefix("PRI").or_else(|| name.strip_prefix("SCN"));
    let size = kind.and_then(|kind| kind.strip_prefix(|c| "diouxX".contains(c)));
    let size = size.map(|size| ["FAST", "LEAST"].iter().find_map(|how| size.strip_prefix(how)).unwrap_or(size));
    size.is_some_and(|size| matches!(size, "8" | "16" | "32" | "64" | "MAX" | "PTR"))
}

/// The numbers of `<cmath>`, in each of its types: `M_PI`, `M_PI_2f64x`.
fn is_number_of_mathematics(name: &str) -> bool {
    const NUMBERS: &str =
        " M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 ";
    let kinds = ["f128", "f32x", "f64x", "f32", "f64", "f", "l"];
    let number = kinds.iter().find_map(|kind| name.strip_suffix(kind)).unwrap_or(name);
    NUMBERS.contains(&format!(" {number} "))
}

/// The limits of C's types, of `<climits>` and `<cstdint>`: `INT_MAX`, `UINT8_WIDTH`.
fn is_limit(name: &str) -> bool {
    const TYPES: &str = " BOOL CHAR INT INTMAX INTPTR LLONG LONG LONG_LONG PTRDIFF RAND SCHAR SHRT SIG_ATOMIC SIZE SSIZE TMP UCHAR UINT \
                         UINTMAX UINTPTR ULLONG ULONG ULONG_LONG USHRT WCHAR WINT WORD ";
    let Some((kind, limit)) = name.rsplit_once('_') else { return false };
    let sized = ["INT", "INT_FAST", "INT_LEAST"].iter().any(|start| {
        let bits = kind.strip_prefix('U').unwrap_or(kind).strip_prefix(start);
        bits.is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64"))
    });
    matches!(limit, "MAX" | "MIN" | "WIDTH" | "BIT") && (sized || TYPES.contains(&format!(" {kind} ")))
}

/// The types of `<cstdint>`: `uint8_t`, `int_fast16_t`.
fn is_integer_type(name: &str) -> bool {
    let kind = name.strip_suffix("_t").map(|kind| kind.strip_prefix('u').unwrap_or(kind));
    let bits = kind.and_then(|kind| kind.strip_prefix("int"));
    let bits = bits.map(|bits| ["_fast", "_least"].iter().find_map(|how| bits.strip_prefix(how)).unwrap_or(bits));
    bits.is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64" | "max" | "ptr"))
}

/// Is this a name that every tool takes for what we print?
pub(crate) fn usable(name: &str) -> bool {
    legal(name) && !CPP_WORDS.contains(&format!(" {name} "))
}

/// The first clock of a module, and the reset of its domain.
pub(crate) const FIRST_CLOCK: &str = "clk";
pub(crate) const FIRST_RESET: &str = "rst";

/// Can a module be called so?
///
/// # Errors
/// If not, what is legal.
pub fn legal_module_name(name: &str) -> Result<(), String> {
    if !usable(name) {
        let legal =
            "letters, digits and underscores, not a digit or an underscore first, not a keyword of Verilog or C++";
        return Err(legal.into());
    }
    if is_module_of_verilator(name) {
        return Err(format!("Verilator has a `{name}` itself"));
    }
    if name == FIRST_CLOCK || name == FIRST_RESET {
        return Err(format!("`{FIRST_CLOCK}` and `{FIRST_RESET}` are the ports of its first clock and reset"));
    }
    Ok(())
}

/// Can a port be called so, or a clock? Temporaries of the printer begin with an underscore.
pub(crate) fn usable_for_port(name: &str) -> bool {
    usable(name) && !name.starts_with('_') && name != UNUSED && !of_the_model(name)
}

/// Is this a name that Verilator's C++ needs for itself or warns of, or a macro of the library of C that it includes?
pub(crate) fn of_the_model(name: &str) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let word = |words: &str| words.contains(&format!(" {name} "));
    word(MODEL_WORDS)
        || begins(&MODEL_PREFIXES)
        || word(WARNED_WORDS)
        || word(LIBRARY_WORDS)
        || begins(&LIBRARY_PREFIXES)
        || is_limit(name)
        || is_format(name)
        || is_number_of_mathematics(name)
        || is_integer_type(name)
}

/// What Verilator calls the C++ class of a top module: its ports are called otherwise.
pub(crate) fn model_of(module: &str) -> String {
    format!("V{module}")
}

/// Modules that Verilator has itself.
fn is_module_of_verilator(name: &str) -> bool {
    matches!(name, "TOP" | "std")
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

    /// Ports of these names stop Verilator, or the C++ compiler behind it; those beside them do not.
    #[test]
    fn names_that_the_model_has() {
        let taken = "CData SData IData QData WData VL_NOT_FINAL VL_IN8 VERILATOR_VERSION VerilatedContext VerilatedModel INT_MAX CHAR_BIT \
                     UINT_FAST16_MAX INT64_WIDTH SIZE_MAX linux unix uint8_t uint64_t int_least32_t uintmax_t abort errno M_PI PTHREAD_ONCE_INIT";
        taken.split_whitespace().for_each(|name| assert!(of_the_model(name) && !usable_for_port(name), "{name}"));
        let macros = "FP_ZERO FP_NAN FP_INT_UPWARD FP_ILOGB0 R_OK X_OK F_LOCK F_TEST STA_PLL STA_PPSFREQ CLOCK_REALTIME CLOCKS_PER_SEC \
                      TIMER_ABSTIME TIME_UTC STDIN_FILENO SEEK_DATA ELOOP EADV EWOULDBLOCK EL2HLT MAXFLOAT PRIu8 PRIXLEAST16 PRIdMAX SCNxPTR \
                      SCNoFAST64 FD_SETSIZE NFDBITS FILENAME_MAX FOPEN_MAX Vm M_PI_2f64x M_SQRT1_2 SNANF32 HUGE_VALF MOD_CLKA queue stack";
        macros.split_whitespace().for_each(|name| assert!(of_the_model(name) && !usable_for_port(name), "{name}"));
        let free = "data VLAN vl_data verilated INT_MAXIMUM ADDR_WIDTH ADDR_MAX INT UINT7_MAX int9_t uint_t point_t M_AXI_TDATA SYSTEM unix_time \
                    FP_ADD FP_INT_A W_EN F_RESET STA_READY CLOCK_EN CLOCK_0 TIMER_EN TIME_US EN EOP ERROR ENABLE PRIO PRIx PRI8 SCNd PRIx12 \
                    MAX_FLOAT FD_SIZE SEEK MOD_N Vmain Vma M_PIX M_EN M_LN SNAN2 stdin_data queue_full stack_0";
        free.split_whitespace().for_each(|name| assert!(usable_for_port(name), "{name}"));
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
