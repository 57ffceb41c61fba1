package browser

import (
	"testing"
	"time"
)

// TestQuestionTakesNoKeys: a question of the server takes neither the focus nor a key until
// the user goes to it.
func TestQuestionTakesNoKeys(t *testing.T) {
	a := startUI(t, "odd", nil)
	p := newTester(t, browserFor(t), false)
	p.open(a.url)
	p.choose("tool", "asks")
	p.run(`window.answers = 0; const send = fetch; window.fetch = (...a) => { if (a[0] === '/api/answer') answers++; return send(...a); }; 0`)
	p.click("#search")
	p.run(`document.getElementById('call').requestSubmit()`)
	p.await(`document.getElementById('ask').open`)
	p.typeIn("secret text")
	p.await(`document.activeElement.id === 'search' && document.getElementById('search').value === 'secret text'`)
	p.press("Enter", 0)
	p.run(`document.activeElement.blur()`)
	for _, key := range []string{"Enter", " "} {
		p.press(key, 0)
	}
	p.press("m", 0)
	p.await(`document.getElementById('ask').open && answers === 0 && document.querySelector('#ask input, #ask textarea').value === '' && !document.getElementById('ask').contains(document.activeElement)`)
	p.run(`document.getElementById('rows').focus()`)
	p.press("q", 0)
	p.await(`document.activeElement.id === 'ask'`)
	p.press("u", 0)
	for _, key := range []string{"Enter", " "} {
		p.press(key, 0)
	}
	p.press("Enter", 2) // Ctrl
	p.press("Tab", 0)
	p.await(`answers === 0 && document.activeElement.value === ''`)
	p.await(`document.activeElement.closest('#ask [data-path="/name"]')`)
	p.press("Enter", 0)
	p.shows("#ask .problem", "is required")
	p.typeIn("Ann")
	p.await(`!document.querySelector('#ask [aria-invalid]') && !document.querySelector('#ask .problem').textContent`)
	p.press("Enter", 0)
	p.await(`!document.getElementById('ask').open`)
	p.click("#tab-history")
	p.shows("#history-pane", "asks")
	p.clean()
}

// TestOddNames: names of JavaScript's own properties are those of the server, and hidden
// characters in names are shown. A result that breaks its schema is not green, all mistakes
// are shown at once, and the end of the server stays in view.
func TestOddNames(t *testing.T) {
	a := startUI(t, "odd", nil)
	p := newTester(t, browserFor(t), false)
	p.open(a.url)
	p.shows("#status", `odd\u202e`)
	p.shows("[data-item] .name", `pay\u202epal\u200b`)
	p.choose("tool", "pay\u202epal\u200b")
	p.shows("#item h2", `pay\u202epal\u200b`)
	p.await(`[...document.querySelectorAll('#input :is(input,textarea)')].every((e) => e.value === '') && document.querySelector('[data-path="/toString"] input').type === 'date'`)
	p.click("#run")
	p.await(`document.querySelectorAll('#input [aria-invalid]').length === 3`)
	p.click(`[data-path="/constructor"] textarea`)
	p.typeIn("a")
	p.await(`document.querySelectorAll('#input [aria-invalid]').length === 2`)
	p.press("Enter", 0)
	p.shows("#warn", "Ctrl-Enter runs it")
	p.click(`[data-path="/valueOf"] input`)
	p.typeIn("1")
	p.click(`[data-path="/__proto__"] textarea`)
	p.typeIn("b")
	p.press("Enter", 2) // Ctrl
	p.shows("#outcome", `"__proto__":"b"`)
	p.await(`document.getElementById('verdict').classList.contains('good')`)
	p.run(`const e = document.querySelector('[data-path="/__proto__"] textarea'); e.value = ''; e.dispatchEvent(new Event('input'))`)
	p.click("#run")
	p.shows("[data-path='/__proto__'] .problem", "is required")
	p.await(`document.querySelector('#outcome.old')`)
	p.choose("tool", "breaks")
	p.click("#run")
	p.shows(".headline.bad", "breaks its schema")
	p.choose("tool", "exits")
	p.click("#run")
	p.shows("#ended", "The server ended at")
	p.shows("#ended", "connected again")
	p.clean()
}

// TestLargeTexts: the page stays responsive with 10 MB of instructions and 100,000 blocks.
func TestLargeTexts(t *testing.T) {
	a := startUI(t, "large", nil)
	p := newTester(t, browserFor(t), false)
	began := time.Now()
	p.open(a.url)
	p.shows("#item", "All work and no play")
	p.run(`window.worst = 0; let last = performance.now(); const look = () => { const now = performance.now(); worst = Math.max(worst, now - last); last = now; setTimeout(look, 10); }; look(); 0`)
	p.shows("#item", "Show more")
	p.choose("tool", "blocks")
	p.click("#run")
	p.shows("#outcome", "99950 more")
	p.choose("tool", "text")
	p.click("#run")
	p.shows("#outcome", "Show more (8.0 MB left)")
	p.run(`document.querySelector('#outcome .block button').click()`)
	var worst float64
	p.must(p.Eval(`worst`, &worst))
	t.Logf("the page stood still for %.0f ms at most, all took %v", worst, time.Since(began))
	if worst > 2000 {
		t.Errorf("the page stood still for %.0f ms", worst)
	}
	p.clean()
}
