package main

import (
	"context"
	"strconv"
	"time"
)

func runPing(ctx context.Context, c *invocation) error {
	return c.withServer(ctx, func(s *conversation) error {
		began := time.Now()
		if err := s.Ping(ctx); err != nil {
			return err
		}
		if c.flags.json {
			return c.printJSON([]byte("{}"))
		}
		took := strconv.FormatFloat(float64(time.Since(began).Microseconds())/1000, 'f', 1, 64) + " ms"
		return c.print(escapeName(s.Server().Name) + " responded in " + took + "\n")
	})
}
