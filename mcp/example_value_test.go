package mcp_test

import (
	"context"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/mcp"
)

func ExampleChanges() {
	ctx := context.Background()
	changes := make(chan mcp.Change, 1)
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{
		Handlers: []mcp.Handler{mcp.Changes{Changed: func(_ context.Context, c mcp.Change) { changes <- c }}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	// From here on no change is missed, so this list stays current.
	if _, err := client.ListTools(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := client.CallTool(ctx, "add_tool", nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println((<-changes).Kind == mcp.ToolsChanged)
	// Output: true
}

func ExampleDecodeValue() {
	v, err := mcp.DecodeValue(mcp.RawMessage(`{"temperature": 21.5, "unit": "C"}`))
	if err != nil {
		log.Fatal(err)
	}
	m := v.(map[string]any)
	fmt.Println(m["temperature"], m["unit"])
	// Output: 21.5 C
}

func ExampleImageContent() {
	c := mcp.ImageContent([]byte("\x89PNG…"), "image/png")
	data, err := c.Bytes()
	fmt.Println(c.Type, c.MIMEType, len(data), err)
	// Output: image image/png 7 <nil>
}

func ExampleAudioContent() {
	c := mcp.AudioContent([]byte("RIFF"), "audio/wav")
	fmt.Println(c.Type, c.Data)
	// Output: audio UklGRg==
}
