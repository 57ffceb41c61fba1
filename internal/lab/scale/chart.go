package main

import (
	"fmt"
	"math"
	"strings"
)

// A line is a row of a chart.
type line struct {
	title string
	x, y  []float64
}

// style returns how the lines of a transport look, in every chart. The dashes show
// a line below that has the same values.
func style(title string) string {
	switch {
	case strings.Contains(title, "legacy"):
		return `stroke="#cf222e"`
	case strings.Contains(title, "modern"):
		return `stroke="#8250df"`
	case strings.Contains(title, "SSE"):
		return `stroke="#1a7f37" stroke-dasharray="7 5"`
	}
	return `stroke="#218bff"`
}

// chart draws lines that begin at the origin of both axes.
func chart(title, x, y string, lines []line) []byte {
	const width, height, left, top, right, bottom = 720, 320, 70, 40, 230, 50
	var maxX, maxY float64
	for _, l := range lines {
		for i := range l.x {
			maxX, maxY = max(maxX, l.x[i]), max(maxY, l.y[i])
		}
	}
	stepY := step(maxY)
	maxY = math.Ceil(maxY/stepY) * stepY
	px := func(v float64) float64 { return left + v/maxX*(width-left-right) }
	py := func(v float64) float64 { return height - bottom - v/maxY*(height-top-bottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">
<style>text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#59636e}.t{font-size:14px;font-weight:600;fill:#1f2328}.g{stroke:#d0d7de}.l{fill:none;stroke-width:2}</style>
<rect width="%d" height="%d" fill="#ffffff"/>
<text class="t" x="%d" y="22">%s</text>
`, width, height, title, width, height, left, title)
	for v := 0.0; v <= maxY*1.001; v += stepY {
		fmt.Fprintf(&b, `<path class="g" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, py(v), width-right, left-6, py(v)+4, number(v))
	}
	stepX := step(maxX)
	for v := 0.0; v <= maxX*1.001; v += stepX {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", px(v), height-bottom+18, number(v))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (left+width-right)/2, height-10, x)
	fmt.Fprintf(&b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+height-bottom)/2, y)
	for i, l := range lines {
		fmt.Fprintf(&b, `<path class="l" %s d="M%.1f %.1f`, style(l.title), px(0), py(0))
		for j := range l.x {
			fmt.Fprintf(&b, "L%.1f %.1f", px(l.x[j]), py(l.y[j]))
		}
		b.WriteString("\"/>\n")
		at := top + 10 + 22*i
		fmt.Fprintf(&b, `<path class="l" %s d="M%d %dh19"/><text x="%d" y="%d">%s</text>`+"\n",
			style(l.title), width-right+12, at, width-right+36, at+4, strings.ReplaceAll(l.title, "Streamable ", ""))
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// step returns a round distance between the marks of an axis.
func step(most float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(most)))
	switch n := most / unit; {
	case n <= 2:
		return unit / 2
	case n <= 5:
		return unit
	}
	return unit * 2
}

// number writes a number with commas.
func number(v float64) string {
	s := fmt.Sprintf("%g", math.Round(v*100)/100)
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return whole
}
