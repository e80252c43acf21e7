//! Stream parts that are built into the module that calls, and those that ask something of it.

use super::super::Proof;
use super::super::copies::of;
use super::super::handshakes::{ForkPorts, JoinPorts};
use hdl::*;
use hw::stream::demultiplexer::demultiplexer;
use hw::stream::fifo_with_room::fifo_with_room;
use hw::stream::{fork_many, join_many};

#[module]
fn fork_of_three() -> Result<Design<ForkPorts>, Errors> {
    let m = Module::new("fork_of_three");
    let io = ForkPorts::new(m, 1);
    [io.a, io.b, io.c].into_iter().zip(fork_many(m, io.s, 3)).for_each(|(out, stream)| out.set(stream));
    m.finish(io)
}

#[module]
fn join_of_three() -> Result<Design<JoinPorts>, Errors> {
    let m = Module::new("join_of_three");
    let io = JoinPorts::new(m, 1);
    io.m.set(join_many(m, &[io.a, io.b, io.c]));
    m.finish(io)
}

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    Ok(vec![
        of("fork", fork_of_three()).proof()?,
        of("join", join_of_three()).proof()?,
        of("demultiplexer", demultiplexer(1, 3)).proof()?,
        of("fifo_with_room", fifo_with_room(1, 4)).without_its_own().proof()?,
    ])
}
