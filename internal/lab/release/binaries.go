package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// targets are the systems that a release has programs for.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// binaries writes into a folder an archive of mcpecho for each target, their checksums, a list
// of what is in them (CycloneDX) and a formula for Homebrew. The same commit and the same Go
// make the same files.
func binaries(root, version, to string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	stamp, err := exec.Command("git", "-C", root, "log", "-1", "--format=%cI").Output()
	if err != nil {
		return err
	}
	modified, err := time.Parse(time.RFC3339, strings.TrimSpace(string(stamp)))
	if err != nil {
		return err
	}
	version = strings.TrimPrefix(version, "v")
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	sums := make(map[string]string) // by target
	var list strings.Builder
	for _, target := range targets {
		system, processor, _ := strings.Cut(target, "/")
		program, err := build(root, system, processor)
		if err != nil {
			return err
		}
		name, files := "mcpecho_"+version+"_"+system+"_"+processor+".tar.gz", []file{{"mcpecho", program}, {"LICENSE", license}}
		pack := tarball
		if system == "windows" {
			name, files[0].name, pack = strings.TrimSuffix(name, ".tar.gz")+".zip", "mcpecho.exe", zipped
		}
		archive, err := pack(files, modified.UTC())
		if err != nil {
			return err
		}
		sums[target] = fmt.Sprintf("%x", sha256.Sum256(archive))
		fmt.Fprintf(&list, "%s  %s\n", sums[target], name)
		if err := os.WriteFile(filepath.Join(to, name), archive, 0o666); err != nil {
			return err
		}
	}
	goVersion, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"checksums.txt":    list.String(),
		"mcpecho.cdx.json": bill(version, strings.TrimSpace(string(goVersion)), modified.UTC()),
		"mcpecho.rb":       formula(version, sums),
	} {
		if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	fmt.Print(list.String())
	return nil
}

func build(root, system, processor string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "binary")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "mcpecho")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/mcpecho")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s/%s: %w\n%s", system, processor, err, out)
	}
	return os.ReadFile(program)
}

type file struct {
	name string
	data []byte
}

func tarball(files []file, modified time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o755, Size: int64(len(f.data)), ModTime: modified, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

func zipped(files []file, modified time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		part, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: modified})
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// bill returns the software bill of materials: this module and the standard library.
func bill(version, goVersion string, modified time.Time) string {
	component := func(kind, name, version, url string) map[string]any {
		return map[string]any{"type": kind, "name": name, "version": version, "purl": url, "bom-ref": url}
	}
	own, std := "pkg:golang/"+path+"@v"+version, "pkg:golang/std@"+strings.TrimPrefix(goVersion, "go")
	text, _ := json.MarshalIndent(map[string]any{ // strings and maps alone
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":     map[string]any{"timestamp": modified.Format(time.RFC3339), "component": component("application", "mcpecho", version, own)},
		"components":   []any{component("library", "std", goVersion, std)},
		"dependencies": []any{map[string]any{"ref": own, "dependsOn": []string{std}}},
	}, "", "  ")
	return string(text) + "\n"
}

// formula returns the formula for Homebrew, which has the checksums of the archives.
func formula(version string, sums map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "class Mcpecho < Formula\n  desc \"Command line for servers of the Model Context Protocol\"\n  homepage \"https://%s\"\n  version %q\n  license \"MIT\"\n", path, version)
	for _, system := range []struct{ brew, name string }{{"macos", "darwin"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system.brew)
		for _, p := range []struct{ brew, name string }{{"arm", "arm64"}, {"intel", "amd64"}} {
			fmt.Fprintf(&b, "    on_%s do\n      url \"https://%s/releases/download/v%s/mcpecho_%s_%s_%s.tar.gz\"\n      sha256 %q\n    end\n",
				p.brew, path, version, version, system.name, p.name, sums[system.name+"/"+p.name])
		}
		b.WriteString("  end\n")
	}
	b.WriteString("\n  def install\n    bin.install \"mcpecho\"\n    generate_completions_from_executable(bin/\"mcpecho\", \"completion\")\n  end\n\n" +
		"  test do\n    assert_match \"42\", shell_output(\"#{bin}/mcpecho call add a=2 b=40 -- #{bin}/mcpecho serve\")\n  end\nend\n")
	return b.String()
}
