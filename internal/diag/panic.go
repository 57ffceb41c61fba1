package diag

import "runtime"

// A PanicError is a panic of a function of the program.
type PanicError struct{ Value any }

func (e *PanicError) Error() string {
	switch v := e.Value.(type) {
	case error:
		return Op("panic in a function of the program", v).Error()
	case string:
		return "panic in a function of the program: " + v
	}
	return "panic in a function of the program"
}

// Unwrap returns the value of the panic if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ReportPanic calls report, unless it is nil, with the value of a panic and the
// stack. It is called by the deferred function that has recovered the value.
func ReportPanic(report func(value any, stack []byte), value any) {
	if report != nil {
		defer func() { _ = recover() }() // a panic of report itself is dropped
		stack := make([]byte, 64<<10)
		report(value, stack[:runtime.Stack(stack, false)])
	}
}

// Guard calls f, a function of the program or one that calls such functions. It
// reports a panic, and returns it as an error.
func Guard(report func(value any, stack []byte), f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v}
			ReportPanic(report, v)
		}
	}()
	f()
	return nil
}
