package diag

import "strings"

// AppendSecretValues appends the values of the variables, key=value each, that have the
// names of secrets. Package stdio has a loop of its own, as a call would make programs
// without a host larger.
func AppendSecretValues(values, variables []string) []string {
	for _, v := range variables {
		if key, value, _ := strings.Cut(v, "="); IsSecretName(key) {
			values = append(values, value)
		}
	}
	return values
}
