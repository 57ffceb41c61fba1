package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// maxPicture limits a picture of the documentation, in bytes.
const maxPicture = 150 << 10

// TestPictures makes the pictures of the documentation in the folder that STDMCP_PICTURES
// names: after a call, and during a question.
func TestPictures(t *testing.T) {
	folder := os.Getenv("STDMCP_PICTURES")
	if folder == "" {
		t.Skip("scripts/docs ui makes the pictures")
	}
	c := browserFor(t)
	changed := filepath.Join(t.TempDir(), "server.js")
	a := startUI(t, "weather", []string{"CHANGED=" + changed}, filepath.Dir(changed))
	p := newTester(t, c, false)
	p.must(p.Resize(1400, 860, 1.5))
	p.open(a.url)
	p.choose("tool", "station")
	p.click("[data-path='/id'] textarea")
	p.typeIn("LIS")
	p.click("#run")
	p.shows("#outcome", "no station")
	p.must(os.WriteFile(changed, nil, 0o600))
	p.shows("#changes", "1 changed")
	p.choose("tool", "forecast")
	p.typeIn("Lisbon")
	p.click("#run")
	p.shows(".check.fits", "matches")
	p.shows(".row.request", "tools/call forecast")
	p.run(`[...document.querySelectorAll('.row.request')].pop().click()`)
	p.shows("#entry pre", "Lisbon")
	p.run(`document.activeElement.blur(); document.getElementById('target').textContent = 'node server.js'`)
	for _, theme := range []string{"light", "dark"} {
		p.must(p.Theme(theme))
		p.run(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
		picture, err := p.Picture()
		p.must(err)
		small, err := shrink(picture)
		p.must(err)
		if len(small) > maxPicture {
			t.Errorf("the picture in %s is %d bytes", theme, len(small))
		}
		p.must(os.WriteFile(filepath.Join(folder, "ui-"+theme+".png"), small, 0o644))
	}
	p.clean()
}

// shrink returns a picture with the 96 colors that it uses most.
func shrink(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	uses := make(map[color.RGBA]int)
	area := from.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			uses[at(x, y)]++
		}
	}
	var colors []color.RGBA
	for c := range uses {
		colors = append(colors, c)
	}
	weight := func(c color.RGBA) int { // bright colors have few pixels
		return uses[c] * (1 + int(max(c.R, c.G, c.B)-min(c.R, c.G, c.B))/4)
	}
	slices.SortFunc(colors, func(a, b color.RGBA) int {
		return cmp.Or(weight(b)-weight(a), int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range colors[:min(96, len(colors))] {
		palette = append(palette, c)
	}
	nearest := make(map[color.RGBA]uint8)
	to := image.NewPaletted(area, palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			index, known := nearest[c]
			if !known {
				index = uint8(palette.Index(c))
				nearest[c] = index
			}
			to.SetColorIndex(x, y, index)
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, to)
	return out.Bytes(), err
}
