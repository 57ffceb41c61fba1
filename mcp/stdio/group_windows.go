package stdio

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"
)

const canStart = true

var (
	kernel32                 = syscall.NewLazyDLL("kernel32.dll")
	createJobObject          = kernel32.NewProc("CreateJobObjectW")
	setInformationJobObject  = kernel32.NewProc("SetInformationJobObject")
	assignProcessToJobObject = kernel32.NewProc("AssignProcessToJobObject")
	terminateJobObject       = kernel32.NewProc("TerminateJobObject")
	resumeProcess            = syscall.NewLazyDLL("ntdll.dll").NewProc("NtResumeProcess")
)

// A group is a job object with the child and its children. Windows ends it when
// its last handle is closed, at the latest with this process.
type group struct {
	job   syscall.Handle // 0 if the child could not be added to a job
	child syscall.Handle // while it is open, the pid of the child is not reused
	pid   int
}

func newGroup(child *os.Process) group {
	const setQuota, suspendResume = 0x100, 0x800 // of PROCESS_*
	g := group{pid: child.Pid}
	g.child, _ = syscall.OpenProcess(setQuota|suspendResume|syscall.PROCESS_TERMINATE, false, uint32(g.pid))
	if job := newJob(); job != 0 {
		if ok, _, _ := assignProcessToJobObject.Call(uintptr(job), uintptr(g.child)); ok != 0 {
			g.job = job
		} else {
			_ = syscall.CloseHandle(job)
		}
	}
	return g
}

// startSuspended starts the child, which runs nothing until resume is called:
// processes that it started earlier would not belong to its job.
func startSuspended(cmd *exec.Cmd) error {
	const suspended = 4 // CREATE_SUSPENDED
	cmd.SysProcAttr.CreationFlags |= suspended
	return cmd.Start()
}

func (g group) resume() error {
	if status, _, _ := resumeProcess.Call(uintptr(g.child)); int32(status) < 0 {
		return errors.New("NtResumeProcess fails with status 0x" + strconv.FormatUint(uint64(uint32(status)), 16))
	}
	return nil
}

func newJob() syscall.Handle {
	const (
		extendedLimits = 9      // JobObjectExtendedLimitInformation
		killOnClose    = 0x2000 // JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	)
	// JOBOBJECT_EXTENDED_LIMIT_INFORMATION is 144 bytes long, or 112 where
	// pointers have 32 bits. LimitFlags is at 16 and all else stays zero.
	var limits [18]uint64
	limits[2] = killOnClose
	size := unsafe.Sizeof(limits)
	if unsafe.Sizeof(uintptr(0)) == 4 {
		size = 112
	}
	job, _, _ := createJobObject.Call(0, 0)
	if job == 0 {
		return 0
	}
	ok, _, _ := setInformationJobObject.Call(job, extendedLimits, uintptr(unsafe.Pointer(&limits)), size)
	if ok == 0 {
		_ = syscall.CloseHandle(syscall.Handle(job))
		return 0
	}
	return syscall.Handle(job)
}

// terminate kills, as no signal reaches a program without a console.
func (g group) terminate() { g.kill() }

func (g group) kill() {
	if g.job != 0 {
		_, _, _ = terminateJobObject.Call(uintptr(g.job), 1)
		return
	}
	if g.child != 0 {
		cmd := exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(g.pid))
		cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
		_ = cmd.Run()
	}
}

func (g group) close() {
	for _, h := range []syscall.Handle{g.job, g.child} {
		if h != 0 {
			_ = syscall.CloseHandle(h)
		}
	}
}

// attributes keeps Ctrl-C from reaching the child, and the child from opening a
// window.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}
