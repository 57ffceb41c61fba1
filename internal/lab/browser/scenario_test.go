package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestScenario is what the author of a server does: connect, fill in a form, call, look at
// the traffic, answer a question, rebuild the server, record.
func TestScenario(t *testing.T) {
	c := browserFor(t)
	changed := filepath.Join(t.TempDir(), "changed")
	a := startUI(t, "weather", []string{"CHANGED=" + changed}, filepath.Dir(changed))
	p := newTester(t, c, false)
	p.must(p.Resize(1280, 800, 1))
	p.open(a.url)
	p.await(`location.hash === '' && sessionStorage.getItem('mcpecho-token')`)
	p.shows("#status", "weather 1.4.0 · 2026-07-28")
	p.run(`window.post = (path, value) => fetch('/api/' + path, {method: 'POST', headers: {'Content-Type': 'application/json', 'Mcpecho-Token': sessionStorage.getItem('mcpecho-token')}, body: JSON.stringify(value)}); 0`)

	// The form, with a mistake first.
	p.choose("tool", "forecast")
	p.shows("#item h2", "forecast")
	p.click("#run")
	p.shows("[data-path='/city'] .problem", "is required")
	p.await(`document.activeElement.matches("[data-path='/city'] textarea")`)
	p.typeIn("Lisbon")
	p.click("[data-path='/days'] input")
	p.run(`document.activeElement.select()`)
	p.typeIn("99")
	p.press("Enter", 0)
	p.shows("[data-path='/days'] .problem", "10")
	p.run(`document.activeElement.select()`)
	p.typeIn("2")
	p.click("[data-path='/hours'] button")
	p.typeIn("7")

	// The form and the JSON are in step.
	p.click("#tab-raw")
	p.await(`JSON.stringify(JSON.parse(document.getElementById('raw').value)) === '{"days":2,"units":"celsius","city":"Lisbon","hours":[7]}'`)
	p.run(`const raw = document.getElementById('raw'); raw.value = '{"city":"Porto","days":12345678901234567890}'; raw.dispatchEvent(new Event('input'))`)
	p.click("#tab-form")
	p.shows("[data-path='/days'] input", "12345678901234567890")
	p.shows("[data-path='/city'] textarea", "Porto")
	p.click("[data-path='/days'] input")
	p.run(`document.activeElement.select()`)
	p.typeIn("2")

	// The result, checked against the output schema, and the progress before.
	p.press("Enter", 0)
	p.shows(".check.fits", "matches the output schema")
	p.shows("#outcome", "17.5")
	p.shows("#rows", "notifications/progress")
	p.shows("#rows", "forecast: asking the station of Porto")

	// The traffic: filter, a message, and its command line.
	p.click("#filter")
	p.typeIn("tools/call forecast")
	p.await(`document.querySelectorAll('.row').length === 2`)
	p.click(".row.response")
	p.shows("#entry pre", `"structuredContent"`)
	p.shows("#entry", "Copy command")
	p.run(`document.getElementById('filter').value = ''; document.getElementById('filter').dispatchEvent(new Event('input'))`)

	// An error as a result, and a call that hangs.
	p.choose("tool", "station")
	p.click("[data-path='/id'] textarea")
	p.typeIn("XYZ")
	p.click("#run")
	p.shows(".headline.bad", "isError")
	p.shows("#outcome", "no station")
	p.choose("tool", "radar")
	p.click("#run")
	p.await(`!document.getElementById('stop').hidden`)
	p.click("#stop")
	p.shows(".headline.bad", "Canceled")

	// A question.
	p.choose("tool", "book_trip")
	p.click("[data-path='/to'] textarea")
	p.typeIn("Faro")
	p.click("#run")
	p.await(`document.getElementById('ask').open`) // not modal: it takes no key
	p.shows("#ask", "Which seat do you want?")
	p.click("#ask .primary")
	p.shows("#ask .problem", "is required")
	p.run(`const s = document.querySelector('#ask select'); s.value = '1'; s.dispatchEvent(new Event('change'))`)
	p.click("#ask .primary")
	p.await(`!document.getElementById('ask').open`)
	p.shows("#outcome", "accept aisle")

	// A prompt with a completion, a resource, and a template.
	p.choose("prompt", "plan_day")
	p.await(`document.querySelector('#input datalist option')?.value === 'sbon'`)
	p.typeIn("Faro")
	p.click("#run")
	p.shows("#outcome", "Plan a day in Faro")
	p.choose("resource", "weather://stations")
	p.click("#run")
	p.shows("#outcome", `"id":"LIS"`)
	p.click("#follow")
	p.shows("#followed", "Waiting for updates")
	p.run(`const send = fetch; window.calls = 0; window.fetch = (...a) => { if (a[0] === '/api/call') calls++; return send(...a); }; 0`)
	p.run(`post('call', {kind: 'tool', name: 'forecast', arguments: {city: 'Faro'}}); 0`)
	p.shows("#followed", "Updates: 1, the last at")
	p.await(`calls === 2`)                             // the page has read the resource again
	p.run(`document.getElementById('follow').click()`) // which moves while the resource is read
	p.await(`document.getElementById('follow').textContent === 'Subscribe'`)
	p.choose("template", "weather://{city}/today")
	p.typeIn("Lisbon")
	p.click("#run")
	p.shows("#outcome", "sunny")

	// The server is rebuilt: what was typed stays, and what changed is marked.
	p.choose("tool", "forecast")
	p.shows("[data-path='/city'] textarea", "Porto")
	p.must(os.WriteFile(changed, []byte("x"), 0o600))
	p.shows("#changes", "1 new, 1 changed, 1 removed since the last connection")
	p.await(`document.querySelector(` + "`" + item("tool", "tides") + "`" + `).classList.contains('new')`)
	p.shows(".notes", "breaking")
	p.shows("[data-path='/city'] textarea", "Porto")

	// The history, and a call again.
	p.click("#tab-history")
	p.run(`[...document.querySelectorAll('.call')].find((e) => e.textContent.includes('XYZ')).querySelector('.plain').click()`)
	p.shows("#outcome", "no station")

	// The other era.
	p.run(`const v = document.getElementById('version'); v.value = '2025-06-18'; v.dispatchEvent(new Event('change'))`)
	p.shows("#status", "2025-06-18 (legacy)")
	p.shows("#changes", "2026-07-28 → 2025-06-18")

	// Both eras side by side.
	p.click("#compare")
	p.run(`document.querySelector('#item select').value = '2025-06-18'`)
	p.click("#item .primary")
	p.shows("#compared th", "2025-06-18")
	p.shows("#compared td", "protocol version the era changed")
	p.shows("#compared td", `"2026-07-28"`)

	// The recording.
	p.run(`const made = URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved = blob.text(); return made.call(URL, blob); }`)
	p.click("#record")
	p.await(`window.saved`)
	var text string
	p.must(p.Eval(`window.saved`, &text))
	if len(text) < 1000 || text[:18] != "stdmcp recording 2" {
		t.Errorf("the recording is %.100q", text)
	}
	p.clean()
}

// TestServerThatCannotStart stays on the page with its reason.
func TestServerThatCannotStart(t *testing.T) {
	c := browserFor(t)
	mcpecho, err := build()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "server.sh")
	if err := os.WriteFile(path, []byte("echo 'missing API_KEY' >&2; exit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	a := startProgram(t, exec.Command(mcpecho, "ui", "--no-state", "--", "sh", path))
	p := newTester(t, c, false)
	p.open(a.url)
	p.shows("#problem", "missing API_KEY")
	p.shows("#problem", "mcpecho cannot connect")
	p.click("#problem .primary")
	p.shows("#problem", "missing API_KEY")
	if err := os.WriteFile(path, []byte("exec "+mcpecho+" serve\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.shows("#status", "stdmcp-echo")
	p.await(`document.querySelector(` + "`" + item("tool", "echo") + "`" + `)`)
	p.clean()
}

// TestKeyboardAlone searches, fills in, calls, cancels and looks at the traffic.
func TestKeyboardAlone(t *testing.T) {
	c := browserFor(t)
	a := startUI(t, "weather", nil)
	p := newTester(t, c, false)
	p.open(a.url)
	p.await(`document.querySelector('[data-item]')`)
	p.press("/", 0)
	p.await(`document.activeElement.id === 'search'`)
	p.typeIn("forec")
	p.press("ArrowDown", 0)
	p.press("Enter", 0)
	p.await(`document.activeElement.matches("[data-path='/city'] textarea")`)
	p.typeIn("Lisbon")
	p.press("Enter", 0)
	p.shows(".check.fits", "matches")
	p.press("Tab", 0)
	p.typeIn("1")
	p.press("Enter", 2) // Ctrl
	p.shows("#tab-traffic", "Traffic")
	// Every control is reached with Tab, and has a name.
	p.run(`document.activeElement.blur()`)
	seen := map[string]bool{}
	for range 80 {
		p.press("Tab", 0)
		var at struct{ ID, Name string }
		p.must(p.Eval(`(() => { const e = document.activeElement; return {ID: e.id || e.dataset.item || e.textContent.slice(0, 20), Name: e.ariaLabel || e.labels?.[0]?.textContent || e.textContent || e.placeholder || ''} })()`, &at))
		if at.Name == "" {
			t.Errorf("%q has no name", at.ID)
		}
		seen[at.ID] = true
	}
	for _, id := range []string{"version", "reconnect", "record", "search", "run", "tab-form", "tab-traffic", "filter", "rows", "tool forecast"} {
		if !seen[id] {
			t.Errorf("Tab does not reach %s: %v", id, seen)
		}
	}
	p.run(`document.getElementById('rows').focus()`)
	p.press("End", 0)
	p.await(`!document.getElementById('entry').hidden && document.getElementById('rows').getAttribute('aria-activedescendant')`)
	p.press("ArrowUp", 0)
	p.press("Home", 0)
	p.shows("#entry", "server/discover")
	p.clean()
}

// TestNarrow: at 400 pixels everything is reached, and nothing is wider than the window.
func TestNarrow(t *testing.T) {
	c := browserFor(t)
	a := startUI(t, "weather", nil)
	p := newTester(t, c, false)
	p.must(p.Resize(400, 780, 1))
	p.open(a.url)
	narrow := `document.documentElement.scrollWidth <= 400`
	p.choose("tool", "forecast")
	p.click("[data-path='/city'] textarea")
	p.await(narrow)
	p.typeIn("Lisbon")
	p.click("#run")
	p.shows(".check.fits", "matches")
	p.await(narrow)
	p.click("[data-show=traffic]")
	p.click(".row.response")
	p.shows("#entry pre", "result")
	p.await(narrow)
	p.await(`(() => { const r = document.querySelector('#entry [aria-label="Close the message"]').getBoundingClientRect(); return r.width > 0 && r.right <= 400 && r.left >= 0 })()`)
	p.press("Escape", 0)
	p.await(`document.getElementById('entry').hidden`)
	p.await(`document.getElementById('actions').checkVisibility() === false`)
	p.click("#menu")
	p.await(`document.getElementById('record').checkVisibility()`)
	p.await(narrow)
	p.click("#menu")
	p.click("[data-show=list]")
	p.choose("tool", "book_trip")
	p.click("[data-path='/to'] textarea")
	p.typeIn("Faro")
	p.click("#run")
	p.await(`document.getElementById('ask').open`)
	p.await(narrow)
	p.clean()
}
