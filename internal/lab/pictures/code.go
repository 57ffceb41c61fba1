package main

import "fmt"

// call draws the way of CallTool.
func call(string) (*drawing, error) {
	steps := []struct{ class, title, line, note string }{
		{"core", "tools.go", "CallTool", "the API"},
		{"core", "call_inputs.go", "callWithInputs", "sends again with the input that the server needs"},
		{"core", "call_result.go", "fetch, readResult", "decodes the result"},
		{"core", "call_cache.go", "lookup, store", "results that stay fresh (ttlMs)"},
		{"core", "era_session.go", "inSession", "a new session if the server has lost the old one"},
		{"core", "call_intercept.go", "intercept", "Options.Intercept"},
		{"core", "call_send.go", "send", "params, _meta, timeout, progress token"},
		{"plain", "jsonrpc.Conn", "Call", "registers the id, writes, waits"},
		{"plain", "transport", "stdio, streamhttp, sse", "one line, or one POST"},
	}
	const x, width, height, gap = 30.0, 250.0, 44.0, 24.0
	d := newDrawing("The way of CallTool, down and back", 760, 24+float64(len(steps))*(height+gap)-gap+24)
	for i, s := range steps {
		y := 24 + float64(i)*(height+gap)
		d.box(s.class, x, y, width, height, s.title, s.line)
		d.text("s", "start", x+width+80, y+height/2+4, s.note)
		if i > 0 {
			d.path("a", fmt.Sprintf("M%g %gV%g", x+70, y-gap, y-2))
			d.path("r", fmt.Sprintf("M%g %gV%g", x+width-70, y, y-gap+2))
		}
	}
	again := func(from, to int) {
		y0, y1 := 24+float64(from)*(height+gap)+height/2, 24+float64(to)*(height+gap)+height/2
		d.path("r", fmt.Sprintf("M%g %gC%g %g %g %g %g %g", x+width, y0+6, x+width+56, y0+10, x+width+56, y1-2, x+width+3, y1))
	}
	again(1, 2)
	again(4, 5)
	return d, nil
}

// hosts draws what a host has between a model and its servers.
func hosts(string) (*drawing, error) {
	d := newDrawing("A host between the model of an agent and its servers", 800, 420)
	columns := []float64{20, 283, 546}
	const width, height = 234.0, 46.0
	rows := []struct {
		y     float64
		class string
		boxes [3][2]string
	}{
		{20, "user", [3][2]string{{"model", "names a tool, writes arguments"}, {"agents", "a View each"}, {"files", ".mcp.json and other dialects"}}},
		{110, "core", [3][2]string{{"Execute, Call", "search_tools, call_tool"}, {"Snapshot", "names, overrides, search"}, {"SetServers", "a Diff of what changed"}}},
		{200, "core", [3][2]string{{"Approve, Pins", "rules, capabilities, user"}, {"Catalog", "what servers said before"}, {"supervision", "back-off, crashes, pings"}}},
		{354, "plain", [3][2]string{{"child processes", "host.Stdio"}, {"servers at a URL", "dialers: HTTP, SSE"}, {"in this process", "host.InProcess"}}},
	}
	for i, r := range rows {
		for j, b := range r.boxes {
			d.box(r.class, columns[j], r.y, width, height, b[0], b[1])
			middle := columns[j] + width/2
			switch {
			case i == 0 || i == 1 && j != 1:
				d.path("a", fmt.Sprintf("M%g %gV%g", middle, r.y+height, rows[i+1].y-2))
			case i == 1:
				d.path("a", fmt.Sprintf("M%g %gV%g", middle, rows[i+1].y, r.y+height+2))
			case i == 2 && j != 1:
				d.path("a", fmt.Sprintf("M%g %gV%d", middle, r.y+height, 288))
			case i == 2:
				d.path("a", fmt.Sprintf("M%g %dV%g", middle, 290, r.y+height+2))
			default:
				d.path("a", fmt.Sprintf("M%g %dV%g", middle, 326, r.y-2))
			}
		}
	}
	d.box("plain", 20, 290, 760, 36, "one mcp.Client for each server", "")
	return d, nil
}

// states draws the states of a server of a host, with what leads out of each.
func states(string) (*drawing, error) {
	d := newDrawing("The states of a server of a host, and what leads from each to the next", 1000, 480)
	const width, height = 180.0, 46.0
	box := func(class string, x, y float64, name string) { d.box(class, x, y, width, height, name, "") }
	box("plain", 20, 70, "disconnected")
	box("core", 400, 70, "connecting")
	box("core", 780, 70, "connected")
	box("core", 780, 300, "reconnecting")
	box("bad", 400, 300, "error")
	box("user", 20, 300, "needs-auth")
	label := func(anchor string, x, y float64, lines ...string) {
		for i, line := range lines {
			d.text("s", anchor, x, y+15*float64(i), line)
		}
	}
	d.line("a", 200, 90, 398, 90)
	label("middle", 300, 65, "SetServers, Connect,", "first use if lazy")
	d.line("a", 580, 90, 778, 90)
	label("middle", 680, 80, "tools are listed")
	d.line("a", 870, 70, 870, 30, 110, 30, 110, 68)
	label("middle", 490, 22, "Disconnect")
	d.line("a", 830, 116, 830, 298)
	label("end", 822, 190, "connection ends")
	d.line("a", 910, 300, 910, 118)
	label("start", 918, 190, "after 1,", "2, … 30 s")
	d.line("a", 780, 323, 582, 323)
	label("middle", 681, 300, "3 retries failed, or", "5 crashes in 3 min")
	d.line("a", 420, 116, 420, 298)
	label("end", 412, 190, "no retry", "can help")
	d.line("a", 452, 300, 452, 118)
	label("start", 460, 175, "after 5 minutes,", "a call, SetServers,", "Connect, Reconnect")
	d.line("a", 580, 106, 650, 106, 650, 250, 800, 250, 800, 298)
	label("start", 658, 244, "first try failed")
	d.line("a", 400, 110, 340, 110, 340, 250, 130, 250, 130, 298)
	label("start", 140, 244, "server requires a login")
	d.line("a", 60, 300, 60, 180, 312, 180, 312, 100, 398, 100)
	label("start", 70, 159, "Connect or Reconnect,", "after the login")
	d.line("a", 870, 346, 870, 384, 110, 384, 110, 348)
	label("middle", 490, 377, "server requires a login")
	label("start", 20, 414, "RemoveServer and Shutdown end a server in every state; Disconnect returns it to disconnected.")
	label("start", 20, 436, "A server at an unreachable URL is reconnecting until it is reachable: its retries have no limit.")
	label("start", 20, 458, "SetEnabled(false) changes no state: it hides the tools and keeps the connection.")
	return d, nil
}

// packages draws the packages and their imports.
func packages(string) (*drawing, error) {
	d := newDrawing("The packages of stdmcp and their imports, which point down only", 900, 480)
	d.box("user", 20, 16, 860, 46, "your program, cmd/mcpecho", "chooses the packages that it links")
	d.box("plain", 20, 106, 195, 50, "mcp/host", "config, dialers, schema")
	d.box("plain", 250, 106, 115, 50, "mcp/typed", "Go structs")
	d.box("plain", 380, 106, 150, 50, "mcp/jsonschema", "checks results")
	d.box("plain", 545, 106, 110, 50, "mcp/skills", "SEP-2640")
	d.box("plain", 745, 106, 135, 50, "mcp/oauth", "RoundTripper")
	d.box("core", 20, 210, 350, 56, "mcp", "types, both eras, Client, handlers")
	d.box("plain", 390, 210, 120, 56, "mcp/stdio", "subprocesses")
	d.box("plain", 530, 210, 145, 56, "mcp/streamhttp", "Streamable HTTP")
	d.box("plain", 695, 210, 95, 56, "mcp/sse", "HTTP+SSE")
	d.box("core", 20, 306, 490, 50, "mcp/jsonrpc", "messages, ids, pending calls, dispatch, connections")
	d.box("plain", 530, 306, 170, 50, "eventstream", "internal")
	d.box("plain", 715, 306, 165, 50, "httpx", "internal")
	d.box("core", 20, 406, 490, 50, "internal/wire", "JSON text")
	d.box("plain", 530, 406, 350, 50, "diag, retry, buffers, queue", "internal: one of each helper")
	for _, p := range []string{
		"M110 62V104", "M232 62V208", "M307 62V104", "M450 62V104", "M600 62V104", "M812 62V104", "M668 62V186H470V208", "M690 62V170H640V208", "M730 62V208",
		"M110 156V208", "M307 156V208", "M600 156V172H350V208", "M450 156V172", "M180 156V188H420V208",
		"M195 266V304", "M450 266V304", "M545 266V286H500V304", "M600 266V304", "M650 266V286H735V304", "M712 266V278H690V304", "M755 266V304", "M840 156V304",
		"M260 356V404",
	} {
		class := "a"
		if p == "M450 156V172" {
			class = "j" // joins the line of another package
		}
		d.path(class, p)
	}
	return d, nil
}
