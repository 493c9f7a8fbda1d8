//! Plots as SVG, as simple as they can be: plain text that reads well in a diff, and in light as in dark.

use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 380.0;
/// Around the axes: left, right, above, below.
const MARGINS: (f64, f64, f64, f64) = (70.0, 20.0, 40.0, 60.0);

/// The room of a name in the legend.
const LEGEND: f64 = 155.0;

/// Readable on white and on black.
const COLOURS: [&str; 6] = ["#2f7ed8", "#d9822b", "#8a8a8a", "#3a9d5d", "#b05cc6", "#c94f4f"];

/// How far a value is along an axis, from 0 to 1.
pub(crate) enum Scale {
    Linear {
        to: f64,
    },
    /// Powers of ten.
    Powers {
        from: i32,
        to: i32,
    },
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        match self {
            Scale::Linear { to } => value / to,
            Scale::Powers { from, to } => (value.log10() - f64::from(*from)) / f64::from(to - from),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        match self {
            Scale::Linear { to } => (0..=5).map(|tick| to * f64::from(tick) / 5.0).collect(),
            Scale::Powers { from, to } => (*from..=*to).map(|power| 10f64.powi(power)).collect(),
        }
    }
}

/// A plot under way.
pub(crate) struct Plot {
    svg: String,
    y: Scale,
    /// Lines of the legend so far.
    named: usize,
}

impl Plot {
    pub(crate) fn new(title: &str, across: &str, up: &str, y: Scale) -> Plot {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#808080\">\n"
        );
        let (left, right, above, below) = MARGINS;
        let (bottom, middle) = (HEIGHT - below, (left + WIDTH - right) / 2.0);
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"20\" text-anchor=\"middle\" font-size=\"15\">{title}</text>"
        );
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{across}</text>",
            HEIGHT - 8.0
        );
        let turned = format!("transform=\"rotate(-90 16 {0})\" x=\"16\" y=\"{0}\"", (above + bottom) / 2.0);
        let _ = writeln!(svg, "<text {turned} text-anchor=\"middle\">{up}</text>");
        let mut plot = Plot { svg, y, named: 0 };
        for tick in plot.y.ticks() {
            let y = plot.y(tick);
            let _ = writeln!(plot.svg, "<path d=\"M{left} {y:.1}H{}\" stroke=\"#80808040\"/>", WIDTH - right);
            let label = number(tick);
            let _ = writeln!(
                plot.svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                left - 6.0,
                y + 4.0
            );
        }
        plot
    }

    /// Numbers below the axis.
    pub(crate) fn scale(&mut self, x: &Scale) {
        for tick in x.ticks() {
            self.label(x.at(tick), &number(tick), false);
        }
    }

    /// A word below the axis, at a place from 0 to 1.
    pub(crate) fn label(&mut self, at: f64, label: &str, turned: bool) {
        let (x, y) = (across(at), HEIGHT - MARGINS.3 + 16.0);
        let how = match turned {
            true => format!("text-anchor=\"end\" font-size=\"9\" transform=\"rotate(-35 {x:.1} {y:.1})\""),
            false => "text-anchor=\"middle\"".to_string(),
        };
        let _ = writeln!(self.svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {how}>{label}</text>");
    }

    /// A line that rises at its points only.
    pub(crate) fn steps(&mut self, x: &Scale, points: &[(f64, f64)]) {
        self.stairs(x, points, COLOURS[0]);
    }

    /// The same in a colour of its own, up to the end, with a name in the legend.
    pub(crate) fn line(&mut self, name: &str, x: &Scale, points: &[(f64, f64)], end: f64) {
        let colour = COLOURS[self.named % COLOURS.len()];
        let last = points.last().map(|(_, value)| (end, *value));
        self.stairs(x, &points.iter().copied().chain(last).collect::<Vec<_>>(), colour);
        self.legend(name, colour);
    }

    fn stairs(&mut self, x: &Scale, points: &[(f64, f64)], colour: &str) {
        let mut path = String::new();
        for (index, (at, value)) in points.iter().enumerate() {
            let (at, value) = (across(x.at(*at)), self.y(*value));
            let _ = match index {
                0 => write!(path, "M{at:.1} {value:.1}"),
                _ => write!(path, "H{at:.1}V{value:.1}"),
            };
        }
        let _ =
            writeln!(self.svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
    }

    fn legend(&mut self, name: &str, colour: &str) {
        let x = MARGINS.0 + 10.0 + LEGEND * self.named as f64;
        let _ = writeln!(self.svg, "<circle cx=\"{x}\" cy=\"34\" r=\"4\" fill=\"{colour}\"/>");
        let _ = writeln!(self.svg, "<text x=\"{}\" y=\"38\">{name}</text>", x + 8.0);
        self.named += 1;
    }

    /// A bar from one place to another, from 0 to 1.
    pub(crate) fn bar(&mut self, from: f64, to: f64, value: f64) {
        let (x, width, y) = (across(from), across(to) - across(from), self.y(value));
        let height = HEIGHT - MARGINS.3 - y;
        let _ = writeln!(
            self.svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            COLOURS[0]
        );
        let _ = writeln!(
            self.svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
            x + width / 2.0,
            y - 4.0
        );
    }

    /// Dots of one colour, with a name in the legend.
    pub(crate) fn dots(&mut self, name: &str, points: &[(f64, f64)]) {
        let colour = COLOURS[self.named % COLOURS.len()];
        for (at, value) in points {
            let (x, y) = (across(*at), self.y(*value));
            let _ = writeln!(self.svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
        }
        self.legend(name, colour);
    }

    pub(crate) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }

    fn y(&self, value: f64) -> f64 {
        let bottom = HEIGHT - MARGINS.3;
        bottom - self.y.at(value).clamp(0.0, 1.0) * (bottom - MARGINS.2)
    }
}

fn across(at: f64) -> f64 {
    MARGINS.0 + at * (WIDTH - MARGINS.0 - MARGINS.1)
}

fn number(value: f64) -> String {
    if value == 0.0 || value >= 10.0 { format!("{value:.0}") } else { format!("{value}") }
}
