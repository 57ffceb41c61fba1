package browser

import (
	"os/exec"
	"slices"
	"testing"
)

// faint returns the texts whose contrast is less than 4.5, the fields whose border has less
// than 3, and the controls without a name.
const faint = `(() => {
	const ink = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	const color = (s) => { ink.clearRect(0, 0, 1, 1); ink.fillStyle = s; ink.fillRect(0, 0, 1, 1); return [...ink.getImageData(0, 0, 1, 1).data]; };
	const over = (a, b) => [0, 1, 2].map((i) => (a[i] * a[3] + b[i] * (255 - a[3])) / 255).concat(255);
	const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const ground = (el) => over(color(getComputedStyle(el).backgroundColor), el.parentElement ? ground(el.parentElement) : [255, 255, 255, 255]);
	const ratio = (c, el) => { const [a, b] = [light(over(color(c), ground(el))), light(ground(el))]; return (Math.max(a, b) + .05) / (Math.min(a, b) + .05); };
	const found = [];
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; n = texts.nextNode();) {
		const el = n.parentElement;
		if (n.textContent.trim() && el.checkVisibility() && ratio(getComputedStyle(el).color, el) < 4.5) found.push(n.textContent);
	}
	for (const el of document.querySelectorAll('input:not([type=checkbox]), select, textarea')) {
		if (el.checkVisibility() && ratio(getComputedStyle(el).borderTopColor, el.parentElement) < 3) found.push('the border of ' + (el.id || el.tagName));
	}
	for (const el of document.querySelectorAll('button, input, select, textarea, [role=listbox], [role=tablist], [role=tabpanel]')) {
		if (el.checkVisibility() && !(el.ariaLabel || el.getAttribute('aria-labelledby') || el.labels?.[0]?.textContent || el.textContent)) found.push('no name: ' + el.outerHTML);
	}
	return found;
})()`

// readable fails the test for what is faint or has no name, in both themes.
func (p *tester) readable(state string) {
	p.t.Helper()
	for _, theme := range []string{"light", "dark"} {
		p.must(p.Theme(theme))
		var found []string
		p.must(p.Eval(faint, &found))
		if len(found) > 0 {
			p.t.Errorf("%s, %s: %q", state, theme, found)
		}
	}
}

// TestStatesAreReadable: texts and fields have the contrast that WCAG AA demands, in every
// state of the page, and controls have names.
func TestStatesAreReadable(t *testing.T) {
	c := browserFor(t)
	a := startUI(t, "odd", nil)
	p := newTester(t, c, false)
	p.open(a.url)
	p.await(`document.querySelector('[data-item]')`)
	p.readable("the first")
	p.choose("tool", "pay\u202epal\u200b")
	p.click("#run")
	p.shows("#warn", "Not sent: 3 mistakes")
	p.readable("mistakes")
	p.click("#tab-raw")
	p.click("#run")
	p.shows("#raw-problem", `"constructor" is missing`)
	p.shows("#raw-problem", `"__proto__" is missing`)
	p.run(`const raw = document.getElementById('raw'); raw.value = '{'; raw.dispatchEvent(new Event('input'))`)
	p.click("#run")
	p.await(`document.activeElement.id === 'raw' && document.getElementById('warn').textContent === ''`)
	p.readable("invalid JSON")
	p.click("#tab-schema")
	p.click("#run")
	p.shows("[data-path='/valueOf'] .problem", "is required")
	p.choose("tool", "breaks")
	p.click("#run")
	p.shows(".headline.bad", "breaks its schema")
	p.click(".row.response")
	p.shows("#entry", "Copy command")
	p.readable("a result")
	p.choose("tool", "exits")
	p.click("#run")
	p.shows("#ended", "connected again")
	p.click("#tab-history")
	p.readable("the end of the server, and the history")
	p.choose("tool", "asks")
	p.click("#run")
	p.await(`document.getElementById('ask').open`)
	p.readable("a question")
	p.clean()
	p.must(a.cmd.Process.Kill())
	p.shows("#ended", "mcpecho has ended. Start it again")
}

// TestQuestionFits: at 400 pixels the buttons of a question stay in view, and an answer in
// place of a model's has several lines.
func TestQuestionFits(t *testing.T) {
	c := browserFor(t)
	a := startUI(t, "odd", nil)
	p := newTester(t, c, false)
	p.must(p.Resize(400, 500, 1))
	p.open(a.url)
	p.choose("tool", "model")
	p.click("[data-show=item]") // a question under the pointer takes no answer at first
	p.run(`document.getElementById('call').requestSubmit()`)
	p.await(`document.getElementById('ask').open`)
	p.await(`document.querySelector('#ask textarea').clientHeight > 70`)
	p.await(`(() => { const r = document.querySelector('#ask .primary').getBoundingClientRect(); return document.elementFromPoint(r.x + 5, r.y + 5)?.matches('.primary'); })()`)
	p.click("#ask .primary")
	p.shows("#ask .problem", "is required")
	p.typeIn("Hay")
	p.press("Enter", 2) // Ctrl
	p.shows("#outcome", "Hay")
	p.clean()
}

// TestFocusIsInView: no bar that stays in view covers what Tab reaches.
func TestFocusIsInView(t *testing.T) {
	c := browserFor(t)
	a := startUI(t, "weather", nil)
	p := newTester(t, c, false)
	p.must(p.Resize(1280, 300, 1))
	p.open(a.url)
	p.choose("tool", "forecast")
	var covered []string
	for range 12 {
		var at string
		p.must(p.Eval(`(() => { const e = document.activeElement, r = e.getBoundingClientRect(), top = document.elementFromPoint(r.x + 4, r.y + r.height / 2); return e === top || e.contains(top) ? '' : e.outerHTML; })()`, &at))
		if at != "" {
			covered = append(covered, at)
		}
		p.press("Tab", 0)
	}
	if slices.Sort(covered); len(covered) > 0 {
		t.Errorf("covered: %q", slices.Compact(covered))
	}
	p.clean()
}

// TestFirstConnectionThatFails shows the reason in a narrow window, too.
func TestFirstConnectionThatFails(t *testing.T) {
	c := browserFor(t)
	mcpecho, err := build()
	if err != nil {
		t.Fatal(err)
	}
	a := startProgram(t, exec.Command(mcpecho, "ui", "--no-state", "http://127.0.0.1:9/mcp"))
	p := newTester(t, c, false)
	p.must(p.Resize(400, 780, 1))
	p.open(a.url)
	p.shows("#problem h2", "mcpecho cannot connect")
	p.await(`document.getElementById('problem').checkVisibility()`)
	p.clean()
}
