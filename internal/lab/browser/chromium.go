package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Find returns the path of a Chromium, or "".
func Find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A Chromium is a browser that a program drives. It speaks messages that end with a NUL
// over a pipe.
type Chromium struct {
	cmd    *exec.Cmd
	in     *os.File
	folder string
	exited chan struct{}

	mu      sync.Mutex
	last    int
	pending map[int]chan reply
	events  []func(session, method string, params json.RawMessage)
	err     error // why the browser ended
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// Start starts a browser with a new profile. The caller must call Close.
func Start(path string, flags ...string) (*Chromium, error) {
	folder, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	c := &Chromium{folder: folder, exited: make(chan struct{}), pending: make(map[int]chan reply)}
	fromUs, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromIt, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.in = in
	c.cmd = exec.Command(path, append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb", "--user-data-dir=" + folder, "--remote-debugging-pipe"}, flags...)...)
	c.cmd.ExtraFiles = []*os.File{fromUs, fromIt}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	fromUs.Close()
	fromIt.Close()
	go c.read(out) // ends with the browser
	return c, nil
}

// Close ends the browser.
func (c *Chromium) Close() {
	c.in.Close() // the browser ends when its pipe does
	select {
	case <-c.exited:
	case <-time.After(5 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
	_ = c.cmd.Wait()
	for range 20 { // processes of the browser may still write
		if os.RemoveAll(c.folder) == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (c *Chromium) read(out *os.File) {
	defer close(c.exited)
	defer out.Close()
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := lines.ReadBytes(0)
		if err != nil {
			c.mu.Lock()
			c.err = errors.New("the browser has ended")
			for id, waits := range c.pending {
				close(waits)
				delete(c.pending, id)
			}
			c.mu.Unlock()
			return
		}
		var m struct {
			ID        int
			Method    string
			Params    json.RawMessage
			SessionID string
			reply
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		waits, handlers := c.pending[m.ID], c.events
		delete(c.pending, m.ID)
		c.mu.Unlock()
		if m.Method != "" {
			for _, f := range handlers {
				f(m.SessionID, m.Method, m.Params)
			}
		} else if waits != nil {
			waits <- m.reply
		}
	}
}

// call sends a command and decodes its result.
func (c *Chromium) call(ctx context.Context, session, method string, params, result any) error {
	waits := make(chan reply, 1)
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return c.err
	}
	c.last++
	id := c.last
	c.pending[id] = waits
	c.mu.Unlock()
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(text, 0)); err != nil {
		return err
	}
	select {
	case r, ok := <-waits:
		switch {
		case !ok:
			return errors.New("the browser has ended")
		case r.Error != nil:
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		case result != nil:
			return json.Unmarshal(r.Result, result)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}

// A Page is a tab.
type Page struct {
	c       *Chromium
	ctx     context.Context
	session string
	target  string

	mu       sync.Mutex
	problems []string // errors on the console, and exceptions
	dialogs  []string // texts of alert and the like
}

// Open opens a tab. A separate tab has a profile of its own.
func (c *Chromium) Open(ctx context.Context, separate bool) (*Page, error) {
	target := map[string]any{"url": "about:blank"}
	if separate {
		var made struct{ BrowserContextID string }
		if err := c.call(ctx, "", "Target.createBrowserContext", nil, &made); err != nil {
			return nil, err
		}
		target["browserContextId"] = made.BrowserContextID
	}
	var created struct{ TargetID string }
	if err := c.call(ctx, "", "Target.createTarget", target, &created); err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	if err := c.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": created.TargetID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	p := &Page{c: c, ctx: ctx, session: attached.SessionID, target: created.TargetID}
	c.mu.Lock()
	c.events = append(slices.Clip(c.events), p.event)
	c.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		if err := p.call(domain+".enable", nil, nil); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Page) call(method string, params, result any) error {
	return p.c.call(p.ctx, p.session, method, params, result)
}

// event collects what went wrong on the page.
func (p *Page) event(session, method string, params json.RawMessage) {
	if session != p.session {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch method {
	case "Runtime.exceptionThrown", "Log.entryAdded":
		if method == "Log.entryAdded" && !strings.Contains(string(params), `"level":"error"`) {
			return
		}
		p.problems = append(p.problems, string(params))
	case "Page.javascriptDialogOpening":
		p.dialogs = append(p.dialogs, string(params))
		go func() { _ = p.call("Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil) }() // ends with the browser
	}
}

// Problems returns the errors of the page so far.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

// Dialogs returns the texts of alert and the like.
func (p *Page) Dialogs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.dialogs)
}

// Close closes the tab.
func (p *Page) Close() error {
	return p.c.call(p.ctx, "", "Target.closeTarget", map[string]any{"targetId": p.target}, nil)
}

// Go opens a URL. The error is that of the navigation.
func (p *Page) Go(url string) error {
	var res struct{ ErrorText string }
	if err := p.call("Page.navigate", map[string]any{"url": url}, &res); err != nil {
		return err
	}
	if res.ErrorText != "" {
		return errors.New(res.ErrorText)
	}
	return nil
}

// Eval evaluates an expression, waits for its promise, and decodes its value.
func (p *Page) Eval(expression string, result any) error {
	var res struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &res)
	switch {
	case err != nil:
		return err
	case res.ExceptionDetails != nil:
		return fmt.Errorf("%.200s: %s %s", expression, res.ExceptionDetails.Text, res.ExceptionDetails.Exception.Description)
	case result == nil || res.Result.Value == nil:
		return nil
	}
	return json.Unmarshal(res.Result.Value, result)
}

// Await waits until an expression is true. A page that is being loaded has no value yet.
func (p *Page) Await(expression string) error {
	for {
		var ok bool
		err := p.Eval("Boolean("+expression+")", &ok)
		if ok {
			return nil
		}
		select {
		case <-p.ctx.Done():
			var text string
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			late := &Page{c: p.c, ctx: ctx, session: p.session}
			_ = late.Eval("document.body.innerText", &text)
			return fmt.Errorf("%s is not true in time (%v); the page shows:\n%s", expression, err, text)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Press presses a key, such as "Enter", "Tab" or "a", with modifiers: 1 Alt, 2 Ctrl, 8 Shift.
func (p *Page) Press(key string, modifiers int) error {
	codes := map[string]int{"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Backspace": 8, " ": 32, "PageDown": 34, "PageUp": 33}
	event := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key], "modifiers": modifiers}
	switch {
	case key == "Enter":
		event["text"] = "\r"
	case key == " ":
		event["text"], event["code"] = " ", "Space"
	case len(key) == 1:
		event["text"], event["windowsVirtualKeyCode"] = key, int(strings.ToUpper(key)[0])
	}
	if err := p.call("Input.dispatchKeyEvent", event, nil); err != nil {
		return err
	}
	event["type"] = "keyUp"
	delete(event, "text")
	return p.call("Input.dispatchKeyEvent", event, nil)
}

// Type types a text into the focused element.
func (p *Page) Type(text string) error {
	return p.call("Input.insertText", map[string]any{"text": text}, nil)
}

// Click clicks the first element with a selector, with the mouse.
func (p *Page) Click(selector string) error {
	quoted, _ := json.Marshal(selector)
	if err := p.Await("document.querySelector(" + string(quoted) + ")"); err != nil {
		return err
	}
	var at struct{ X, Y float64 }
	if err := p.Eval(`(() => { const e = document.querySelector(`+string(quoted)+`); e.scrollIntoView({block:'center'}); const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2} })()`, &at); err != nil {
		return err
	}
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		event := map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}
		if err := p.call("Input.dispatchMouseEvent", event, nil); err != nil {
			return err
		}
	}
	return nil
}

// Resize sets the size of the window in CSS pixels, and the number of pixels for each.
func (p *Page) Resize(width, height int, scale float64) error {
	return p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": scale, "mobile": false}, nil)
}

// Theme selects the light or the dark theme.
func (p *Page) Theme(name string) error {
	return p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}}}, nil)
}

// Picture returns the page as a PNG image.
func (p *Page) Picture() ([]byte, error) {
	var res struct{ Data string }
	if err := p.call("Page.captureScreenshot", map[string]any{"format": "png"}, &res); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(res.Data)
}
