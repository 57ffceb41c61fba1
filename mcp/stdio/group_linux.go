package stdio

import (
	"bytes"
	"strconv"
	"syscall"
)

// awaitExit waits for the exit of the child without reaping it, and reports whether
// that succeeded.
func awaitExit(pid int) bool {
	const idIsPid = 1 // P_PID
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, idIsPid, uintptr(pid), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return errno == 0
		}
	}
}

// A descendant is a process that the child or another descendant has started.
type descendant struct {
	pid   int
	start string // when it started, as its pid may be used again
}

// maxDescendants limits how many are looked for.
const maxDescendants = 1000

// descendants returns the processes below the child, in any group. It finds
// nothing once the child has exited, because others inherit them then.
func (g group) descendants() (all []descendant) {
	for next := []int{int(g)}; len(next) > 0 && len(all) < maxDescendants; next = next[1:] {
		task := "/proc/" + strconv.Itoa(next[0]) + "/task/"
		threads := readNames(task)
		for _, thread := range threads {
			for _, text := range readFields(task + thread + "/children") {
				if pid, err := strconv.Atoi(string(text)); err == nil {
					all = append(all, descendant{pid, startOf(pid)})
					next = append(next, pid)
				}
			}
		}
	}
	return all
}

// readNames returns the names in a directory of /proc. The system calls take a fifth of the
// time of package os, which Close spends before the child hears of it.
func readNames(dir string) (names []string) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var buf [4 << 10]byte
	for {
		n, err := syscall.ReadDirent(fd, buf[:])
		if n <= 0 || err != nil {
			return names
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
}

// readFields returns the fields of a file, in stat those after the name of the process,
// which is in parentheses and may contain spaces. The last field ends with a space or
// a line feed, too.
func readFields(name string) (list [][]byte) {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var buf [512]byte
	var text []byte
	for len(text) < maxFile {
		n, err := syscall.Read(fd, buf[:])
		if n <= 0 || err != nil {
			break
		}
		text = append(text, buf[:n]...)
	}
	text = text[bytes.LastIndexByte(text, ')')+1:]
	for from, i := 0, 0; i < len(text); i++ {
		if text[i] <= ' ' {
			if from < i {
				list = append(list, text[from:i])
			}
			from = i + 1
		}
	}
	return list
}

// maxFile is more than the children of a thread take.
const maxFile = 1 << 20

// startOf reads field 22 of stat (proc(5)).
func startOf(pid int) string {
	after := readFields("/proc/" + strconv.Itoa(pid) + "/stat")
	if len(after) < 20 {
		return ""
	}
	return string(after[19])
}

func killDescendants(all []descendant) {
	for _, d := range all {
		if d.start != "" && startOf(d.pid) == d.start {
			_ = syscall.Kill(d.pid, syscall.SIGKILL)
		}
	}
}
