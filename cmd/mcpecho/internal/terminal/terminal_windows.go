package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// Modes of a console.
const (
	processedInput, lineInput, echoInput, terminalInput = 0x1, 0x2, 0x4, 0x200 // of its input
	processedOutput, terminalOutput                     = 0x1, 0x4             // of its output
)

var (
	kernel32       = syscall.NewLazyDLL("kernel32.dll")
	setConsoleMode = kernel32.NewProc("SetConsoleMode")
	flushInput     = kernel32.NewProc("FlushConsoleInputBuffer")
	getBufferInfo  = kernel32.NewProc("GetConsoleScreenBufferInfo")
)

// WindowSize reports whether f is a console, and its size; 0 if unknown.
func WindowSize(f *os.File) (columns, rows int, ok bool) {
	var mode uint32
	if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) != nil {
		return 0, 0, false
	}
	var info struct {
		width, height, column, row int16
		attributes                 uint16
		left, top, right, bottom   int16
		maxWidth, maxHeight        int16
	}
	if done, _, _ := getBufferInfo.Call(f.Fd(), uintptr(unsafe.Pointer(&info))); done == 0 {
		return 0, 0, true // its input
	}
	return int(info.right-info.left) + 1, int(info.bottom-info.top) + 1, true
}

// InBackground returns false: a process may read at any time.
func InBackground(*os.File) bool { return false }

// HideTyping turns off the console's echo until show is called.
func HideTyping(f *os.File) (show func(), ok bool) {
	return changeConsole(f, func(mode uint32) uint32 { return mode &^ echoInput })
}

// MakeRaw makes the console deliver each key at once, as the bytes that other
// terminals send, without echo and signals, until restore is called.
func MakeRaw(in, out *os.File) (restore func(), ok bool) {
	restoreOut, ok := changeConsole(out, func(mode uint32) uint32 { return mode | processedOutput | terminalOutput })
	if !ok {
		return nil, false
	}
	restoreIn, ok := changeConsole(in, func(mode uint32) uint32 {
		return mode&^(processedInput|lineInput|echoInput) | terminalInput
	})
	if !ok {
		restoreOut()
		return nil, false
	}
	return func() { restoreIn(); restoreOut() }, true
}

func changeConsole(f *os.File, change func(mode uint32) uint32) (restore func(), ok bool) {
	var mode uint32
	if err := syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode); err != nil {
		return nil, false
	}
	set := func(mode uint32) bool {
		done, _, _ := setConsoleMode.Call(f.Fd(), uintptr(mode))
		return done != 0
	}
	return func() { set(mode) }, set(change(mode))
}

// OnResize does nothing: the editor asks for the size whenever it draws.
func OnResize(func()) (stop func()) { return func() {} }

// DiscardTyped discards what the user typed and no program has read.
func DiscardTyped(f *os.File) { _, _, _ = flushInput.Call(f.Fd()) }
