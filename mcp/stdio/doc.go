/*
Package stdio connects to MCP servers that read and write one JSON message per
line: programs that it starts ([Command]), and whatever is at the other end of
a stream ([Stream]).

	transport := stdio.Command("npx", "-y", "@modelcontextprotocol/server-everything", "stdio")
	transport.Env = []string{"API_KEY=" + key}
	client, err := mcp.Connect(ctx, transport, nil)

A [Transport] is a recipe. Each Open starts the program once more, so that a
server that has died can be had again.

# Environment

A server is other people's code, and the environment of a program mostly holds
secrets that are none of its business. So it gets a short list of variables, as
far as they are set: HOME, LOGNAME, PATH, SHELL, TERM and USER; on Windows what
programs need to find their files there, such as APPDATA, PATH, PATHEXT,
SYSTEMROOT, TEMP and USERPROFILE. Values that start with "()" are left out, as
old shells run them as functions. Transport.Env adds to the list or replaces
what is on it, and Transport.InheritEnv passes everything on.

The program is looked up in the PATH of this process, not in one that
Transport.Env may hold. As package [os/exec] does, Open refuses with
[os/exec.ErrDot] to run a program that it finds in the current directory only
because PATH says so; write ./name to mean that.

# Lifecycle

The child leads a process group of its own: launchers such as npx and uvx start
the real server as a child of theirs, and ending the launcher alone would leave
that behind. Ctrl-C in a terminal does not reach the group either, so it is up
to this process to close the connection.

The child is waited for from the start. When it exits, what it wrote before
that is still delivered, then whatever waits for an answer fails with an
[*ExitError], and the rest of its group is sent SIGTERM and a moment later
SIGKILL. Processes that have left the group live on; if they hold on to the
standard output, it counts as ended after a quarter of a second of silence.

Close follows the specification: it closes the standard input, waits for the
child to exit, sends SIGTERM to the group, waits again, and sends SIGKILL. A
server that exits at the end of its input is gone in milliseconds. Another one
takes 3 seconds, or twice Transport.CloseWait, and never 2 seconds more. After
that no process, goroutine or file descriptor of the connection is left, with
one exception: a goroutine that is blocked in Transport.Stderr.

If this process is killed without a chance to close anything, Linux kills the
child with it, and Windows all that the child has started, too. Otherwise what
is left comes to the end of its input, at which servers are to exit.

# Limits

A message may be 64 MiB long unless MaxMessage is set; a longer one ends the
connection with an error that matches jsonrpc.ErrTooLarge, and no more than two
and a half times the limit is ever held in memory.

Lines may end in CRLF and may start with a byte-order mark; blank lines are
skipped. So is a line that starts with neither { nor [, which is what a server
writes that logs to its standard output: it is reported to the handler's
Dropped as [ErrNotJSON]. After 10,000 such lines, or 1 MiB of them, without a
single message in between, the connection ends with that error. A line that the
end of the stream cuts off is dropped and reported as [io.ErrUnexpectedEOF].

The standard error is always read, so that it never holds up a server. Its last
64 KiB are kept for an [*ExitError], which quotes the last lines of that.

# Windows

There is no process group that could be signalled, so the child and all that it
starts are put into a job object, which ends when it is told to, when the child
has exited, and when this process dies in whatever way. If the child can't be
put into a job, Close falls back on taskkill /t. There is no SIGTERM either;
Close kills right after its first wait.

Programs are found with the extensions in PATHEXT, so that Command("npx") runs
npx.cmd. Arguments of batch files are quoted as package os/exec says.

# Other systems

On js, wasip1 and plan9 Open fails with [errors.ErrUnsupported]. Stream works
everywhere.

# Concurrency

A Transport may be opened by several goroutines at once, as long as nobody
changes its fields; a Stderr that several connections share must expect calls
from several goroutines. A connection's methods may be used concurrently, and
Close at any time: it is not held up by a server that doesn't read.
*/
package stdio
