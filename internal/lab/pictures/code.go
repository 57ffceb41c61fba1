package main

import "fmt"

// call draws the way of CallTool over stdio: down on the left, and back on the right.
func call(string) (*drawing, error) {
	const left, right, width, height, step = 270.0, 560.0, 220.0, 46.0, 70.0
	type box struct{ class, function, file, note string }
	down := []box{
		{"core", "CallTool", "mcp/tools.go", "the API; waits for tasks"},
		{"core", "call", "mcp/call.go", "the only loop: again with inputs"},
		{"core", "roundTrip", "mcp/call.go", "the cache; a lost session"},
		{"core", "send", "mcp/call.go", "Interceptors, params, timeout"},
		{"plain", "Call", "mcp/jsonrpc/conn.go", "adds the call to the table"},
		{"plain", "flush", "mcp/jsonrpc/writequeue.go", "if no other call is pending"},
		{"plain", "TryWrite", "mcp/stdio/write_unix.go", "what the pipe accepts at once"},
	}
	back := []box{ // beside down; the functions without a box only return
		{},
		{"core", "decode", "mcp/call.go", "reads the result, stores it"},
		{},
		{"plain", "outcome", "mcp/jsonrpc/dispatcher.go", "in Call, which has waited"},
		{"plain", "deliver", "mcp/jsonrpc/table.go", "wakes the caller"},
		{"plain", "Receive, Parse", "dispatcher.go, codec.go", "which call is it for?"},
		{"plain", "lines.Read", "mcp/stdio/lines.go", "the goroutine that reads"},
	}
	top := func(i int) float64 { return 54 + float64(i)*step }
	bottom := top(len(down))
	d := newDrawing("The way of CallTool over stdio, down and back", 1010, bottom+40+24)
	d.text("h", "middle", left+width/2, 34, "the request")
	d.text("h", "middle", right+width/2, 34, "the response")
	for i, b := range down {
		d.box(b.class, left, top(i), width, height, b.function, b.file)
		d.text("s", "end", left-14, top(i)+height/2+4, b.note)
		d.path("a", fmt.Sprintf("M%g %gV%g", left+width/2, top(i)+height, top(i+1)-2))
	}
	from := bottom // where the way back leaves the last box
	for i := len(back) - 1; i >= 0; i-- {
		if b := back[i]; b.function != "" {
			d.box(b.class, right, top(i), width, height, b.function, b.file)
			d.text("s", "start", right+width+14, top(i)+height/2+4, b.note)
			d.path("r", fmt.Sprintf("M%g %gV%g", right+width/2, from, top(i)+height+2))
			from = top(i)
		}
	}
	d.path("r", fmt.Sprintf("M%g %gV%gH%g", right+width/2, from, top(0)+height/2, left+width+2))
	d.box("user", left, bottom, right+width-left, 40, "the server", "")
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
	d := newDrawing("The states of a server of a host, and what leads from each to the next", 1000, 502)
	const width, height = 180.0, 46.0
	box := func(class string, x, y float64, name string) { d.box(class, x, y, width, height, name, "") }
	box("plain", 20, 70, "disconnected")
	box("core", 400, 70, "connecting")
	box("core", 780, 70, "connected")
	box("core", 780, 300, "reconnecting")
	box("bad", 400, 300, "failed")
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
	label("start", 20, 458, "After 5 crashes, or with an invalid configuration, a call fails at once instead of trying again.")
	label("start", 20, 480, "SetEnabled(false) changes no state: it hides the tools and keeps the connection.")
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
