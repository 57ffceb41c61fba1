package browser

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestHostileServer: whatever a server sends, in names, descriptions, results, MIME types,
// SVG images and links, stays text, and no URL of it is followed.
func TestHostileServer(t *testing.T) {
	c := browserFor(t)
	a := startUI(t, "hostile", nil)
	p := newTester(t, c, false)
	p.open(a.url)
	p.shows("#item", "<script>alert(2)</script>")
	p.choose("tool", "attack")
	p.shows("#item", "<script>alert(2)</script>")
	p.click("#tab-raw")
	p.click("#tab-schema")
	p.click("#tab-form")
	p.click("#run")
	p.shows("#outcome", "alert(11)")
	p.shows("#outcome", "may contain scripts")
	p.run(`document.querySelectorAll('#outcome button').forEach((b) => { if (b.textContent.startsWith('Read')) b.click(); })`)
	p.run(`for (const e of document.querySelectorAll('details')) e.open = true`)
	p.choose("tool", script)
	p.click("#run")
	p.shows("#outcome", "polluted")
	p.choose("resource", "javascript:alert(15)")
	p.click("#run")
	p.shows("#outcome", "<script>alert(2)</script>")
	p.choose("tool", "opens")
	p.click("#run")
	p.shows("#outcome", "the URL is not acceptable")
	for _, row := range []string{"Home", "End"} {
		p.run(`document.getElementById('rows').focus()`)
		p.press(row, 0)
		p.await(`!document.getElementById('entry').hidden`)
	}
	p.click("#tab-history")
	p.click("#compare")
	p.click("#item .primary")
	p.shows("#compared", "<script>alert(2)</script>")
	// Nothing of the server is an element, a link or an address.
	var foreign []string
	p.must(p.Eval(`[...document.querySelectorAll('script,iframe,object,embed,a,svg,b[onload],[onerror],[onload],[href],[src],form[action]')].map((e) => e.outerHTML)`, &foreign))
	for _, e := range foreign {
		switch {
		case strings.HasPrefix(e, `<script type="module" src="/app.js">`), strings.HasPrefix(e, `<link rel="icon" href="data:,">`), strings.HasPrefix(e, `<link rel="stylesheet" href="/style.css">`):
		case strings.HasPrefix(e, `<img src="data:image/gif;base64,`):
		default:
			t.Errorf("the page has %.300s", e)
		}
	}
	p.await(`({}).polluted === undefined && location.protocol === 'http:'`)
	p.clean()
	// The policy stops what a mistake of the page would let through.
	var blocked string
	p.must(p.Eval(`(() => { try { document.body.innerHTML = '<img src=x onerror=alert(16)>'; return 'accepted' } catch (e) { return e.name } })()`, &blocked))
	if blocked != "TypeError" {
		t.Errorf("text that becomes HTML is %s", blocked)
	}
}

// TestOtherPages attacks from another port and another origin: with fetch in every mode,
// forms, frames, scripts, images, WebSockets and EventSource, and with the token.
func TestOtherPages(t *testing.T) {
	c := browserFor(t, "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP evil.example 127.0.0.1")
	a := startUI(t, "weather", nil)
	own := newTester(t, c, false)
	own.open(a.url)
	own.await(`document.querySelector('[data-item]')`)
	var token string
	own.must(own.Eval(`sessionStorage.getItem('mcpecho-token')`, &token))

	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>evil</title><body>"))
	}))
	t.Cleanup(web.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(web.URL, "http://"))
	for _, origin := range []string{"http://127.0.0.1:" + port, "http://evil.example:" + port, "http://localhost:" + port} {
		p := newTester(t, c, false)
		p.open(origin)
		p.await(`document.title === 'evil'`)
		// With the token, which no other page knows, CORS and the Origin decide.
		for _, secret := range []string{"", token} {
			var read []string
			p.must(p.Eval(fmt.Sprintf(`(async () => {
				const got = [];
				const attempts = [
					['/', {}], ['/app.js', {}], ['/api/recording', {}], ['/api/recording', {credentials: 'include'}],
					['/api/recording', {headers: {'Mcpecho-Token': %[2]q}}],
					['/api/clear', {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json', 'Mcpecho-Token': %[2]q}}],
					['/api/clear', {method: 'POST', body: '{}', headers: {'Content-Type': 'text/plain'}}],
					['/api/clear', {method: 'POST', body: '{}', mode: 'no-cors'}],
					['/app.js', {mode: 'no-cors'}],
				];
				for (const [path, options] of attempts) {
					try { const r = await fetch('http://%[1]s' + path, options); if (r.type !== 'opaque') got.push(path + ' ' + r.status); else if (path === '/app.js') got.push('opaque script'); } catch { /* refused */ }
				}
				return got;
			})()`, a.address, secret), &read))
			if len(read) > 0 {
				t.Errorf("%s read %v", origin, read)
			}
		}
		var rest []string
		p.must(p.Eval(fmt.Sprintf(`(async () => {
			const got = [];
			const loaded = (el, parent = document.body) => new Promise((done) => { el.onload = () => done(true); el.onerror = () => done(false); parent.append(el); setTimeout(() => done(false), 1500); });
			const make = (tag, props) => Object.assign(document.createElement(tag), props);
			if (await loaded(make('script', {src: 'http://%[1]s/app.js'}))) got.push('script');
			if (await loaded(make('script', {type: 'module', src: 'http://%[1]s/api.js'}))) got.push('module');
			if (await loaded(make('link', {rel: 'stylesheet', href: 'http://%[1]s/style.css'}), document.head)) got.push('style');
			if (await loaded(make('img', {src: 'http://%[1]s/'}))) got.push('image');
			const frame = make('iframe', {src: 'http://%[1]s/'});
			await loaded(frame);
			try { if (frame.contentDocument && frame.contentDocument.title === 'mcpecho') got.push('frame'); } catch { /* another origin: see frames below */ }
			await new Promise((done) => { const s = new WebSocket('ws://%[1]s/api/events'); s.onopen = () => { got.push('WebSocket'); done(); }; s.onerror = done; });
			await new Promise((done) => { const s = new EventSource('http://%[1]s/api/events'); s.onopen = () => { got.push('EventSource'); s.close(); done(); }; s.onerror = () => { s.close(); done(); }; });
			navigator.sendBeacon('http://%[1]s/api/clear', new Blob(['{}'], {type: 'application/json'}));
			for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
				const inner = make('iframe', {name: 'post'});
				document.body.append(inner);
				const form = make('form', {action: 'http://%[1]s/api/clear', method: 'POST', target: 'post', enctype});
				form.append(make('input', {name: '{"a":"', value: '"}'}));
				document.body.append(form);
				form.submit();
				await new Promise((done) => { inner.onload = done; setTimeout(done, 1000); });
			}
			return got;
		})()`, a.address), &rest))
		if len(rest) > 0 {
			t.Errorf("%s used %v", origin, rest)
		}
		// A window that the other page opens has no token, and cannot be reached.
		var window string
		p.must(p.Eval(fmt.Sprintf(`(async () => { const w = open('http://%s/'); await new Promise((done) => setTimeout(done, 500)); try { return String(w && !w.closed && w.document.title) } catch (e) { return e.name } })()`, a.address), &window))
		if window == "mcpecho" {
			t.Errorf("%s reads the page in a window", origin)
		}
	}
	// The traffic was not cleared, and the page works.
	own.await(`Number(document.getElementById('count').textContent) > 5`)

	// A page whose name is bound anew to 127.0.0.1, and other names of this machine.
	_, number, _ := net.SplitHostPort(a.address)
	for _, host := range []string{"rebound.example", "localhost", "0.0.0.0", "[::1]", "127.0.0.2"} {
		p := newTester(t, c, false)
		if err := p.Go("http://" + host + ":" + number + "/#" + token); err != nil {
			continue // the browser, or nothing listens there
		}
		p.await(`document.readyState === 'complete'`)
		var text string
		p.must(p.Eval(`document.documentElement.innerText`, &text))
		if !strings.Contains(text, "Host of the request must be") {
			t.Errorf("%s shows %.100q", host, text)
		}
		var read string
		p.must(p.Eval(fmt.Sprintf(`(async () => { try { return 'status ' + (await fetch('/api/recording', {headers: {'Mcpecho-Token': %q}})).status } catch (e) { return e.name } })()`, token), &read))
		if strings.Contains(read, "200") {
			t.Errorf("%s reads the traffic: %s", host, read)
		}
	}
}

// TestOtherPagesAtProxy attacks a proxy without a secret path from pages of other origins,
// of names that were bound to this machine, and of no origin. No message of a page reaches
// the server, and no page reads what the proxy answers.
func TestOtherPagesAtProxy(t *testing.T) {
	if os.Getenv("STDMCP_LONG") == "" {
		t.Skip("it takes a minute; scripts/test browser runs it")
	}
	c := browserFor(t, "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP evil.example 127.0.0.1")
	mcpecho, err := build()
	if err != nil {
		t.Fatal(err)
	}
	server := mcptest.Command(t, "weather")
	trace := filepath.Join(t.TempDir(), "trace")
	args := []string{"proxy", "--http", "127.0.0.1:0", "--no-token", "--trace", trace}
	for _, e := range server.Env {
		args = append(args, "-e", e)
	}
	proxy := startProgram(t, exec.Command(mcpecho, append(append(args, "--", server.Path), server.Args...)...))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/sandbox" {
			w.Header().Set("Content-Security-Policy", "sandbox allow-scripts allow-forms") // an origin "null"
		}
		_, _ = w.Write([]byte("<!doctype html><title>evil</title><body>"))
	}))
	t.Cleanup(web.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(web.URL, "http://"))
	_, number, _ := net.SplitHostPort(proxy.address)
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"from-a-page","arguments":{}}}`
	for _, page := range []string{"http://127.0.0.1:" + port, "http://evil.example:" + port, "http://localhost:" + port, "http://127.0.0.1:" + port + "/sandbox"} {
		for _, target := range []string{proxy.url, strings.Replace(proxy.url, "127.0.0.1", "localhost", 1), "http://rebound.example:" + number + "/mcp"} {
			p := newTester(t, c, false)
			p.open(page)
			p.await(`document.readyState === 'complete'`)
			var used []string
			p.must(p.Eval(fmt.Sprintf(`(async () => {
				const got = [], url = %[1]q, body = %[2]q;
				const accept = 'application/json, text/event-stream';
				const attempts = [
					{method: 'POST', body, headers: {'Content-Type': 'application/json', Accept: accept}},
					{method: 'POST', body, headers: {'Content-Type': 'application/json', Accept: accept, 'Mcp-Session-Id': 'x', 'MCP-Protocol-Version': '2025-11-25'}},
					{method: 'POST', body, headers: {'Content-Type': 'text/plain'}},
					{method: 'POST', body: new Blob([body], {type: 'application/json'}), mode: 'no-cors'},
					{method: 'POST', body, mode: 'no-cors', credentials: 'include'},
					{method: 'GET', headers: {Accept: 'text/event-stream'}}, {method: 'DELETE'}, {method: 'GET', mode: 'no-cors'},
				];
				for (const options of attempts) {
					try { const r = await fetch(url, options); if (r.type !== 'opaque' && r.status < 400) got.push(options.method + ' ' + r.status); } catch { /* refused */ }
				}
				try { navigator.sendBeacon(url, new Blob([body], {type: 'application/json'})) } catch { /* refused */ }
				await new Promise((done) => { const s = new EventSource(url); s.onopen = () => { got.push('EventSource'); s.close(); done(); }; s.onerror = () => { s.close(); done(); }; });
				const add = (e) => (document.body ?? document.documentElement).append(e);
				const frame = Object.assign(document.createElement('iframe'), {name: 'post'});
				add(frame);
				const form = Object.assign(document.createElement('form'), {action: url, method: 'POST', target: 'post', enctype: 'text/plain'});
				form.append(Object.assign(document.createElement('input'), {name: body.slice(0, -1) + ',"x":"', value: '"}'}));
				add(form);
				form.submit();
				await new Promise((done) => { frame.onload = done; setTimeout(done, 500); });
				return got;
			})()`, target, message), &used))
			if len(used) > 0 {
				t.Errorf("%s used %s by %v", page, target, used)
			}
		}
	}
	p := newTester(t, c, false)
	p.open("http://rebound.example:" + number + "/mcp")
	p.await(`document.documentElement.textContent.includes('a page of another origin')`)
	text, err := os.ReadFile(trace)
	if err != nil || strings.Contains(string(text), "from-a-page") {
		t.Errorf("the proxy sent %s, %v", text, err)
	}
	// The same message of a program reaches the server.
	req, _ := http.NewRequest(http.MethodPost, proxy.url, strings.NewReader(message))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2026-07-28")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if text, _ = os.ReadFile(trace); !strings.Contains(string(text), "from-a-page") {
		t.Errorf("the proxy answers a program with %s: %s", res.Status, body)
	}
}

// TestTabsWithoutToken: another profile, another tab, and a tab of an earlier start.
func TestTabsWithoutToken(t *testing.T) {
	c := browserFor(t)
	a := startUI(t, "weather", nil)
	p := newTester(t, c, false)
	p.open(a.url)
	p.await(`document.querySelector('[data-item]')`)
	// Reloading keeps the access, and the URL shows no token.
	p.open("http://" + a.address + "/")
	p.await(`document.querySelector('[data-item]')`)
	var at string
	p.must(p.Eval(`location.href + document.referrer + document.cookie`, &at))
	if at != "http://"+a.address+"/" {
		t.Errorf("the address is %s", at)
	}
	for _, separate := range []bool{true, false} {
		other := newTester(t, c, separate)
		other.open("http://" + a.address + "/")
		other.shows("#refused", "This page has no access")
		other.open("http://" + a.address + "/#AAAABBBBCCCCDDDDEEEEFFFFGG")
		other.await(`location.hash === ''`)
		other.shows("#refused", "If mcpecho was started again")
		other.await(`document.querySelector('main').checkVisibility() === false`)
	}
	p.clean()
}
