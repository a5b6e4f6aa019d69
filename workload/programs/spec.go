package programs

import (
	"fmt"
	"os"
	"strings"
	"time"

	"cotenant/workload"
)

// Spec says which program runs, and how.
type Spec struct {
	// Program is the path of an executable that package cc has made.
	Program string
	// Args are its arguments.
	Args []string
	// Dir is its working folder; "" is the simulator's.
	Dir string
	// Environment are variables, NAME=VALUE, beside the simulator's own.
	Environment []string
	// Files says who sees what it writes into its working folder.
	Files Files
	// Reads are further files that determine what it does.
	Reads []string
	// Check says for which faults kernels are looked at. Found is given each, once for the instructions that
	// make it; nil leaves them to workload.App.Tell.
	Check Check
	Found func(text string)
	// Strict makes it an error that a run makes other calls than the first one, or that Check finds a fault.
	Strict bool
	// OutsideIsZero lets kernels read zeroes next to arrays (ptxexec.Memory).
	OutsideIsZero bool
	// Device is the GPU that it sees.
	Device Device
	// MemoryLimit bounds the device memory that the program has allocated at a time, in bytes; 0: the
	// device's memory does. A call beyond it fails, and what it asked for is told with the number of the
	// Tenant.
	MemoryLimit uint64
	Tenant      int
	// Sticky makes a kernel's fault on a GPU the program's matter, as CUDA does: it is told on Stderr, and all
	// further calls return its error. Otherwise the fault ends the run.
	Sticky bool
	// CPUTimeout is the time that the process may compute between two calls; 0 is DefaultCPUTimeout.
	CPUTimeout time.Duration
	// CheckAsync makes it an error to read what an asynchronous copy has written before the thread
	// that copies has waited for it.
	CheckAsync bool
	// Stdin, Stdout and Stderr are its standard files. Without Stdin it reads nothing; without the
	// other two its output is kept, as much as an error message needs.
	Stdin, Stdout, Stderr *os.File
}

// Check is a set of faults that kernels are looked at for.
type Check struct {
	// Uninitialized are reads of device memory that nothing has written.
	Uninitialized bool
	// Races are accesses that nothing puts in order (ptxexec.Checker).
	Races bool
}

// ParseCheck reads a list of uninitialized and races, joined by commas.
func ParseCheck(list string) (c Check, err error) {
	for _, word := range strings.Split(list, ",") {
		switch word {
		case "uninitialized":
			c.Uninitialized = true
		case "races":
			c.Races = true
		default:
			return c, fmt.Errorf("%q is no check; valid: uninitialized, races, or both joined by a comma", word)
		}
	}
	return c, nil
}

// ParseOutside reads what a read outside the arrays gives: zero, or error.
func ParseOutside(word string) (zero bool, err error) {
	if word != "zero" && word != "error" {
		return false, fmt.Errorf("%q; valid: error, or zero for reads up to 1 MiB away from an array", word)
	}
	return word == "zero", nil
}

// Files says who sees what a program writes into its working folder.
type Files string

// The choices. "" stands for SharedFiles.
const (
	// PrivateFiles gives each run of the program a copy of the folder, which is gone after it.
	PrivateFiles Files = "private"
	// SharedFiles lets it write into the folder itself.
	SharedFiles Files = "shared"
)

// DefaultCPUTimeout bounds the time that a process computes between two calls.
const DefaultCPUTimeout = time.Minute

// Device is the GPU as a program sees it: what its properties and limits tell.
type Device struct {
	Name                          string
	SMs                           int
	ClockKHz, MemoryClockKHz      int
	BusBits                       int
	L2Bytes                       int
	SharedPerBlock, SharedPerSM   int // bytes
	RegistersPerSM                int // of 32 bits
	ThreadsPerBlock, ThreadsPerSM int
	BlocksPerSM                   int
	Grid, Block                   [3]int // the largest sizes
	Major, Minor                  int    // compute capability
	CopyEngines                   int    // asyncEngineCount
	// CallTime is the time that the host takes for each call. CPUFactor, if it is not 0, adds the
	// processor time that the program takes between its calls, times the factor: simulations differ
	// from each other then.
	CallTime  time.Duration
	CPUFactor float64
	// MemoryBytes is the size of the memory; 0 is that of Emulator. What a program does not touch takes
	// none of the host's.
	MemoryBytes int
	// SharedPerBlockOptin is the shared memory that cudaFuncSetAttribute can allow a thread block.
	SharedPerBlockOptin int
	// PersistingBytes is how much of the L2 can be set aside for lines that it is to keep.
	PersistingBytes int
}

// memoryBytes is the size of the memory.
func (d *Device) memoryBytes() int {
	if d.MemoryBytes == 0 {
		return Emulator.MemoryBytes
	}
	return d.MemoryBytes
}

// Emulator is the device of a program that runs without a GPU model: the limits of compute capability
// 7.0 (CUDA C++ Programming Guide, technical specifications), and the numbers of the V100.
var Emulator = Device{
	Name: "cotenant emulator", SMs: 80, ClockKHz: 1_530_000, MemoryClockKHz: 877_000, BusBits: 4096, L2Bytes: 6 << 20,
	SharedPerBlock: 48 << 10, SharedPerSM: 96 << 10, RegistersPerSM: 65536, ThreadsPerBlock: 1024, ThreadsPerSM: 2048,
	BlocksPerSM: 32, Grid: [3]int{1<<31 - 1, 65535, 65535}, Block: [3]int{1024, 1024, 64}, Major: 7, CopyEngines: 6,
	MemoryBytes: 16 << 30, SharedPerBlockOptin: 96 << 10,
}

// Validate checks the program: an error names its path and says what would be valid.
func (s *Spec) Validate() error {
	info, err := os.Stat(s.Program)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", s.Program, workload.WithoutPath(err))
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s is no program; valid: an executable that `cotenant cc` has made", s.Program)
	case s.Files != "" && s.Files != PrivateFiles && s.Files != SharedFiles:
		return fmt.Errorf("files %q; valid: %s, %s", s.Files, PrivateFiles, SharedFiles)
	case s.CPUTimeout < 0:
		return fmt.Errorf("a limit of %v between two calls; valid: more than 0", s.CPUTimeout)
	}
	return nil
}
