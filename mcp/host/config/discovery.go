package config

// A Discovery holds the settings under tools.mcp.discovery: whether models search
// for tools. A program passes them on to a ToolSearch of package host.
type Discovery struct {
	Enabled    bool
	Turns      int // how long a tool that was found stays visible ("ttl"); 0 if not set
	MaxResults int // of a search; 0 if not set
}

// readDiscovery reads the settings and applies them to the servers: if discovery
// is disabled, models see the tools of all servers; if it is enabled, the tools of
// servers without a setting of their own are deferred.
func (c *Config) readDiscovery(m *member) error {
	if m.value == nil {
		return nil
	}
	d := &Discovery{}
	to := []setting{{"enabled", &d.Enabled}, {"ttl", &d.Turns}, {"max_search_results", &d.MaxResults}}
	if err := readKnown("discovery", m.value, to); err != nil {
		return err
	}
	c.Discovery = d
	for _, s := range c.Servers {
		if s.Deferred == nil || !d.Enabled {
			s.Deferred = &d.Enabled
		}
	}
	return nil
}
