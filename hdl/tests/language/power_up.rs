//! Registers without reset in a loop with their own enable are found.
#![allow(missing_docs)]

use hdl::*;

ports! {
    struct LoopPorts() {
        input go: Signal = bits(1),
        input word: Signal = bits(4),
        output y: Signal = bits(4),
    }
}

/// `busy` holds itself, `one` through `two`; `word` is held by what has a reset, `counted` has no condition.
#[module]
fn part() -> Result<Design<LoopPorts>, Errors> {
    let m = Module::new("part");
    let io = LoopPorts::new(m);
    let busy = m.reg(bits(1));
    m.when(!busy & io.go, || busy.set(io.word.bit(0)));
    let (one, two) = (m.reg(bits(1)), m.reg(bits(1)));
    m.when(two | io.go, || one.set(io.word.bit(1)));
    two.set(one);
    let full = m.reg_reset(bits(1), 0);
    m.when(!full & io.go, || full.set(1));
    let word = m.reg(bits(4)).enable(full);
    word.set(word ^ io.word);
    let counted = m.reg(bits(4));
    counted.set(counted + 1);
    io.y.set(word ^ counted ^ busy.zext(4) ^ one.zext(4));
    m.finish(io)
}

#[test]
#[module]
fn of_a_module_and_of_those_below() {
    let part = part().unwrap();
    let pair = |name: &str| ("part".to_string(), name.to_string());
    assert_eq!(part.loops_without_reset(), [pair("busy"), pair("one")]);

    let m = Module::new("around");
    let io = LoopPorts::new(m);
    let inner = m.instance(&part);
    inner.go.set(io.go);
    inner.word.set(io.word);
    io.y.set(inner.y);
    assert_eq!(m.finish(io).unwrap().loops_without_reset(), [pair("busy"), pair("one")]);
}
