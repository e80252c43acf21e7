//! The serial link, and the router of registers.

use super::super::Proof;
use super::super::copies::of;
use hdl::Errors;
use hw::control::{Window, axil_router};
use hw::soc::frame_receiver::frame_receiver;
use hw::soc::frame_transmitter::frame_transmitter;
use hw::soc::link::link;
use hw::soc::link_responder::link_responder;
use hw::soc::uart_receiver::uart_receiver;
use hw::soc::uart_transmitter::uart_transmitter;

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let windows = [Window { base: 0, bits: 2 }, Window { base: 4, bits: 2 }];
    Ok(vec![
        of("axil_router", axil_router(4, &windows)).proof()?,
        of("uart_transmitter", uart_transmitter(16)).proof()?,
        of("uart_receiver", uart_receiver(16)).seldom("").proof()?,
        of("frame_receiver", frame_receiver(8)).seldom("").for_cycles(10).proof()?,
        of("frame_transmitter", frame_transmitter()).seldom("").for_cycles(12).proof()?,
        of("link", link(512)).leaving_out("m_payload").leaving_out("m_axis_tdata").seldom("").for_cycles(12).proof()?,
        of("link_responder", link_responder()).seldom("").for_cycles(13).proof()?,
    ])
}
