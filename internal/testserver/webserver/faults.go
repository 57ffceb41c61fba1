package webserver

func faults() []Fault { return nil }
