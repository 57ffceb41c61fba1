package main

import (
	"os/exec"
	"runtime"
)

// browse opens a page in the user's browser. The URL must be one of http or
// https, which no program takes for a flag.
func (w *world) browse(url string) error {
	name, args := "xdg-open", []string{url}
	switch browser := w.getenv("BROWSER"); {
	case browser != "":
		name = browser
	case runtime.GOOS == "darwin":
		name = "open"
	case runtime.GOOS == "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // ends with what was started, or the program
	return nil
}
