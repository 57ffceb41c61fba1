package main

import (
	"fmt"
	"strings"
)

// A drawing is a picture in the making. Its text is set in a font whose characters
// all have the same width, so that the drawing knows where each text ends.
type drawing struct {
	title         string
	width, height float64
	body          strings.Builder
	shapes        []shape
}

// A shape is what a picture has drawn, for overlaps.
type shape struct {
	what                string
	x, y, width, height float64
	text                bool
}

// style has the colors of both themes.
const style = `text{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}
.h{font-size:15px;font-weight:600}.t{font-size:14px;font-weight:600}.s,.n{font-size:12px}.s{fill:#59636e}
.bg{fill:#ffffff}.plain{fill:#f6f8fa;stroke:#8c959f}.core{fill:#ddf4ff;stroke:#218bff}.user{fill:#fff8c5;stroke:#d4a72c}.bad{fill:#ffebe9;stroke:#cf222e}
.ours{fill:#218bff}.theirs{fill:#afb8c1}.soft{fill:#ddf4ff}
.a,.j,.r,.axis{fill:none;stroke:#59636e;stroke-width:1.4}.a{marker-end:url(#e)}.r{stroke:#1a7f37;marker-end:url(#g)}.axis{stroke:#d0d7de}
#e path{fill:#59636e}#g path{fill:#1a7f37}
@media (prefers-color-scheme: dark){
text{fill:#e6edf3}.s{fill:#9198a1}
.bg{fill:#0d1117}.plain{fill:#161b22;stroke:#6e7681}.core{fill:#0c2d4d;stroke:#4493f8}.user{fill:#3a2d0a;stroke:#d29922}.bad{fill:#44151a;stroke:#f85149}
.ours{fill:#4493f8}.theirs{fill:#484f58}.soft{fill:#0c2d4d}
.a,.j,.r,.axis{stroke:#9198a1}.r{stroke:#3fb950}.axis{stroke:#30363d}
#e path{fill:#9198a1}#g path{fill:#3fb950}
}`

func newDrawing(title string, width, height float64) *drawing {
	return &drawing{title: title, width: width, height: height}
}

// String returns the picture as SVG.
func (d *drawing) String() string {
	const marker = `<marker id="%s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>`
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n<style>\n%s\n</style>\n<defs>"+
		marker+marker+"</defs>\n"+`<rect class="bg" width="%g" height="%g" rx="8"/>`+"\n%s</svg>\n",
		d.width, d.height, escape(d.title), style, "e", "g", d.width, d.height, d.body.String())
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(s)
}

// size returns the size of the text of a class.
func size(class string) float64 {
	return map[string]float64{"h": 15, "t": 14, "s": 12, "n": 12}[class]
}

// textWidth returns the width of a text.
func textWidth(class, text string) float64 { return 0.61 * size(class) * float64(len([]rune(text))) }

// text draws a text: its baseline is at y, and anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&d.body, `<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, escape(text))
	w := textWidth(class, text)
	left := map[string]float64{"start": x, "middle": x - w/2, "end": x - w}[anchor]
	d.shapes = append(d.shapes, shape{text, left, y - 0.8*size(class), w, size(class), true})
}

// box draws a box with a title and a line below it, which may be empty.
func (d *drawing) box(class string, x, y, width, height float64, title, line string) {
	d.bar(class, x, y, width, height, 6)
	if line == "" {
		d.text("t", "middle", x+width/2, y+height/2+5, title)
		return
	}
	d.text("t", "middle", x+width/2, y+height/2-3, title)
	d.text("s", "middle", x+width/2, y+height/2+14, line)
}

// bar draws a rectangle.
func (d *drawing) bar(class string, x, y, width, height, radius float64) {
	fmt.Fprintf(&d.body, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%g"/>`+"\n", class, x, y, width, height, radius)
	d.shapes = append(d.shapes, shape{class, x, y, width, height, false})
}

// path draws a line: class a is an arrow, r one of the way back.
func (d *drawing) path(class, path string) {
	fmt.Fprintf(&d.body, `<path class="%s" d="%s"/>`+"\n", class, path)
}

// line draws lines along the axes between points, given as x and y in turn.
func (d *drawing) line(class string, points ...float64) {
	path := "M"
	for i := 0; i < len(points); i += 2 {
		path += fmt.Sprintf("%g %g ", points[i], points[i+1])
		if i > 0 {
			x, y := min(points[i-2], points[i]), min(points[i-1], points[i+1])
			d.shapes = append(d.shapes, shape{"a line", x, y, max(points[i-2], points[i]) - x, max(points[i-1], points[i+1]) - y, false})
		}
	}
	d.path(class, strings.TrimSuffix(path, " "))
}

// problems returns the texts that touch the edge of a box, a line, another text, or
// the edge of the picture.
func (d *drawing) problems() (list []string) {
	for i, s := range d.shapes {
		if s.x < 4 || s.y < 2 || s.x+s.width > d.width-4 || s.y+s.height > d.height-2 {
			list = append(list, fmt.Sprintf("%q leaves the picture", s.what))
		}
		for j, o := range d.shapes {
			if !s.text || i == j || o.text && j < i {
				continue
			}
			apart := s.x+s.width <= o.x || o.x+o.width <= s.x || s.y+s.height <= o.y || o.y+o.height <= s.y
			inside := !o.text && o.x+2 <= s.x && s.x+s.width <= o.x+o.width-2 && o.y+1 <= s.y && s.y+s.height <= o.y+o.height-1
			if !apart && !inside {
				list = append(list, fmt.Sprintf("%q touches %q", s.what, o.what))
			}
		}
	}
	return list
}
