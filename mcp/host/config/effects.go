package config

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

// Effects describes everything that using the server does on this machine, a line
// each, for the question whether to trust it: the program with its arguments and
// directory, the files that are read and the variables in them, the variables that are set, passed on or sent,
// the texts, choices and defaults of inputs, the URL and the headers. Call it before
// [Server.Expand], so that references to variables show and not their values.
//
// For an entry of a project's file, [Server.Expand] uses the EnvFiles as they were when
// Effects read them, and fails if a file in a reference to one has changed since. Lines have
// the content of such a file unless only a header, a token or another secret uses it. They have
// no content of a file outside of the project, which may be a secret of the user, except for
// variables such as NODE_OPTIONS and PATH.
//
// Lines can contain any character of the settings; escape them for a terminal.
// Only what cannot be a program, a file or a module is masked: headers and tokens,
// the values of variables whose names end like those of secrets, such as API_TOKEN,
// and of arguments such as --token=value, and the passwords of URLs.
func (s *Server) Effects() []string { return s.effects().lines }

func (s *Server) effects() *effects {
	e := &effects{literal: s.Literal, used: s.usedVariables()}
	e.program(s)
	if s.URL != "" {
		e.add("connects to " + settings.PublicURL(s.URL))
	}
	for _, name := range wire.SortedKeys(s.Headers) {
		e.add("sends the header " + name + ": " + e.mask(s.Headers[name]))
	}
	e.auth(&s.Auth)
	if s.ID != "" && s.ID != s.Name {
		e.add("identifies itself as " + s.ID)
	}
	if len(s.AutoApprove) > 0 {
		e.add("approves tools without a question: " + strings.Join(s.AutoApprove, ", "))
	}
	var values []string
	taken, code := s.taken(), s.codeReferences(e.used)
	for _, name := range taken {
		if path, ok := strings.CutPrefix(name, "file:"); ok {
			e.add("uses the content of the file " + path + s.showFile(path, code[name]))
		} else {
			values = append(values, name)
		}
	}
	if len(values) > 0 {
		e.add("uses the values of " + strings.Join(values, ", "))
	}
	for _, name := range taken {
		id, ok := strings.CutPrefix(name, "input:")
		if !ok {
			continue
		}
		in, err := findInput(s.inputs, id)
		if err != nil {
			continue
		}
		if in.Description != "" {
			e.add("asks for " + name + " with the text " + wire.Quote(in.Description))
		}
		for _, option := range in.Options {
			e.add("lets the user choose " + wire.Quote(option) + " for " + name)
		}
		if in.Default != "" {
			e.add("takes " + wire.Quote(in.Default) + " for " + name + " if the user enters nothing")
		}
	}
	return e
}

// effects collects lines.
type effects struct {
	lines   []string
	literal bool            // there are no variables
	used    map[string]bool // see usedVariables
}

// mask returns a text that may be secret, with its references to variables.
func (e *effects) mask(text string) string {
	if e.literal {
		return diag.Mask
	}
	return maskLiterals(text)
}

func (e *effects) add(line string) { e.lines = append(e.lines, line) }

func (e *effects) program(s *Server) {
	if s.Command != "" {
		var shown []string
		for _, arg := range s.Args {
			shown = append(shown, trustedArg(arg))
		}
		e.add("runs " + commandLine(s.Command, shown))
	}
	if s.Dir != "" {
		e.add("in the directory " + s.Dir)
	}
	for i, f := range s.readFiles() {
		line, outside := "sets the variables in the file "+s.EnvFiles[i], s.files != nil && s.isOutside(f.path)
		if f.err != nil {
			line += ", which " + f.reason()
		} else if outside {
			line += ", which is outside of the project"
		}
		e.add(line)
		e.variables(f.lines, true, outside)
	}
	if s.InheritEnv {
		e.add("passes on all variables of the environment")
	}
	e.variables(s.Env, s.Literal, false)
}

// variables adds lines for KEY=value or KEY. literal means that values have no references,
// and outside that they are those of a file outside of the project.
func (e *effects) variables(env []string, literal, outside bool) {
	for _, v := range env {
		name, value, ok := cut(v, "=")
		switch {
		case !ok:
			e.add("passes on the variable " + name)
		case literal && isOnlySecret(name, e.used), outside && (!changesLoading(name) || endsSecret(name)):
			e.add("sets " + name + "=" + diag.Mask)
		case isOnlySecret(name, e.used):
			e.add("sets " + name + "=" + maskLiterals(value))
		case e.used[name], changesLoading(name) && !isAddress(name):
			e.add("sets " + name + "=" + value)
		default:
			e.add("sets " + name + "=" + withoutPassword(value))
		}
	}
}

func (e *effects) auth(a *Auth) {
	if a.Token != "" {
		e.add("sends the token " + e.mask(a.Token))
	}
	o := &a.OAuth
	if o.ClientID != "" {
		e.add("authorizes as the OAuth client " + o.ClientID)
	}
	if o.ClientSecret != "" {
		e.add("sends the client secret " + e.mask(o.ClientSecret))
	}
	if o.RedirectURI != "" {
		e.add("receives authorization codes at " + o.RedirectURI)
	}
	o.effects(e)
}

// maskLiterals returns text with its references to variables, and a mask for what
// is between them.
func maskLiterals(text string) string {
	var b strings.Builder
	hide := func(text string) {
		if text != "" && !strings.HasSuffix(b.String(), diag.Mask) {
			b.WriteString(diag.Mask)
		}
	}
	hide(eachReference(text, func(before, ref, name string) {
		hide(before)
		if strings.Contains(name, ":-") || strings.Contains(name, "|") {
			hide(ref)
		} else {
			b.WriteString(ref)
		}
	}))
	return b.String()
}

// trustedArg returns an argument with a mask for what no program can take for a
// program, a file or a module: the value in --token=value, and the password of a URL.
func trustedArg(arg string) string {
	if !isPlainWord(arg) {
		return arg
	}
	if flag, _, ok := cut(arg, "="); ok && strings.HasPrefix(flag, "--") && endsSecret(flag) {
		return flag + "=" + diag.Mask
	}
	return withoutPassword(arg)
}

// withoutPassword returns a text with a mask for the password of the URL that it is. A
// shell or an editor could run what is not one.
func withoutPassword(text string) string {
	if scheme, rest, ok := cut(text, "://"); ok {
		at := strings.LastIndexByte(rest[:wire.IndexAny(rest+"/", "/?#")], '@')
		if user, password, ok := cut(rest[:max(0, at)], ":"); ok && wire.IndexAny(password, " \t\r\n\"'`|&;<>()\\") < 0 {
			return scheme + "://" + user + ":" + diag.Mask + rest[at:]
		}
	}
	return text
}

// isAddress reports whether a variable that changesLoading is the URL of a server.
func isAddress(name string) bool {
	name = strings.ToUpper(name)
	return strings.HasSuffix(name, "_URL") || strings.HasSuffix(name, "_PROXY")
}

// endsSecret reports whether the end of a name says that the value is a secret.
// PASSWORD_STORE_EXTENSIONS_DIR and GIT_ASKPASS name programs.
func endsSecret(name string) bool {
	switch diag.Letters(name[max(strings.LastIndexByte(name, '_'), strings.LastIndexByte(name, '-'))+1:]) {
	case "key", "pass", "pwd", "pat", "jwt":
		return true
	}
	name = diag.Letters(name)
	for _, end := range [...]string{"token", "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "secretkey"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// isPlainWord reports whether no shell or interpreter could take text for a
// program: it is a name, a number, a token or a URL with at most one parameter.
func isPlainWord(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && strings.IndexByte("-_+=%.,:/?@~${}", c) < 0 {
			return false
		}
	}
	name, value, ok := cut(text, "=")
	return !ok || strings.Contains(name, "://") || wire.IndexAny(value, "./") < 0 // --token=./file is a program
}

func commandLine(command string, args []string) string {
	b := []byte(quoteWord(command))
	for _, arg := range args {
		b = append(append(b, ' '), quoteWord(arg)...)
	}
	return string(b)
}

// quoteWord quotes a word of a command if it is not obvious where it ends.
func quoteWord(text string) string {
	if text == "" || wire.IndexAny(text, " \t\r\n\"'\\") >= 0 {
		return strconv.Quote(text)
	}
	return text
}

// changesLoading reports whether a variable changes which code programs load, or
// where they send what.
func changesLoading(name string) bool {
	name = strings.ToUpper(name)
	for _, prefix := range [...]string{"LD_", "DYLD_", "PYTHON", "PERL", "RUBY", "GEM_", "BUNDLE_", "NODE_", "NPM_CONFIG_", "BASH_",
		"GIT_", "SSH_", "JAVA_", "_JAVA_", "JDK_", "DOTNET_", "CORECLR_", "COR_", "UV_", "PIP_", "LUA_", "PHP", "SSL_", "OPENSSL_",
		"CURL_", "GLIBC_", "GCONV_", "DENO_", "BUN_", "DOCKER_", "XDG_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range [...]string{"PATH", "OPTS", "OPTIONS", "FLAGS", "WRAPPER", "COMMAND"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	switch name {
	case "PATHEXT", "LESSOPEN", "ZDOTDIR", "KUBECONFIG", "COMSPEC", "HOME", "SHELL", "ENV", "IFS", "GODEBUG", "EDITOR", "VISUAL", "PAGER", "BROWSER",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE":
		return true
	}
	return false
}
