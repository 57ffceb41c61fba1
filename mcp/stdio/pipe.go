package stdio

// usualPipe is how many bytes a pipe holds on most systems. longPipe is how many it
// holds on Linux after the first longer message, so that neither side has to wait for
// the other in the middle of most messages.
const (
	usualPipe = 64 << 10
	longPipe  = 256 << 10
)

// makeRoom makes stdin a long pipe, for a message that is longer than one usually holds.
func (p *process) makeRoom() {
	if !p.grownIn {
		p.grownIn = true
		growPipe(p.stdin)
	}
}
