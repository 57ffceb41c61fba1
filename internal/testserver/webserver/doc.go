// Package webserver puts the server for trying clients on HTTP: Streamable HTTP
// of every revision at /mcp, and HTTP+SSE of 2024-11-05 at /sse and /message.
//
// Like the engine behind it, package testserver, it judges what it receives by
// the specification, and reports what a client may not send as violations of
// the [testserver.Server]. It shares nothing with the client.
//
// # Ways to run it
//
// [New] returns an http.Handler. [Start] runs one on a socket of this machine
// or, for synctest bubbles, in memory:
//
//	server := testserver.New(nil)
//	web, err := webserver.Start(server, &webserver.Options{Answers: webserver.Stream})
//	…
//	defer web.Close()
//	client := streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client()})
//	…
//	if leaks := web.Leaks(); leaks != nil { // after the client has closed
//		t.Error(leaks)
//	}
//	if v := server.Violations(); v != nil {
//		t.Error(v)
//	}
//
// # Faults
//
// [Faults] lists what goes wrong in HTTP; [Options.Fault] chooses one. The faults
// of testserver that lie in messages work here as well, by
// testserver.Options.Fault. The two can be combined.
//
// # Another origin
//
// A second server that Start runs stands for a place that requests must not
// leak to. It answers like the first and remembers everything it sees; see
// [Running.Foreign].
package webserver
