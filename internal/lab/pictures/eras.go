package main

import (
	"fmt"
	"time"
)

// eras draws the protocol versions over time, and what each of them has.
func eras(string) (*drawing, error) {
	d := newDrawing("Protocol versions over time: the legacy era with initialize, the modern era with server/discover", 900, 370)
	const left, right = 190.0, 880.0
	start, end := date("2024-10-01"), date("2027-03-01")
	x := func(day string) float64 {
		return left + (right-left)*float64(date(day).Sub(start))/float64(end.Sub(start))
	}
	versions := []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}
	for i, v := range versions {
		y := 24.0
		if i == 2 { // too close to its neighbor
			y = 42
		}
		d.text("t", "middle", x(v), y, v)
		d.path("axis", fmt.Sprintf("M%.1f %gV340", x(v), y+8))
	}
	row := func(y float64, name, class, from, to, text string) {
		if name != "" {
			d.text("t", "end", left-14, y+21, name)
		}
		until := right
		if to != "" {
			until = x(to)
		}
		d.bar(class, x(from), y, until-x(from), 32, 4)
		d.text("n", "middle", (x(from)+until)/2, y+20, text)
	}
	row(66, "era", "plain", "2024-11-05", "2026-07-28", "legacy: a session begins with initialize")
	row(66, "", "core", "2026-07-28", "", "modern: no session")
	row(112, "Connect sends", "plain", "2024-11-05", "2026-07-28", "initialize, after a probe without success")
	row(112, "", "core", "2026-07-28", "", "server/discover")
	row(158, "server asks", "plain", "2024-11-05", "2026-07-28", "by requests to the client")
	row(158, "", "core", "2026-07-28", "", "by input_required")
	row(204, "stdio", "core", "2024-11-05", "", "one message on each line")
	row(250, "HTTP+SSE", "plain", "2024-11-05", "2025-03-26", "current")
	row(250, "", "user", "2025-03-26", "", "deprecated; stdmcp supports it")
	row(296, "Streamable HTTP", "plain", "2025-03-26", "2026-07-28", "with sessions and resumption")
	row(296, "", "core", "2026-07-28", "", "every POST on its own")
	return d, nil
}

func date(day string) time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return t
}
