// Command screen turns what a terminal shows into an SVG picture. It reads text
// with colors, such as that of "tmux capture-pane -e -p", from standard input.
//
//	screen [-theme dark|light|auto] [-columns 80] [-animate] < text > picture.svg
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A look is the state of the SGR sequences that mcpecho uses.
type look struct {
	bold, dim bool
	color     int // 31 to 36; 0 means the usual one
}

const (
	cellWidth, cellHeight = 8.4, 18.0
	margin                = 14.0
)

// colors of the themes: the background, the text, then SGR 31 to 36.
var themes = map[string][]string{
	"dark":  {"#1b1f24", "#dfe3e8", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea"},
	"light": {"#ffffff", "#1f2328", "#cf222e", "#116329", "#7d4e00", "#0550ae", "#8250df", "#1b7c83"},
}

func main() {
	theme := flag.String("theme", "auto", "dark, light, or auto: that of the reader")
	columns := flag.Int("columns", 80, "width of the terminal")
	animate := flag.Bool("animate", false, "show one command after the other")
	flag.Parse()
	var lines []string
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		lines = append(lines, strings.TrimRight(in.Text(), " \r"))
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "screen:", err)
		os.Exit(1)
	}
	styles := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for len(lines) > 0 {
		last := strings.TrimSpace(styles.ReplaceAllString(lines[len(lines)-1], ""))
		if last != "" && last != "$" { // the prompt after the last command
			break
		}
		lines = lines[:len(lines)-1]
	}
	fmt.Print(picture(lines, *columns, *theme, *animate))
}

// picture returns the SVG of lines. If it is animated, each command appears after the
// output of the one before, unless the reader prefers less motion.
func picture(lines []string, columns int, theme string, animate bool) string {
	width, height := float64(columns)*cellWidth+2*margin, float64(len(lines))*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img">`+"\n<style>\n", width, height, width, height)
	b.WriteString("text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre }\n.b { font-weight: bold } .d { opacity: .6 }\n")
	if theme == "auto" {
		b.WriteString(rules("light") + "@media (prefers-color-scheme: dark) {\n" + rules("dark") + "}\n")
	} else {
		b.WriteString(rules(theme))
	}
	if animate {
		b.WriteString("@keyframes show { from { opacity: 0 } to { opacity: 1 } }\n@media (prefers-reduced-motion: no-preference) { g { animation: show .2s both } }\n")
	}
	fmt.Fprintf(&b, "</style>\n<rect class=\"bg\" width=\"%.0f\" height=\"%.0f\" rx=\"8\"/>\n", width, height)
	var now look // goes on from line to line
	at := 0.0    // seconds
	for i, line := range lines {
		if command := strings.HasPrefix(line, "$ "); animate {
			if command && i > 0 {
				at += 1.6
			} else if i > 0 && strings.HasPrefix(lines[i-1], "$ ") {
				at += 0.8
			}
			fmt.Fprintf(&b, `<g style="animation-delay: %.1fs">`+"\n", at)
		}
		row(&b, line, margin+float64(i+1)*cellHeight-4, &now)
		if animate {
			b.WriteString("</g>\n")
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func rules(theme string) string {
	c := themes[theme]
	text := fmt.Sprintf(".bg { fill: %s } text { fill: %s }\n", c[0], c[1])
	for i, color := range c[2:] {
		text += fmt.Sprintf(".c%d { fill: %s } ", 31+i, color)
	}
	return text + "\n"
}

// row writes a line, with a text element for each run of one look, so that columns
// stay aligned whatever the font.
func row(b *strings.Builder, line string, y float64, now *look) {
	column := 0
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' })
			if end < 0 {
				return
			}
			if rest[end] == 'm' {
				now.apply(rest[:end])
			}
			line = rest[end+1:]
			continue
		}
		run, rest := line, ""
		if i := strings.IndexByte(line, '\x1b'); i == 0 {
			line = line[1:]
			continue
		} else if i > 0 {
			run, rest = line[:i], line[i:]
		}
		if text := strings.TrimLeft(run, " "); strings.TrimSpace(text) != "" {
			column += len(run) - len(text) // not every viewer keeps blanks
			run = text
			n := float64(len([]rune(run))) * cellWidth
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>`+"\n", margin+float64(column)*cellWidth, y, n, now.class(), escape(run))
		}
		column += len([]rune(run))
		line = rest
	}
}

func escape(s string) string {
	return strings.NewReplacer(" ", "\u00a0", "&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

func (l *look) apply(codes string) {
	for code := range strings.SplitSeq(codes, ";") {
		switch code {
		case "", "0":
			*l = look{}
		case "1":
			l.bold = true
		case "2":
			l.dim = true
		case "22":
			l.bold, l.dim = false, false
		case "39":
			l.color = 0
		case "31", "32", "33", "34", "35", "36":
			l.color = 30 + int(code[1]-'0')
		}
	}
}

func (l look) class() string {
	var names []string
	if l.bold {
		names = append(names, "b")
	}
	if l.dim {
		names = append(names, "d")
	}
	if l.color != 0 {
		names = append(names, fmt.Sprintf("c%d", l.color))
	}
	if names == nil {
		return ""
	}
	return ` class="` + strings.Join(names, " ") + `"`
}
