package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// TestArchivesAreTheSameEachTime and contain what they should, with the right to run it.
func TestArchivesAreTheSameEachTime(t *testing.T) {
	files := []file{{"mcpecho", []byte("program")}, {"LICENSE", []byte("text")}}
	day := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	for name, pack := range map[string]func([]file, time.Time) ([]byte, error){"tar.gz": tarball, "zip": zipped} {
		a, err := pack(files, day)
		b, err2 := pack(files, day)
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: two archives differ (%v, %v)", name, err, err2)
		}
	}
	packed, _ := tarball(files, day) // checked above
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	h, err := r.Next()
	if err != nil || h.Name != "mcpecho" || h.Mode != 0o755 || !h.ModTime.Equal(day) {
		t.Fatalf("%+v, %v", h, err)
	}
	if data, err := io.ReadAll(r); err != nil || string(data) != "program" {
		t.Errorf("%q, %v", data, err)
	}
	packed, _ = zipped(files, day) // checked above
	zr, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(zr.File) != 2 || zr.File[0].Name != "mcpecho" {
		t.Errorf("%v, %v", zr, err)
	}
}

func TestFormulaAndBill(t *testing.T) {
	sums := make(map[string]string)
	for _, target := range targets {
		sums[target] = "sum of " + target
	}
	f := formula("1.2.3", sums)
	for _, target := range targets {
		system, processor, _ := strings.Cut(target, "/")
		url := "releases/download/v1.2.3/mcpecho_1.2.3_" + system + "_" + processor + ".tar.gz\"\n      sha256 \"" + sums[target] + `"`
		if strings.Contains(f, url) == (system == "windows") {
			t.Errorf("%s in\n%s", target, f)
		}
	}
	if strings.Count(f, " do\n")+2 != strings.Count(f, "end\n") { // and the class and install
		t.Errorf("the blocks do not end:\n%s", f)
	}
	var b struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal([]byte(bill("1.2.3", "go1.26.8", time.Now())), &b); err != nil || b.BOMFormat != "CycloneDX" || len(b.Components) != 1 || b.Components[0].Version != "go1.26.8" {
		t.Errorf("%+v, %v", b, err)
	}
}
