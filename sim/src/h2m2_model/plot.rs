//! Figures 12 to 18 as SVG.

use super::numbers::{ModelResults, Results};
use plotters::coord::Shift;
use plotters::prelude::*;

const SIZE: (u32, u32) = (760, 380);
const COLORS: [RGBColor; 5] = [
    RGBColor(0x6c, 0x8e, 0xbf),
    RGBColor(0x1e, 0x84, 0x49),
    RGBColor(0xd0, 0x8a, 0x2e),
    RGBColor(0x33, 0x33, 0x33),
    RGBColor(0xc0, 0x39, 0x2b),
];
/// Capacity counts in these, as everywhere in the model.
const GIB: f64 = (1u64 << 30) as f64;
/// Four of them beside and below each other.
const PANELS_SIZE: (u32, u32) = (900, 640);

const SPEEDUP: &str = "speedup over LPDDR only";

type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// One series of a picture: its name, and a value for each place on the horizontal axis.
type Series = (&'static str, Vec<f64>);

/// A picture before it is drawn.
struct Picture {
    title: String,
    vertical: &'static str,
    labels: Vec<String>,
    series: Vec<Series>,
    style: Style,
    /// Series that are lines over the others.
    over: Vec<Series>,
}

/// How the series stand.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Beside each other.
    Bars,
    /// On top of each other.
    Stacked,
    /// As lines.
    Lines,
}

/// The name of each figure's file, and its picture as SVG text.
pub fn figures(results: &Results) -> Vec<(&'static str, String)> {
    pictures(results).into_iter().map(|(name, pictures)| (name, svg_of(&pictures, results))).collect()
}

/// The pictures of each figure: one, or four panels.
fn pictures(results: &Results) -> [(&'static str, Vec<Picture>); 7] {
    let [gpt3, chinchilla, llama2] = &results.models[..] else { unreachable!("there are three models") };
    [
        ("figure12.svg", vec![speedups("Figure 12", gpt3)]),
        ("figure13.svg", vec![speedups("Figure 13", chinchilla)]),
        ("figure14.svg", vec![breakdown(gpt3, results.fast_capacity)]),
        ("figure15.svg", vec![speedups("Figure 15", llama2)]),
        ("figure16.svg", vec![dynamic(results)]),
        ("figure17.svg", variants(results)),
        ("figure18.svg", vec![eight_hbm(gpt3)]),
    ]
}

fn svg_of(pictures: &[Picture], results: &Results) -> String {
    let [picture] = pictures else {
        let gpt3 = &results.models[0];
        let what = format!("{}, batch {}", gpt3.name, gpt3.requests);
        return panels(&format!("Figure 17: H2M2, {what}, configurations of Table 4, by sequence length"), pictures);
    };
    picture.svg()
}

fn lengths(model: &ModelResults) -> Vec<String> {
    model.points.iter().map(|p| p.length.to_string()).collect()
}

/// The speedup over LPDDR only for each length.
fn over(model: &ModelResults, time: fn(&super::figures::Point) -> u64) -> Vec<f64> {
    model.points.iter().map(|p| p.baseline as f64 / time(p) as f64).collect()
}

fn speedups(figure: &str, model: &ModelResults) -> Picture {
    let series = vec![
        ("hierarchical", over(model, |p| p.hierarchical)),
        ("H2M2", over(model, |p| p.h2m2)),
        ("oracle", over(model, |p| p.oracle)),
    ];
    let title = format!("{figure}: {}, batch {}, by sequence length", model.name, model.requests);
    let (labels, vertical) = (lengths(model), SPEEDUP);
    Picture { title, vertical, labels, series, style: Style::Bars, over: vec![] }
}

/// What each sublayer has in HBM; as a line all of it, beside what HBM has room for.
fn breakdown(model: &ModelResults, capacity: u64) -> Picture {
    let of =
        |bytes: &dyn Fn(&[u64; 3]) -> u64| model.points.iter().map(|p| bytes(&p.fast_bytes) as f64 / GIB).collect();
    let series = vec![("qkv-linear", of(&|b| b[1])), ("attention", of(&|b| b[0])), ("fc", of(&|b| b[2]))];
    let over = vec![("all", of(&|b| b.iter().sum())), ("capacity", of(&|_| capacity))];
    let title = format!("Figure 14: HBM of H2M2, {}, batch {}, by sequence length", model.name, model.requests);
    Picture { title, vertical: "GiB in HBM", labels: lengths(model), series, style: Style::Stacked, over }
}

fn dynamic(results: &Results) -> Picture {
    let of = |time: fn(&super::dynamic::Iteration) -> u64| {
        results.dynamic.iter().map(|i| i.baseline as f64 / time(i) as f64).collect()
    };
    let series = vec![("FlexGen", of(|i| i.flexgen)), ("H2M2", of(|i| i.h2m2)), ("oracle", of(|i| i.oracle))];
    let labels = (1..=results.dynamic.len()).map(|i| i.to_string()).collect();
    let title = "Figure 16: GPT3-175B, batch 32, lengths that change, by iteration".into();
    Picture { title, vertical: SPEEDUP, labels, series, style: Style::Lines, over: vec![] }
}

/// The parts of Figure 17, and the configurations of Table 4 in each.
const PANELS: [(&str, [&str; 3]); 4] = [
    ("(a) HBM capacity", ["HBMcap-Less", "Original", "HBMcap-More"]),
    ("(b) HBM bandwidth", ["HBMbw-Less", "Original", "HBMbw-More"]),
    ("(c) LPDDR bandwidth", ["LPDDRbw-Less", "Original", "LPDDRbw-More"]),
    ("(d) compute units", ["Original", "HBMChip-More", "LPDDRChip-More"]),
];

fn variants(results: &Results) -> Vec<Picture> {
    let gpt3 = &results.models[0];
    let panel = |(title, names): (&str, [&'static str; 3])| {
        let of = |name| results.variants.iter().find(|v| v.name == name).map_or(vec![], |v| v.speedups.clone());
        let series = names.map(|name| (name, of(name))).into();
        let (title, labels) = (title.to_string(), lengths(gpt3));
        Picture { title, vertical: SPEEDUP, labels, series, style: Style::Bars, over: vec![] }
    };
    PANELS.map(panel).into()
}

fn eight_hbm(model: &ModelResults) -> Picture {
    let series = vec![("H2M2", over(model, |p| p.h2m2)), ("8-HBM", over(model, |p| p.eight_hbm))];
    let title = format!("Figure 18: {}, batch {}, by sequence length", model.name, model.requests);
    let (labels, vertical) = (lengths(model), SPEEDUP);
    Picture { title, vertical, labels, series, style: Style::Bars, over: vec![] }
}

/// Pictures beside and below each other, on one scale.
fn panels(title: &str, pictures: &[Picture]) -> String {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, PANELS_SIZE).into_drawing_area();
    let top = pictures.iter().map(Picture::top).fold(0.0, f64::max);
    let draw = || {
        root.fill(&WHITE)?;
        let below = root.titled(title, ("sans-serif", 17))?;
        below.split_evenly((2, 2)).iter().zip(pictures).try_for_each(|(area, picture)| picture.draw(area, top))?;
        root.present()
    };
    draw().expect("drawing into a string cannot fail");
    drop(root);
    svg
}

impl Picture {
    fn svg(&self) -> String {
        let mut svg = String::new();
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let draw = || {
            root.fill(&WHITE)?;
            self.draw(&root, self.top())?;
            root.present()
        };
        draw().expect("drawing into a string cannot fail");
        drop(root);
        svg
    }
    fn draw<DB: DrawingBackend>(&self, root: &DrawingArea<DB, Shift>, top: f64) -> Drawn<DB> {
        let mut chart = ChartBuilder::on(root)
            .caption(&self.title, ("sans-serif", 17))
            .margin(10)
            .x_label_area_size(32)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..self.labels.len() as f64, 0.0..top)?;
        let label = |x: &f64| self.labels.get((x - 0.5).round() as usize).cloned().unwrap_or_default();
        let every = self.label_step();
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.1))
            .y_desc(self.vertical)
            .label_style(("sans-serif", 12))
            .draw()?;
        for (i, (name, values)) in self.series.iter().chain(&self.over).enumerate() {
            let color = COLORS[i % COLORS.len()];
            let drawn = match self.style == Style::Lines || i >= self.series.len() {
                true => {
                    let points: Vec<_> = values.iter().enumerate().map(|(x, &y)| (x as f64 + 0.5, y)).collect();
                    chart.draw_series([PathElement::new(points, color.stroke_width(2))])?
                }
                false => chart.draw_series((0..values.len()).map(|x| self.bar(i, x, color)))?,
            };
            drawn.label(*name).legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], color.filled()));
        }
        let (axis, corner) = (chart.plotting_area(), root.get_base_pixel());
        for x in (0..self.labels.len()).step_by(every) {
            let place = axis.map_coordinate(&(x as f64 + 0.5, 0.0));
            let text = label(&(x as f64 + 0.5));
            let left = place.0 - corner.0 - 3 * text.len() as i32;
            root.draw(&Text::new(text, (left, place.1 - corner.1 + 8), ("sans-serif", 12)))?;
        }
        let legend = SeriesLabelPosition::UpperRight;
        chart.configure_series_labels().position(legend).background_style(WHITE.mix(0.8)).draw()
    }
    /// Each so many places have a label.
    fn label_step(&self) -> usize {
        if self.style == Style::Lines { self.labels.len() / 16 + 1 } else { 1 }
    }
    /// A bar of a series.
    fn bar(&self, series: usize, x: usize, color: RGBColor) -> Rectangle<(f64, f64)> {
        let value = self.series[series].1[x];
        let (left, width, base) = match self.style {
            Style::Stacked => (0.25, 0.5, self.series[..series].iter().map(|s| s.1[x]).sum()),
            _ => {
                let width = 0.8 / self.series.len() as f64;
                (0.1 + width * series as f64, width * 0.92, 0.0)
            }
        };
        let left = x as f64 + left;
        Rectangle::new([(left, base), (left + width, base + value)], color.filled())
    }
    /// A little more than the highest value.
    fn top(&self) -> f64 {
        let at = |x: usize| {
            // lengths without room are left out
            let values = self.series.iter().filter_map(|s| s.1.get(x)).copied();
            let highest = if self.style == Style::Stacked { values.sum() } else { values.fold(0.0, f64::max) };
            self.over.iter().map(|s| s.1[x]).fold(highest, f64::max)
        };
        // room for the legend
        (0..self.labels.len()).map(at).fold(0.0, f64::max) * 1.3
    }
}

#[cfg(test)]
mod tests {
    use super::{COLORS, RGBColor, Style, pictures};
    use crate::h2m2_model::choices::Choices;
    use crate::h2m2_model::numbers::results;

    /// What the texts of an SVG file say.
    fn texts(svg: &str) -> Vec<&str> {
        let inside = svg.split("<text").skip(1).filter_map(|rest| rest.split_once('>')?.1.split_once("</text>"));
        inside.map(|(text, _)| text.trim()).collect()
    }

    #[test]
    fn every_figure_shows_every_series_and_place() {
        let results = results(&Choices::default()).unwrap();
        for (name, picture) in
            pictures(&results).into_iter().flat_map(|(name, all)| all.into_iter().map(move |p| (name, p)))
        {
            let svg = picture.svg();
            let texts = texts(&svg);
            for label in picture.labels.iter().step_by(picture.label_step()) {
                assert!(texts.contains(&label.as_str()), "{name}: no place {label} in {texts:?}");
            }
            for ((series, values), RGBColor(r, g, b)) in picture.series.iter().zip(COLORS) {
                assert!(texts.contains(series), "{name}: no series {series} in {texts:?}");
                assert_eq!(values.len(), picture.labels.len(), "{name}: a value of {series} for each place");
                // its place in the legend, and its bars or its line
                let drawn = svg.matches(&format!("#{r:02X}{g:02X}{b:02X}")).count();
                let marks = if picture.style == Style::Lines { 1 } else { values.len() };
                assert_eq!(drawn, 1 + marks, "{name}: marks of {series}");
            }
        }
    }
}
