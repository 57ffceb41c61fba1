package config

// A Discovery holds the settings under tools.mcp.discovery: whether models search
// for tools. A program passes them on to a ToolSearch of package host.
type Discovery struct {
	Enabled    bool
	Turns      int // how long a tool that was found stays visible ("ttl"); 0 if not set
	MaxResults int // of a search; 0 if not set
}

// readDiscovery reads the settings and applies them to the servers: discovery that
// is disabled shows the tools of all of them, and discovery that is enabled hides
// those of the servers that do not say otherwise.
func (c *Config) readDiscovery(m *member) error {
	if m.value == nil {
		return nil
	}
	list, err := object("discovery.", m.value, m.at)
	if err != nil {
		return newFieldError("discovery", err)
	}
	d := &Discovery{}
	for _, m := range list {
		var to any
		switch m.key {
		case "enabled":
			to = &d.Enabled
		case "ttl":
			to = &d.Turns
		case "max_search_results":
			to = &d.MaxResults
		}
		if err := read(to, m.value); err != nil {
			return &fieldError{"discovery." + m.key, err, m.at}
		}
	}
	c.Discovery = d
	for _, s := range c.Servers {
		if s.Deferred == nil || !d.Enabled {
			s.Deferred = &d.Enabled
		}
	}
	return nil
}
