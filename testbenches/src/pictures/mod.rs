//! The pictures of docs/pictures, drawn from the designs themselves.

mod dequantizer;
mod drawing;
mod quantizer;
mod waves;

use hdl::Errors;

/// All pictures: file names below `docs/pictures` and contents.
pub fn all() -> Result<Vec<(&'static str, String)>, Errors> {
    Ok(vec![
        ("quantizer.svg", quantizer::draw()?),
        ("dequantizer.svg", dequantizer::draw()?),
        ("wave_quantizer.svg", waves::quantizer()?),
        ("wave_fifo.svg", waves::fifo()?),
    ])
}
