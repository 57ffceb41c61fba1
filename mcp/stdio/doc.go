/*
Package stdio connects to MCP servers that read and write one JSON message per
line: programs that it starts ([Command]), and servers at the other end of a
stream ([Stream], [Dial]).

	transport := stdio.Command("npx", "-y", "@modelcontextprotocol/server-everything", "stdio")
	transport.Env = []string{"API_KEY=" + key}
	client, err := mcp.Connect(ctx, transport, nil)

Each Open of a [Transport] starts a new process, so that a dead server can be
restarted.

# Environment

The environment of a program usually holds secrets that a server does not need.
By default a server receives only these variables, if they are set:

  - HOME, LOGNAME, PATH, SHELL, TERM, TMPDIR and USER; on Windows instead the
    variables that programs need to find their files, such as APPDATA, PATH,
    PATHEXT, SYSTEMROOT, TEMP and USERPROFILE
  - for proxies, HTTP_PROXY, HTTPS_PROXY, NO_PROXY and ALL_PROXY
  - for certificates, SSL_CERT_FILE, SSL_CERT_DIR and NODE_EXTRA_CA_CERTS
  - for language and time, LANG, LANGUAGE, LC_* and TZ
  - XDG_*

Values that start with "()" are omitted, because old shells run them as
functions. Errors omit the user and password of a proxy. Transport.Env adds
variables or replaces those of the list, and Transport.InheritEnv passes on the
whole environment. If the reason for which a server fails names a variable that
is set in this process and that the server did not get, the error of Connect
says so.

Open looks up the program in the PATH of this environment, including one in
Transport.Env. Like package [os/exec], it does not run a program that it finds through a
relative entry of PATH and returns [os/exec.ErrDot]; use ./name for such a program.

Transport.Start starts the prepared command, to run it in a sandbox or with other
attributes.

# Lifecycle

The child leads its own process group. Launchers such as npx and uvx start the
server as their own child, and without the group the server would outlive them.
Ctrl-C in a terminal does not reach the group, so the program must close the
connection.

When the child exits, the connection still delivers the messages that it wrote.
Then pending calls fail with an [*ExitError], and the rest of the group receives
SIGTERM and shortly afterwards SIGKILL. Processes that have left the group
survive. On Linux, Close also kills the descendants that the child has when
Close is called; only a process whose parent has exited, such as a daemon,
survives. If survivors hold the standard output open, the connection treats it
as ended after 250 ms without output.

Close follows the specification: it closes the standard input, waits for the
child to exit, sends SIGTERM to the group, waits again, and sends SIGKILL. Close
takes milliseconds if the server exits at the end of its input. Otherwise it
takes 3 s, or twice Transport.CloseWait, and at most 2 s more. After that no
process, goroutine or file descriptor of the connection is left, except for a
goroutine that is blocked in Transport.Stderr.

If this process is killed, Linux and FreeBSD kill the child, and Windows kills the
child and all processes that it started. On other systems the servers reach the
end of their input, at which they should exit.

# Limits

A message may be up to 64 MiB unless MaxMessage is set. A longer one ends the
connection with an error that matches jsonrpc.ErrTooLarge. A connection never
holds more than two and a half times the limit in memory.

Lines may end in CRLF and may start with a byte-order mark. Blank lines are
skipped. The connection also skips a line that starts with neither { nor [,
because some servers log to their standard output, and reports it to the
handler's Dropped as [ErrNotJSON]. After 10,000 such lines, or 1 MiB of them,
without a message in between, the connection ends with that error. The
connection reports a line that the end of the stream truncates as
[io.ErrUnexpectedEOF].

The connection always reads the standard error, so that it never blocks a
server, and keeps the last 64 KiB for an [*ExitError], which quotes the last
lines.

# Windows

Windows has no process groups that receive signals. The child and its children
belong to a job object, which ends with the child, with Close and with this
process; without Transport.Start the child runs only once it is in the job. If the
child cannot be added to a job, Close calls taskkill /t. There is
no SIGTERM either: Close kills after its first wait.

Open finds programs by the extensions in PATHEXT, so Command("npx") runs
npx.cmd. It quotes the arguments of batch files for cmd.exe, so that &, |, % and
quotes reach the program, if that reads its arguments as the C library of Microsoft
does. Open refuses a line break in such an argument, which cmd.exe cannot pass on.

# Other systems

On js, wasip1 and plan9 the Open of a Transport fails with
[errors.ErrUnsupported]. Stream and Dial work on all systems.

# Concurrency

A Transport may be opened by several goroutines at once while its fields do not
change. A Stderr that several connections share must be safe for concurrent use.
The methods of a connection may be used concurrently. Close returns even if the
server does not read.
*/
package stdio
