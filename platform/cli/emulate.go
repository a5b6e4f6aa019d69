package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/source"
	"cotenant/workload/traceg"
)

// emulation are the flags of commands that execute an application without timing.
type emulation struct {
	app             string
	seed            uint64
	unknownALU      bool // take unknown opcodes as integer instructions
	maxInstructions uint64
	quiet           bool
}

// defaultMaxInstructions is the number of warp instructions without the end of a thread
// block after which a kernel is given up: tens of seconds.
const defaultMaxInstructions = 500_000_000

// bind makes the flags.
func (e *emulation) bind(c *cobra.Command) {
	e.seed, e.maxInstructions = 1, defaultMaxInstructions
	bindCount(c, &e.seed, "seed", 0, math.MaxUint64, "seed of the statistical profiles")
	bindUnknownOpcode(c, &e.unknownALU)
	bindCount(c, &e.maxInstructions, "max-instructions", 1, math.MaxInt64, "give up a kernel if no thread block ends within `N` warp instructions")
	c.Flags().BoolVar(&e.quiet, "quiet", false, "show no progress")
}

// options are those of opening the application.
func (e *emulation) options() source.Options {
	return source.Options{Seed: e.seed, Trace: traceg.Options{UnknownOpcodeALU: e.unknownALU}}
}

// begun prints the launch under way now and then; nil under --quiet.
func (e *emulation) begun(stderr io.Writer) func(number int, k *workload.Kernel) {
	if e.quiet {
		return nil
	}
	next := time.Now().Add(lineEvery)
	return func(number int, k *workload.Kernel) {
		if time.Now().After(next) {
			next = time.Now().Add(lineEvery)
			fmt.Fprintf(stderr, "launch %d: %s, %s\n", number, k.Name, workload.Count(k.TBs(), "thread block"))
		}
	}
}

// long warns of a launch that may never end.
func (e *emulation) long(stderr io.Writer) func(number int, k *workload.Kernel, executed int, place string) {
	return func(number int, k *workload.Kernel, executed int, place string) {
		warn(stderr, fmt.Sprintf("launch %d, kernel %s: no thread block has ended for %d instructions of warps, the last at %s; it may never end, and is given up after %d (--max-instructions)",
			number, k.Name, executed, place, e.maxInstructions))
	}
}

// failed completes the error of a launch that was given up.
func (e *emulation) failed(err error) error {
	if endless := (*functional.EndlessError)(nil); errors.As(err, &endless) {
		return fmt.Errorf("%w; valid: a kernel that ends, or a larger --max-instructions", err)
	}
	return err
}
