// Release makes the module that users of a version get, and installs it as they do:
//
//	release VERSION
//	release -binaries FOLDER VERSION
//
// It writes the zip of the last commit into a folder that serves as a module proxy.
// With that proxy alone, in an empty home, it installs mcpecho, and builds and runs the
// program of the README, and builds the examples. With -binaries it builds what a release has
// to download instead.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const path = "github.com/stdmcp/stdmcp"

// maxZip is the maximum size of the zip in bytes. Folders with a go.mod of their own, such
// as docs and those that only tests read, are outside of it.
const maxZip = 2_500_000

func main() {
	root := flag.String("root", ".", "the folder of the repository")
	commit := flag.String("commit", "HEAD", "the commit")
	folder := flag.String("binaries", "", "build archives of mcpecho, with checksums, into this folder")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: release [-root FOLDER] [-commit COMMIT] [-binaries FOLDER] VERSION")
	}
	if *folder != "" {
		if err := binaries(*root, flag.Arg(0), *folder); err != nil {
			log.Fatal("release: ", err)
		}
		return
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		log.Fatal(err)
	}
	err = check(dir, *root, *commit, flag.Arg(0))
	if e := remove(dir); err == nil {
		err = e
	}
	if err != nil {
		log.Fatal("release: ", err)
	}
}

// remove removes a folder with a module cache, whose files cannot be written.
func remove(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return err
	})
	return os.RemoveAll(dir)
}

// check makes a proxy with the version and uses it.
func check(dir, root, commit, version string) error {
	m := module.Version{Path: path, Version: version}
	if err := module.Check(m.Path, m.Version); err != nil {
		return err
	}
	proxy := filepath.Join(dir, "proxy")
	folder := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var archive bytes.Buffer
	files, err := exec.Command("git", "-C", root, "archive", "--format=tar", commit).Output()
	if err != nil {
		return err
	}
	source := filepath.Join(dir, "source")
	if err := os.Mkdir(source, 0o700); err != nil {
		return err
	}
	tar := exec.Command("tar", "-x", "-C", source)
	tar.Stdin = bytes.NewReader(files)
	if err := tar.Run(); err != nil {
		return err
	}
	if err := zip.CreateFromDir(&archive, m, source); err != nil { // without modules of their own
		return err
	}
	if archive.Len() > maxZip {
		return fmt.Errorf("the zip of the module is %d bytes, want at most %d", archive.Len(), maxZip)
	}
	mod, err := exec.Command("git", "-C", root, "show", commit+":go.mod").Output()
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339)),
		version + ".mod":  mod,
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	fmt.Printf("%s@%s: %d KB\n", path, version, archive.Len()/1000)

	env := environment(dir, proxy)
	if _, err := run(env, dir, "go", "install", path+"/cmd/mcpecho@"+version); err != nil {
		return err
	}
	out, err := run(env, dir, "mcpecho", "version")
	if err != nil {
		return err
	}
	if want := "mcpecho " + strings.TrimPrefix(version, "v") + " "; !strings.HasPrefix(out, want) {
		return fmt.Errorf("the command says %q, not %q", out, want)
	}
	fmt.Print(out)
	if err := program(env, dir, version); err != nil {
		return err
	}
	return examples(env, dir, version)
}

// examples builds each example with the module of the zip in place of the source beside it.
func examples(env []string, dir, version string) error {
	folder := filepath.Join(dir, "source", "examples")
	for _, command := range []string{"go mod edit -dropreplace " + path + " -require " + path + "@" + version, "go mod tidy", "go build ./...", "go vet ./..."} {
		if _, err := run(env, folder, strings.Fields(command)...); err != nil {
			return fmt.Errorf("examples: %w", err)
		}
	}
	fmt.Println("the examples build with the module alone")
	return nil
}

// environment returns that of a user who has Go with its defaults and nothing else. The
// database of checksums does not know the version yet.
func environment(dir, proxy string) []string {
	bin := filepath.Join(dir, "bin")
	return []string{
		"HOME=" + dir, "USERPROFILE=" + dir, "TMPDIR=" + os.TempDir(), "GOPATH=" + dir, "GOBIN=" + bin, "GOCACHE=" + filepath.Join(dir, "cache"),
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"GOPROXY=file://" + filepath.ToSlash(proxy), "GONOSUMDB=" + path,
	}
}

// program builds the first program of the README as it says, runs it, and vendors
// the module.
func program(env []string, dir, version string) error {
	readme, err := os.ReadFile(filepath.Join(dir, "source", "README.md"))
	if err != nil {
		return err
	}
	code := regexp.MustCompile("(?s)\n```go\n(package main\n.*?)\n```").FindSubmatch(readme)
	if code == nil {
		return errors.New("README.md has no program")
	}
	agent := filepath.Join(dir, "agent")
	if err := os.Mkdir(agent, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(agent, "main.go"), code[1], 0o600); err != nil {
		return err
	}
	for _, command := range []string{"go mod init agent", "go get " + path + "@" + version, "go mod tidy", "go vet .", "go run .", "go mod vendor", "go run -mod=vendor ."} {
		out, err := run(env, agent, strings.Fields(command)...)
		if err != nil {
			return err
		}
		if strings.HasPrefix(command, "go run") && out != "42\n" {
			return fmt.Errorf("%s: the program of the README prints %q", command, out)
		}
	}
	fmt.Println("the program of the README prints 42, also with vendored packages")
	return nil
}

// run runs a command in a folder and returns its standard output.
func run(env []string, dir string, command ...string) (string, error) {
	name := command[0]
	for _, v := range env { // exec.Command looks in the PATH of this process
		if folder, ok := strings.CutPrefix(v, "GOBIN="); ok && name != "go" {
			name = filepath.Join(folder, name)
		}
	}
	cmd := exec.Command(name, command[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, errs.Bytes())
	}
	return out.String(), nil
}
