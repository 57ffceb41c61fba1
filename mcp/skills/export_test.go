package skills

// Verify verifies the content of a file, as Read does with what a server sent.
func (s *Skill) Verify(f File, data []byte) error { return verify(s, &f, data) }
