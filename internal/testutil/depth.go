package testutil

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxDepth is how often test binaries may start themselves in turn: a test, a program
// that is tested, and the server that it starts.
const maxDepth = 3

// depthName counts, where the processes above this one cannot be looked at.
const depthName = "STDMCP_TEST_DEPTH"

// LimitDepth ends the process if it was started by its own program more than three
// levels deep. A TestMain calls it first, so that a child that fails to notice
// that it is one, and runs all tests instead, does not fill the machine with
// processes. [Main] and [Run] call it, too.
func LimitDepth() {
	depth, err := strconv.Atoi(os.Getenv(depthName))
	if found, ok := ancestors(); ok {
		depth, err = found, nil
	}
	if err == nil && depth > maxDepth {
		fmt.Fprintf(os.Stderr, "testutil: %s has started itself %d levels deep; a child does not get or read the variable that makes it one\n", os.Args[0], depth)
		os.Exit(2)
	}
	os.Setenv(depthName, strconv.Itoa(depth+1))
}

// ancestors counts the processes above this one that run the same program. It
// needs /proc; a variable would be lost with the others, which is the fault.
func ancestors() (n int, ok bool) {
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return 0, false
	}
	for pid := os.Getppid(); pid > 1; {
		if runs(pid, own) {
			n++
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			break
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // the state, then the parent
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			break
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			break
		}
	}
	return n, true
}

// runs reports whether a process runs a program, itself or as the first argument
// of an emulator.
func runs(pid int, program string) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	if exe, err := os.Readlink(dir + "/exe"); err == nil && exe == program {
		return true
	}
	line, _ := os.ReadFile(dir + "/cmdline")
	args := strings.Split(string(line), "\x00")
	return len(args) > 1 && args[1] == program
}
