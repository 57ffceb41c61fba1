// Package recording writes sessions with an MCP server to files, reads them, and
// replays them as a server. [MaskJSON] masks the secrets of messages that a program
// prints.
//
// # Format
//
// A recording is text in UTF-8. Each line ends with a line feed. The first line is
//
//	stdmcp recording 2
//
// in which 2 is the version of the format. Each other line but the last is an entry,
// in the order in which they happened:
//
//	CONNECTION MICROSECONDS KIND CHECKSUM TEXT
//
// CONNECTION counts the connections from 1. MICROSECONDS is the time since the
// recording began. CHECKSUM is the CRC-32 (IEEE) of the texts of all entries so far,
// this one included, as 8 hexadecimal digits. TEXT is JSON on one line. KIND says what
// it is; > is for what the client sent, and < for what the server sent:
//
//	> <          a message of JSON-RPC, or a batch
//	>text <text  a line that is not JSON, or whose end is missing because the server
//	             ended, as a JSON string; bytes that are not UTF-8 are U+FFFD
//	<proxy       an error that "mcpecho proxy" sent in place of a response of the server
//	>http        an HTTP request: {"exchange":1,"method":"POST","headers":{…}}
//	<http        its response: {"exchange":1,"status":200,"headers":{…}}
//	end          the end of the server's process or of the connection, as a JSON
//	             string that says how: "exited with status 1"
//
// The number of the exchange is that of an HTTP request of the connection and of its
// response. The headers are those whose names begin with Mcp-, in lower case, and
// content-type and accept if they are not what the protocol requires; several values of a
// header are joined by ", ". The recording of a client has the member url of a request, too,
// and in further the other headers. The messages of a request or a response follow
// it, but what a client sends over standard input comes before the HTTP request of a proxy
// that carries it. The last line of the recording is
//
//	end COUNT
//
// with the number of entries. If a program was killed while it recorded, this line is
// missing, and the entries before are valid. What may be a secret is replaced by "***": strings
// whose names say so, such as author or key, all strings and numbers below clear names, such as
// password or cookies, headers such as mcp-session-id, and values that the program names.
//
// Version 1 has messages only. This package reads both versions and writes version 2.
// A replay repeats messages, text and the end of the server, and so what the server did
// wrong, but of the errors of the proxy only those in place of a response that the server has
// sent. Over HTTP it also repeats the status and the content type of the response to a message.
package recording
