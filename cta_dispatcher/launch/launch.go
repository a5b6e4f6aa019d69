// Package launch holds the messages that the SM driver receives from the host's
// command dispatcher.
package launch

import (
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// Process says that a process has come or gone.
type Process struct {
	sim.MsgMeta
	Tenant uint8
	// Present is true when the process arrives and false when it has ended.
	Present bool
	// Priority of the process: 0 unless the user gives one; the larger goes
	// first.
	Priority int
}

// Meta makes Process a sim.Msg.
func (m *Process) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Kernel launches a kernel. A tenant has one kernel in the execution engine at a
// time: the command dispatcher holds the next one back until done.Kernel
// answers.
type Kernel struct {
	sim.MsgMeta
	Tenant uint8
	Kernel *workload.Kernel
	Run    uint64 // of the application, from 0
}

// Meta makes Kernel a sim.Msg.
func (m *Kernel) Meta() *sim.MsgMeta { return &m.MsgMeta }
