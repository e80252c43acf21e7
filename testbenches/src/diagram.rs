//! Block diagrams as SVG: boxes and arrows at given places, the same bytes for the same calls.
//!
//! Everything is measured in pixels. A diagram stands on a light panel of its own, so that it can be read on white and on black
//! pages. Texts that do not fit their box and boxes that overlap panic: a picture with them is a mistake.

use std::fmt::Write;

/// A point: x to the right, y down.
pub type Point = (u32, u32);

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rect {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

/// A rectangle from its upper left corner.
pub fn rect(x: u32, y: u32, w: u32, h: u32) -> Rect {
    Rect { x, y, w, h }
}

impl Rect {
    /// The point on the left edge at this height.
    pub fn left(self, y: u32) -> Point {
        (self.x, y)
    }
    /// The point on the right edge at this height.
    pub fn right(self, y: u32) -> Point {
        (self.x + self.w, y)
    }
    /// The point on the upper edge at this x.
    pub fn top(self, x: u32) -> Point {
        (x, self.y)
    }
    /// The point on the lower edge at this x.
    pub fn bottom(self, x: u32) -> Point {
        (x, self.y + self.h)
    }
    fn overlaps(self, other: Rect) -> bool {
        let apart = |a: u32, a_size: u32, b: u32, b_size: u32| a + a_size <= b || b + b_size <= a;
        !apart(self.x, self.w, other.x, other.w) && !apart(self.y, self.h, other.y, other.h)
    }
}

/// What a box stands for; decides its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Logic.
    Logic,
    /// A memory.
    Memory,
    /// A register slice.
    Slice,
}

/// Where a text hangs from its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// Pixels from line to line in a box, and the widest that a character of the two sizes of text gets.
const LINE: u32 = 15;
const BOLD: u32 = 8;
const PLAIN: u32 = 7;

const STYLE: &str = "text{font:12px Helvetica,Arial,sans-serif;fill:#20262e}.h{font-weight:bold;font-size:13px}\
    .s{font-size:11px;fill:#4a5563}.m{text-anchor:middle}.e{text-anchor:end}\
    .panel{fill:#fbfcfd;stroke:#c9d1da}.area{fill:#eef2f6;stroke:#9aa7b5;stroke-dasharray:5 3}\
    .inner{fill:#f7f9fb;stroke:#9aa7b5}.logic{fill:#dcebfa;stroke:#2f6fad}.memory{fill:#fdebd0;stroke:#b9770e}\
    .slice{fill:#e3f3e6;stroke:#3a8a50}.a{fill:none;stroke:#20262e;stroke-width:1.4;marker-end:url(#tip)}";

/// A diagram under construction.
pub struct Diagram {
    out: String,
    size: (u32, u32),
    boxes: Vec<(Rect, String)>,
}

impl Diagram {
    /// An empty panel.
    pub fn new(width: u32, height: u32) -> Diagram {
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0,0L8,4L0,8Z\" fill=\"#20262e\"/></marker></defs>\n"
        );
        let (w, h) = (width - 1, height - 1);
        let _ = writeln!(out, "<rect class=\"panel\" x=\"0.5\" y=\"0.5\" width=\"{w}\" height=\"{h}\" rx=\"6\"/>");
        Diagram { out, size: (width, height), boxes: vec![] }
    }

    /// A frame around other boxes, with a heading in its upper left corner. Frames are drawn before what they hold.
    pub fn frame(&mut self, r: Rect, heading: &str, outer: bool) {
        self.check_inside(r, heading);
        self.rect(r, if outer { "area" } else { "inner" });
        self.text((r.x + 10, r.y + 17), Align::Start, "h", heading);
    }

    /// A box with a heading and lines of text, centred. Returns its place, for arrows.
    pub fn block(&mut self, r: Rect, kind: Kind, heading: &str, lines: &[&str]) -> Rect {
        self.check_inside(r, heading);
        if let Some((_, other)) = self.boxes.iter().find(|(other, _)| other.overlaps(r)) {
            panic!("`{heading}` overlaps `{other}`");
        }
        let widths = lines.iter().map(|line| (line, PLAIN)).chain([(&heading, BOLD)]);
        for (line, character) in widths {
            let need = line.chars().count() as u32 * character;
            assert!(need <= r.w + 8, "`{line}` needs {need} pixels, its box has {}", r.w);
        }
        let need = LINE * (lines.len() as u32 + 1);
        assert!(need <= r.h, "`{heading}` needs {need} pixels of height, its box has {}", r.h);
        self.boxes.push((r, heading.to_string()));
        self.rect(
            r,
            match kind {
                Kind::Logic => "logic",
                Kind::Memory => "memory",
                Kind::Slice => "slice",
            },
        );
        let (x, mut y) = (r.x + r.w / 2, r.y + (r.h - need) / 2 + 12);
        self.text((x, y), Align::Middle, "h", heading);
        for line in lines {
            y += LINE;
            self.text((x, y), Align::Middle, "s", line);
        }
        r
    }

    /// An arrow along these points.
    pub fn arrow(&mut self, points: &[Point]) {
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let _ = writeln!(self.out, "<path class=\"a\" d=\"M{}\"/>", path.join("L"));
    }

    /// A small text.
    pub fn label(&mut self, at: Point, align: Align, text: &str) {
        self.text(at, align, "s", text);
    }

    /// A port of the module: its name, and what goes through it.
    pub fn port(&mut self, at: Point, align: Align, name: &str, what: &str) {
        self.text(at, align, "h", name);
        self.text((at.0, at.1 + LINE), align, "s", what);
    }

    /// The picture.
    pub fn svg(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    fn check_inside(&self, r: Rect, heading: &str) {
        let inside = r.x + r.w <= self.size.0 && r.y + r.h <= self.size.1;
        assert!(inside, "`{heading}` reaches out of the picture");
    }

    fn rect(&mut self, r: Rect, class: &str) {
        let Rect { x, y, w, h } = r;
        let _ =
            writeln!(self.out, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"4\"/>");
    }

    fn text(&mut self, (x, y): Point, align: Align, class: &str, text: &str) {
        let anchor = match align {
            Align::Start => "",
            Align::Middle => " m",
            Align::End => " e",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(self.out, "<text class=\"{class}{anchor}\" x=\"{x}\" y=\"{y}\">{text}</text>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_arrows_stand_where_they_are_put() {
        let mut d = Diagram::new(200, 100);
        let a = d.block(rect(10, 10, 60, 40), Kind::Logic, "a", &["one <line"]);
        let b = d.block(rect(110, 10, 60, 40), Kind::Memory, "b", &[]);
        d.arrow(&[a.right(30), b.left(30)]);
        let svg = d.svg();
        assert!(svg.contains("<rect class=\"logic\" x=\"10\" y=\"10\" width=\"60\" height=\"40\" rx=\"4\"/>"));
        assert!(svg.contains("<path class=\"a\" d=\"M70,30L110,30\"/>"));
        assert!(svg.contains("one &lt;line</text>"));
    }

    #[test]
    #[should_panic(expected = "`b` overlaps `a`")]
    fn overlapping_boxes_are_a_mistake() {
        let mut d = Diagram::new(200, 100);
        d.block(rect(10, 10, 60, 40), Kind::Logic, "a", &[]);
        d.block(rect(60, 40, 60, 40), Kind::Logic, "b", &[]);
    }

    #[test]
    #[should_panic(expected = "needs 147 pixels")]
    fn text_that_does_not_fit_is_a_mistake() {
        Diagram::new(200, 100).block(rect(10, 10, 60, 40), Kind::Logic, "a", &["much too long a text."]);
    }
}
