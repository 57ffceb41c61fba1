package blocks

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	maxPixels     = 8000 // of a side of an image, with all providers
	maxPixelsMany = 2000 // of a side, if there are more images than few
	few           = 20
	maxImage      = 5_000_000 // bytes of base64
)

// Image returns the image in a content block as models accept it: PNG, JPEG, GIF or WebP
// by its first bytes, in standard base64. many says that there are more than 20 images.
// It returns false for other blocks. If a block claims to be an image but is none that
// models accept, note says why.
func Image(c *mcp.Content, many bool) (mime, data, note string, ok bool) {
	if c.Raw != nil || ForUser(c) {
		return "", "", "", false
	}
	data = Data(c)
	switch {
	case c.Type == mcp.ContentImage:
	case c.Type == mcp.ContentResource && c.Resource != nil && data != "":
		mime = c.Resource.MIMEType
		if mime != "" && mime != "application/octet-stream" && !strings.HasPrefix(strings.ToLower(mime), "image/") {
			return "", "", "", false
		}
	default:
		return "", "", "", false
	}
	if strings.HasPrefix(data, "data:") {
		if _, after, found := strings.Cut(data[:min(len(data), 200)], ","); found {
			data = data[len(data[:min(len(data), 200)])-len(after):]
		}
	}
	raw, err := wire.DecodeBase64(data)
	kind := imageKind(raw)
	width, height := dimensions(kind, raw)
	limit := maxPixels
	if many {
		limit = maxPixelsMany
	}
	why := ""
	switch {
	case err != nil:
		why = "not base64"
	case kind == "" && c.Type == mcp.ContentResource:
		return "", "", "", false
	case kind == "":
		why = "not a PNG, JPEG, GIF or WebP image"
	case width == 0 || height == 0: // an API would reject each later request of the conversation
		why = "cut off or damaged"
	case max(width, height) > limit:
		why = strconv.Itoa(width) + " × " + strconv.Itoa(height) + " pixels, of which models accept " + strconv.Itoa(limit)
	case len(data) > maxImage:
		why = "larger than " + strconv.Itoa(maxImage) + " bytes of base64, which models accept"
	}
	if why != "" {
		return "", "", strings.TrimSuffix(Text(c), "]") + "; " + why + "]", false
	}
	if b := wire.AppendBase64(nil, raw); string(b[1:len(b)-1]) != data {
		data = string(b[1 : len(b)-1])
	}
	return kind, data, "", true
}

// Many reports whether a result has so many images that they must be smaller.
func Many(res *mcp.CallToolResult) bool {
	n := 0
	for i := range res.Content {
		if _, _, _, ok := Image(&res.Content[i], false); ok {
			n++
		}
	}
	return n > few
}

// imageKind returns the MIME type of an image that models accept by its first bytes.
func imageKind(b []byte) string {
	text := string(b[:min(len(b), 12)])
	switch {
	case strings.HasPrefix(text, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(text, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(text, "GIF87a"), strings.HasPrefix(text, "GIF89a"):
		return "image/gif"
	case len(text) == 12 && text[:4] == "RIFF" && text[8:] == "WEBP":
		return "image/webp"
	}
	return ""
}

// dimensions returns the size of an image in pixels, or 0 if its header does not say it.
func dimensions(kind string, b []byte) (width, height int) {
	big, little := binary.BigEndian, binary.LittleEndian
	switch {
	case kind == "image/png" && len(b) >= 24:
		return int(big.Uint32(b[16:])), int(big.Uint32(b[20:]))
	case kind == "image/gif" && len(b) >= 10:
		return int(little.Uint16(b[6:])), int(little.Uint16(b[8:]))
	case kind == "image/webp" && len(b) >= 30:
		switch string(b[12:16]) {
		case "VP8 ":
			return int(little.Uint16(b[26:])) & 0x3fff, int(little.Uint16(b[28:])) & 0x3fff
		case "VP8L":
			v := little.Uint32(b[21:])
			return int(v&0x3fff) + 1, int(v>>14&0x3fff) + 1
		case "VP8X":
			return int(little.Uint32(b[24:])&0xffffff) + 1, int(little.Uint32(b[26:])>>8) + 1
		}
	case kind == "image/jpeg":
		for i := 2; i+9 <= len(b) && b[i] == 0xff; {
			marker := b[i+1]
			if marker == 0xff { // fill
				i++
				continue
			}
			if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
				return int(big.Uint16(b[i+7:])), int(big.Uint16(b[i+5:]))
			}
			i += 2 + int(big.Uint16(b[i+2:]))
		}
	}
	return 0, 0
}
