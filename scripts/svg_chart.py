# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG text: axes, curves, points, bars. The same bytes for the same data, and nothing to install."""
import math
from xml.sax.saxutils import escape

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22")
FONT = 'font-family="sans-serif"'


def short(value):
    """Return a tick label: whole thousands with commas, 1e6 and more with an exponent."""
    if value >= 1e6:
        return f"{value:.2g}".replace("e+0", "e")
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


class Axis:
    """A range of values on a range of pixels, linear or logarithmic."""

    def __init__(self, low, high, start, end, log=False):
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def at(self, value):
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self):
        if self.log:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            span = self.high / self.low
            steps = (1, 1.5, 2, 3, 4, 5, 7) if span < 20 else (1, 2, 5) if span < 200 else (1,)
            return [m * 10.0**d for d in decades for m in steps if self.low <= m * 10.0**d * (1 + 1e-9) <= self.high * (1 + 1e-6)]
        raw = (self.high - self.low) / 6
        step = min((m * 10.0 ** math.floor(math.log10(raw)) for m in (1, 2, 5, 10)), key=lambda s: abs(s - raw))
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


class Panel:
    """One coordinate system at (left, top) of a figure; x None: a bar chart, whose bars the caller places."""

    def __init__(self, left, top, width, height, x, y, x_name, y_name, title=""):
        self.box = (left, top, width, height)
        self.x = Axis(*x[:2], left, left + width, *x[2:]) if x else None
        self.y = Axis(*y[:2], top + height, top, *y[2:])
        self.parts = []
        self.frame(x_name, y_name, title)

    def line(self, x1, y1, x2, y2, colour, width=1.0, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                          f'stroke-width="{width}"{dashed}/>')

    def text(self, x, y, words, anchor="middle", size=11, turn=0):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {FONT} font-size="{size}" text-anchor="{anchor}"{turned}>'
                          f'{escape(words)}</text>')

    def frame(self, x_name, y_name, title):
        left, top, width, height = self.box
        for value in self.y.ticks():
            at = self.y.at(value)
            self.line(left, at, left + width, at, "#dddddd", 0.7)
            self.text(left - 5, at + 4, short(value), "end", 10)
        for value in self.x.ticks() if self.x else ():
            at = self.x.at(value)
            self.line(at, top, at, top + height, "#dddddd", 0.7)
            self.text(at, top + height + 14, short(value), "middle", 10)
        self.parts.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#444444"/>')
        self.text(left + width / 2, top + height + 31, x_name)
        self.text(left - 52, top + height / 2, y_name, turn=-90)
        self.text(left + width / 2, top - 8, title, size=12)

    def curve(self, points, colour, dash="", markers=True):
        places = [(self.x.at(x), self.y.at(y)) for x, y in points]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"{dashed}/>')
        for x, y in places if markers else ():
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>')

    def point(self, x, y, colour, words=""):
        self.parts.append(f'<circle cx="{self.x.at(x):.1f}" cy="{self.y.at(y):.1f}" r="4" fill="{colour}" fill-opacity="0.75">'
                          f'<title>{escape(words)}</title></circle>')

    def bar(self, left, width, value, colour, words=""):
        top, bottom = self.y.at(value), self.y.at(self.y.low)
        self.parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{bottom - top:.1f}" fill="{colour}">'
                          f'<title>{escape(words)}</title></rect>')

    def legend(self, entries, left, top):
        """Write [(name, colour, dash)] below each other."""
        for k, (name, colour, dash) in enumerate(entries):
            y = top + 16 * k
            self.line(left, y - 4, left + 20, y - 4, colour, 3, dash)
            self.text(left + 26, y, name, "start")


def figure(width, height, panels, description):
    """Return the text of an SVG file."""
    parts = "\n".join(part for panel in panels for part in panel.parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">\n'
            f"<title>{escape(description)}</title>\n"
            f'<rect width="{width}" height="{height}" fill="white"/>\n{parts}\n</svg>\n')
