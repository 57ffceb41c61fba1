package batch

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"
)

var getSystemDirectory = syscall.NewLazyDLL("kernel32.dll").NewProc("GetSystemDirectoryW")

// If a command is a batch file, Prepare quotes its arguments for cmd.exe, in
// SysProcAttr.CmdLine. It changes no other command, and leaves a program that it
// does not find to cmd.Start.
func Prepare(cmd *exec.Cmd) error {
	if cmd.Err != nil || cmd.SysProcAttr != nil && cmd.SysProcAttr.CmdLine != "" {
		return nil
	}
	script, ok := find(cmd.Path, cmd.Dir)
	if !ok || !isFile(script) {
		return nil
	}
	line, err := commandLine(script, cmd.Args[1:])
	if err != nil {
		return err
	}
	shell, err := systemFile("cmd.exe")
	if err != nil {
		return err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.Path, cmd.SysProcAttr.CmdLine = shell, line
	return nil
}

func find(path, dir string) (file string, ok bool) {
	if path == "" {
		return "", false
	}
	rooted := filepath.VolumeName(path) != "" || os.IsPathSeparator(path[0])
	switch {
	case dir != "" && !rooted:
		path = filepath.Join(dir, path)
		fallthrough
	case filepath.Base(path) == path:
		if !filepath.IsAbs(path) {
			path = "." + string(filepath.Separator) + path // or it would be looked up
		}
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", false
	}
	found, err = filepath.Abs(found)
	return found, err == nil
}

func systemFile(name string) (string, error) {
	var dir [syscall.MAX_PATH]uint16
	n, _, err := getSystemDirectory.Call(uintptr(unsafe.Pointer(&dir)), uintptr(len(dir)))
	if n == 0 || int(n) > len(dir) {
		return "", os.NewSyscallError("GetSystemDirectory", err)
	}
	return filepath.Join(syscall.UTF16ToString(dir[:n]), name), nil
}
