// Package batch starts batch files of Windows, such as npx.cmd, with arguments of
// any content. cmd.exe runs them, and interprets %, &, |, <, >, ^ and quotes in
// arguments that package os/exec leaves as they are: an argument
// https://example.com/?a=1&b=2 would run a program b.
package batch

import (
	"errors"
	"strconv"
	"strings"
)

// isFile reports whether Windows runs the program with cmd.exe. It ignores spaces
// and dots at the end of a name.
func isFile(program string) bool {
	name := strings.ToLower(strings.TrimRight(program, ". "))
	return strings.HasSuffix(name, ".bat") || strings.HasSuffix(name, ".cmd")
}

// commandLine returns the command line of cmd.exe that runs the batch file script
// with args: with its extensions, without commands of the registry (/d), and
// without variables in exclamation marks. Errors do not quote arguments, which may
// be secrets.
func commandLine(script string, args []string) (string, error) {
	if strings.ContainsAny(script, "\"\r\n\x00") {
		return "", errors.New("the path of a batch file contains a quote or a control character")
	}
	// cmd.exe removes the first quote and the last one.
	line := []byte(`cmd.exe /e:ON /v:OFF /d /c "`)
	line = appendQuoted(line, script)
	for i, arg := range args {
		if strings.ContainsAny(arg, "\r\n\x00") {
			return "", errors.New("argument " + strconv.Itoa(i+1) + " contains a line break or a NUL byte, which a batch file cannot receive")
		}
		line = append(line, ' ')
		if arg != "" && !strings.HasSuffix(arg, `\`) && !strings.ContainsFunc(arg, needsQuotes) {
			line = append(line, arg...)
		} else {
			line = appendQuoted(line, arg)
		}
	}
	return string(append(line, '"')), nil
}

// A backslash at the end of an argument needs quotes, too: a batch file that contains "%~1"
// puts a quote behind it.
func needsQuotes(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(`-_+./:\@#`, r)
}

// appendQuoted appends arg in quotes. Inside of them cmd.exe interprets quotes and
// percent signs, and the C library of the program that the batch file starts
// interprets quotes and the backslashes before them. To both, "" is a quote.
func appendQuoted(line []byte, arg string) []byte {
	line = append(line, '"')
	slashes := 0
	for i := range len(arg) {
		switch c := arg[i]; c {
		case '\\':
			slashes++
			line = append(line, c)
			continue
		case '"':
			line = append(append(line, strings.Repeat(`\`, slashes)...), `""`...)
		case '%':
			// No characters of the variable cd. A percent sign cannot be escaped.
			line = append(line, `%%cd:~,%`...)
		default:
			line = append(line, c)
		}
		slashes = 0
	}
	return append(append(line, strings.Repeat(`\`, slashes)...), '"')
}
