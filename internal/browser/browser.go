// Package browser starts commands that open a page.
package browser

import (
	"context"
	"os/exec"
	"time"
)

// failTime is how long Start waits for the command to fail. xdg-open takes tenths of a
// second to find that there is no browser.
const failTime = 2 * time.Second

// Start starts cmd and returns an error if it fails within 2 s, or if ctx ends before.
// The command may run for as long as the browser does.
func Start(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }() // ends with the command, or the program
	wait := time.NewTimer(failTime)
	defer wait.Stop()
	select {
	case err := <-exited:
		return err
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
