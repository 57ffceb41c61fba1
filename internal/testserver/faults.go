package testserver

func faults() []Fault { return nil }
