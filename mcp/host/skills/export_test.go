package skills

// Known returns how many skills have names for models.
func (s *Set) Known() int { return len(s.known) }
