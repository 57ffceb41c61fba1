package queue_test

import (
	"fmt"

	"github.com/stdmcp/stdmcp/internal/queue"
)

func ExampleQueue() {
	q := queue.Queue{Max: 10}
	done := make(chan struct{})
	for _, name := range []string{"one", "two"} {
		q.Add(func() { fmt.Println(name) })
	}
	q.Add(func() { close(done) })
	<-done
	// Output:
	// one
	// two
}
