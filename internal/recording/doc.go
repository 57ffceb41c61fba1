// Package recording writes sessions with an MCP server to files, reads them, and
// replays them as a server. [MaskJSON] masks the secrets of messages that a program
// prints.
//
// # Format
//
// A recording is text in UTF-8. Each line ends with a line feed. The first line is
//
//	stdmcp recording 1
//
// in which 1 is the version of the format. Each other line but the last is a
// message, in the order in which they were sent or received:
//
//	CONNECTION MICROSECONDS DIRECTION CHECKSUM MESSAGE
//
// CONNECTION counts the connections from 1. MICROSECONDS is the time since the
// recording began. DIRECTION is > for messages of the client and < for those of the
// server. CHECKSUM is the CRC-32 (IEEE) of all messages so far, this one included,
// as 8 hexadecimal digits. MESSAGE is JSON-RPC on one line. The last line is
//
//	end COUNT
//
// with the number of messages. Strings that may be secrets are replaced by "***":
// members whose names say so, such as token or password, and values that the
// program names.
package recording
