//! A picture of the recorded distributions and the thresholds in them.

use half::f16;
use plotters::prelude::*;

use super::{LayerProfile, Profile, ProfileError};
use crate::data::{Kind, Recording};

const PANEL: (u32, u32) = (560, 210);
const TITLE_HEIGHT: u32 = 64;
const BINS: usize = 140;
const BARS: RGBColor = RGBColor(0x8f, 0xb0, 0xd0);
const OUTER_LINE: RGBColor = RGBColor(0xc0, 0x39, 0x2b);
const INNER_LINE: RGBColor = RGBColor(0x1e, 0x84, 0x49);

/// Draws, as SVG text, a histogram of the values of every layer's keys (left) and values (right), with a logarithmic
/// count axis and the four thresholds as lines.
pub fn plot_svg(profile: &Profile, recordings: &[Recording]) -> Result<String, ProfileError> {
    for recording in recordings {
        profile.check_covers(recording)?;
    }
    let mut layers: Vec<u32> = profile.layers.iter().map(|l| l.layer).collect();
    layers.dedup();

    let mut svg = String::new();
    let size = (2 * PANEL.0, TITLE_HEIGHT + PANEL.1 * layers.len() as u32);
    draw(&mut svg, size, profile, recordings, &layers).expect("drawing into a string cannot fail");
    Ok(svg)
}

type Drawn<E> = Result<(), DrawingAreaErrorKind<E>>;

fn draw<'a>(
    svg: &'a mut String,
    size: (u32, u32),
    profile: &Profile,
    recordings: &[Recording],
    layers: &[u32],
) -> Drawn<<SVGBackend<'a> as DrawingBackend>::ErrorType> {
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(TITLE_HEIGHT);
    draw_head(&head, profile)?;
    let panels = body.split_evenly((layers.len(), 2));
    for (row, &layer) in layers.iter().enumerate() {
        for (column, kind) in [Kind::Key, Kind::Value].into_iter().enumerate() {
            if let Ok(layer) = profile.layer(layer, kind) {
                draw_panel(&panels[2 * row + column], layer, &values(recordings, layer))?;
            }
        }
    }
    root.present()
}

fn draw_head<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    profile: &Profile,
) -> Drawn<DB::ErrorType> {
    let percent = |fraction: f64| (fraction * 1000.0).round() / 10.0;
    let (outer, inner) = (percent(profile.method.fractions.outer()), percent(profile.method.fractions.inner()));
    let title = format!("Keys and values of {}", profile.recordings.join(", "));
    let font = ("sans-serif", 18).into_font();
    area.draw(&Text::new(title, (16, 8), font.clone()))?;
    let legend = [
        (format!("S: {outer} % outer beyond"), OUTER_LINE, 16),
        (format!("T: {inner} % inner between"), INNER_LINE, 240),
    ];
    for (text, color, x) in legend {
        area.draw(&PathElement::new([(x, 48), (x + 24, 48)], color.stroke_width(2)))?;
        area.draw(&Text::new(text, (x + 32, 40), ("sans-serif", 14).into_font()))?;
    }
    Ok(())
}

fn draw_panel<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    layer: &LayerProfile,
    values: &[f64],
) -> Drawn<DB::ErrorType> {
    let thresholds = layer.thresholds.values().map(f64::from);
    // A little wider than the data, and never empty.
    let reach = values.iter().chain(&thresholds).fold(1e-7, |m: f64, x| m.max(x.abs())) * 1.02;
    let width = 2.0 * reach / BINS as f64;
    let mut counts = vec![0_u32; BINS];
    for value in values {
        counts[(((value + reach) / width) as usize).min(BINS - 1)] += 1;
    }
    let top = f64::from(counts.iter().copied().max().unwrap_or(0).max(10)) * 2.0;

    let caption = format!(
        "layer {} {}: {:.1} % outer, {:.1} % inner, {:.2} bits",
        layer.layer,
        layer.kind,
        100.0 * layer.shares.outer(),
        100.0 * layer.shares.inner(),
        layer.effective_bits
    );
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 14))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(24)
        .y_label_area_size(52)
        .build_cartesian_2d(-reach..reach, (0.5..top).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.08))
        .label_style(("sans-serif", 11))
        .y_labels(6)
        .x_label_formatter(&|&x| short_number(x, reach))
        .y_label_formatter(&|count| format!("{count}"))
        .draw()?;
    let bars = counts.iter().enumerate().filter(|&(_, &count)| count > 0).map(|(i, &count)| {
        let left = i as f64 * width - reach;
        Rectangle::new([(left, 0.5), (left + width, f64::from(count))], BARS.filled())
    });
    chart.draw_series(bars)?;
    let colors = [OUTER_LINE, INNER_LINE, INNER_LINE, OUTER_LINE];
    for (x, color) in thresholds.into_iter().zip(colors) {
        chart.draw_series([PathElement::new([(x, 0.5), (x, top)], color.stroke_width(2))])?;
    }
    Ok(())
}

/// A number on the value axis, with the digits that matter at this reach.
fn short_number(x: f64, reach: f64) -> String {
    let decimals = (2.0 - reach.log10()).ceil().max(0.0) as usize;
    let text = format!("{x:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
}

/// All recorded values of a layer.
fn values(recordings: &[Recording], layer: &LayerProfile) -> Vec<f64> {
    let tensors = recordings.iter().filter_map(|r| r.tensor(layer.layer, layer.kind));
    tensors.flat_map(|t| t.data.iter().map(|&bits| f16::from_bits(bits).to_f64())).collect()
}
