package host

import "cotenant/workload"

// command is a kernel launch or a copy on its way through a queue.
type command struct {
	op        workload.Op
	process   int
	run       uint64 // of the application, from 0
	order     uint64 // of submission
	submitted uint64 // cycle
	issued    uint64 // cycle
}

// queue is a hardware command queue. While it is stalled its first command is under
// way.
type queue struct {
	commands []command // oldest first
	// stalled says that the first command has been issued and has not completed.
	stalled bool
	first   uint64 // cycle at which the first command became first
}

// push appends a command.
func (q *queue) push(c command) {
	if len(q.commands) == 0 {
		q.first = c.submitted
	}
	q.commands = append(q.commands, c)
}

// complete removes the first command.
func (q *queue) complete(cycle uint64) command {
	c := q.commands[0]
	q.commands = q.commands[:copy(q.commands, q.commands[1:])]
	q.stalled, q.first = false, cycle
	return c
}
