package dram

func init() { schedulers.Add("fcfs", func(*site) scheduler { return fcfs{} }) }

// fcfs serves the requests to each bank in order of arrival, whatever row is open.
// Banks work in parallel. The command bus goes to the oldest request with a command
// that can be sent.
type fcfs struct{}

func (fcfs) target(w *waiting, _ int) *entry { return w.oldest }

func (fcfs) priority(e *entry, _ bool) uint64 { return e.order }
