package skillset

// CountNames returns how many skills have names for models.
func (s *Set) CountNames() int { return len(s.known) }
