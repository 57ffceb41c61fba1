package diag

import "strings"

// IsSecretName reports whether the value of a header field, a variable or a
// flag with this name may be a secret.
func IsSecretName(name string) bool {
	name, last := letters(name)
	if last == "pass" || last == "pat" {
		return true // compass and path are not
	}
	for _, part := range [...]string{"auth", "cookie", "key", "token", "secret", "session", "pwd", "jwt", "bearer", "passw", "passphrase", "credential", "header"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// Letters returns name in lower case, without hyphens and underscores. Package
// strings would link its tables of Unicode.
func Letters(name string) string {
	all, _ := letters(name)
	return all
}

// letters returns Letters, and those behind the last hyphen or underscore.
func letters(name string) (all, last string) {
	b, from := make([]byte, 0, len(name)), 0
	for _, c := range []byte(name) {
		switch {
		case c == '-' || c == '_':
			from = len(b)
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b), string(b[from:])
}

// LooksSecret reports whether text has a prefix of well-known tokens.
func LooksSecret(text string) bool {
	for _, prefix := range [...]string{"sk-", "sk_", "gh", "github_pat_", "glpat-", "npm_", "hf_", "xox", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ", "Bearer "} {
		if strings.HasPrefix(text, prefix) {
			return prefix != "gh" || len(text) > 3 && text[3] == '_' // ghp_, gho_, ghs_ and so on
		}
	}
	return false
}
