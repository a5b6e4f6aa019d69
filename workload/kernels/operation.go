package kernels

import (
	"encoding"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Operation is what the host program does next, of what takes time: a launch, a
// CPU phase or a copy.
type Operation struct {
	// Launch is nil unless the operation is one.
	Launch *Launch
	// Graph says that the launch waits for another launch of its CUDA graph.
	Graph bool
	// CPU is how long the host program computes, 0 unless it does.
	CPU time.Duration
	// Addr and Bytes are of a copy, from host to device
	// or, ToHost, from device to host.
	Addr, Bytes uint64
	ToHost      bool
	// Stream is the CUDA stream of a launch or a copy, 0 for the default one. The
	// program goes on without waiting for a step of another stream.
	Stream int
	// Sync says that the program waits until all before has been done: what comes
	// next looks at it.
	Sync bool
}

// Next runs the host program up to its next operation. It reports false at the
// end of the program. The launches before must have been executed, launches of
// streams only up to the last Sync: the program may look at what they wrote. An error is one line that names the manifest and
// the line of the step.
func (i *Instance) Next() (op Operation, ok bool, err error) {
	for len(i.pending) == 0 {
		if len(i.frames) == 0 {
			return Operation{}, false, nil
		}
		frames := i.frames
		err := i.advance()
		if i.early {
			// It has looked at what launches under way may write. Again, behind them.
			i.early, err = false, nil
			i.frames, i.pending = frames, nil
			i.frames[len(frames)-1].next--
			i.wait()
		}
		if err != nil {
			return Operation{}, false, err
		}
	}
	op = i.pending[0]
	i.pending = i.pending[1:]
	op.Graph = op.Launch != nil && i.graphWaits()
	return op, true, nil
}

// transfer plans the copies of arrays and variables to or from the host.
func (i *Instance) transfer(path string, names []string, toHost bool) {
	for at, name := range names {
		addr, bytes, err := i.place(name)
		if err != nil {
			i.m.fail(fmt.Sprintf("%s[%d]", path, at), "is %q, no array: %v", name, err)
		}
		if bytes > 0 {
			i.pending = append(i.pending, Operation{Addr: addr, Bytes: uint64(bytes), ToHost: toHost, Stream: i.stream})
		}
	}
}

// place is where an array or a variable of the PTX lies.
func (i *Instance) place(name string) (addr uint64, bytes int, err error) {
	if d := i.arrays[name]; d != nil && d.stride > 0 {
		return 0, 0, errors.New("a field of structures; valid: the array of the structures")
	} else if d != nil {
		return d.Addr, len(d.Bytes), nil
	}
	return i.memory.Symbol(i.m.module, name)
}

// Duration is an expression and the unit that its value is in.
type Duration struct {
	amount Expr
	unit   time.Duration
	text   string
}

// units are the units of a Duration.
var units = []struct {
	suffix string
	unit   time.Duration
}{{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"ms", time.Millisecond}}

var _ encoding.TextUnmarshaler = (*Duration)(nil)

// Takes implements strictyaml.Text.
func (d *Duration) Takes() string { return "a time in ns, us or ms, such as 120us or 2 * rows ns" }

// UnmarshalText implements encoding.TextUnmarshaler. A fault in the expression
// is reported when the manifest is checked.
func (d *Duration) UnmarshalText(text []byte) error {
	d.text = strings.TrimSpace(string(text))
	for _, u := range units {
		if amount, ok := strings.CutSuffix(d.text, u.suffix); ok {
			d.unit = u.unit
			return d.amount.UnmarshalText([]byte(strings.TrimSpace(amount)))
		}
	}
	return errors.New("no unit")
}

// maxPhase bounds a CPU phase.
const maxPhase = time.Hour

func (d *Duration) check(c *checker, path string) { d.amount.check(c, path) }

// duration evaluates a duration.
func (i *Instance) duration(path string, d *Duration) time.Duration {
	n, err := d.amount.number(i)
	if err == nil && (!(n >= 0) || n*float64(d.unit) > float64(maxPhase)) {
		err = fmt.Errorf("%q is a time of %g times %v; valid: from 0 to %v", d.text, n, d.unit, maxPhase)
	}
	i.m.must(path, err)
	return time.Duration(n * float64(d.unit))
}
