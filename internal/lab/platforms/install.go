package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const wazero = "github.com/tetratelabs/wazero/cmd/wazero@v1.12.0"

// install installs what the platforms of these names need, and prints its folder.
func install(names []string) error {
	for _, p := range platforms {
		if slices.Contains(names, p.name) && p.prepare != nil {
			if err := p.prepare(p); err != nil {
				return err
			}
		}
	}
	dir, err := tools()
	fmt.Println(dir)
	return err
}

// need installs Debian packages unless the programs are there.
func need(programs []string, packages ...string) error {
	missing := false
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing = true
		}
	}
	if !missing {
		return nil
	}
	if os.Getuid() != 0 {
		return fmt.Errorf("install %s", strings.Join(packages, ", "))
	}
	if out, err := exec.Command("apt-get", "update", "-qq").CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get update: %s", out)
	}
	c := exec.Command("apt-get", append([]string{"install", "-y", "-qq", "--no-install-recommends"}, packages...)...)
	c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get install: %s", out)
	}
	return nil
}

// prepareQEMU lets Linux run the platform's programs by itself, so that a test
// can start its own program.
func prepareQEMU(p *platform) error {
	processor := map[string]string{"linux/arm": "arm", "linux/arm64": "aarch64", "linux/s390x": "s390x"}[p.name]
	if err := need([]string{"qemu-" + processor}, "qemu-user", "qemu-user-binfmt"); err != nil {
		return err
	}
	const dir = "/proc/sys/fs/binfmt_misc/"
	if _, err := os.Stat(dir + "register"); err != nil {
		if out, err := exec.Command("mount", "-t", "binfmt_misc", "binfmt_misc", dir).CombinedOutput(); err != nil {
			return fmt.Errorf("mount binfmt_misc: %s", out)
		}
	}
	if _, err := os.Stat(dir + "qemu-" + processor); err == nil {
		return nil
	}
	conf, err := os.ReadFile("/usr/lib/binfmt.d/qemu-" + processor + ".conf")
	if err != nil {
		return err
	}
	return os.WriteFile(dir+"register", conf, 0o200)
}

// wasm adds the programs that go test runs WebAssembly with to PATH.
func (p *platform) wasm(dir string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	folders := []string{dir, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm"), os.Getenv("PATH")}
	p.env = append(p.env, "PATH="+strings.Join(folders, string(os.PathListSeparator)))
	return nil
}

func prepareWazero(p *platform) error {
	dir, err := tools()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "wazero")); err != nil {
		c := exec.Command("go", "install", wazero)
		c.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("go install: %s", out)
		}
	}
	p.env = append(p.env, "GOWASIRUNTIME=wazero")
	return p.wasm(dir)
}

func prepareNode(p *platform) error {
	if _, err := exec.LookPath("node"); err != nil {
		return errors.New("install Node")
	}
	return p.wasm("")
}

// prng is a DLL of Windows that Wine 8 does not have and Go needs for random
// numbers.
//
//go:embed wine/prng.c
var prng []byte

func prepareWine(p *platform) error {
	if err := need([]string{"wine", "x86_64-w64-mingw32-gcc"}, "wine", "wine64", "gcc-mingw-w64-x86-64-win32"); err != nil {
		return err
	}
	dir, err := tools()
	if err != nil {
		return err
	}
	if p.flags, err = wineFlags(dir); err != nil {
		return err
	}
	p.leaves = filepath.Join(dir, "wine", "drive_c", "users", "*", "Temp", "*")
	// To preempt goroutines Go suspends threads, which Wine may never let go on.
	p.env = append(p.env, "WINEPREFIX="+filepath.Join(dir, "wine"), "WINEDEBUG=-all", "WINEARCH=win64", "GODEBUG=asyncpreemptoff=1")
	source, library := filepath.Join(dir, "prng.c"), filepath.Join(dir, "wine", "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return p.startWine(dir)
	}
	if err := os.WriteFile(source, prng, 0o644); err != nil {
		return err
	}
	for _, c := range []*exec.Cmd{
		p.command("wineboot", "--init"),
		p.command("wineserver", "--wait"),
		p.command("x86_64-w64-mingw32-gcc", "-shared", "-o", library, source, "-ladvapi32"),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %v: %s", c.Args[0], err, out)
		}
	}
	return p.startWine(dir)
}

// wineFlags returns the flags with which go test compiles package os for Wine. Go
// asks Windows in a new way to remove a file, and in the old way if it does not
// know that. Wine answers with another status than Windows.
func wineFlags(dir string) ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syscall", "windows", "at_windows.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	const known, notImplemented = "case STATUS_INVALID_INFO_CLASS,", " NTStatus(0xC0000002),"
	before, after, ok := strings.Cut(string(source), known)
	if !ok {
		return nil, fmt.Errorf("%s has no line %s", file, known)
	}
	changed, overlay := filepath.Join(dir, "at_windows.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.WriteFile(changed, []byte(before+known+notImplemented+after), 0o644), os.WriteFile(overlay, text, 0o644))
	return []string{"-overlay", overlay}, err
}

// startWine writes the program that go test runs Windows programs with, and starts
// Wine, whose services keep the output of the program that is the first: go test
// would wait for them. They end with this program.
func (p *platform) startWine(dir string) error {
	first := p.command("wine", "cmd")
	if _, err := first.StdinPipe(); err != nil {
		return err
	}
	if err := first.Start(); err != nil {
		return err
	}
	p.env = append(p.env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return os.WriteFile(filepath.Join(dir, "go_windows_amd64_exec"), []byte("#!/bin/sh\nexec wine \"$@\"\n"), 0o755)
}
