package components

// Gauge is a level inside a block, such as the length of a queue or the credits left,
// for observers. It must not influence the block. Observers find the queues of ports
// without a Gauge.
type Gauge struct {
	// Name of the level within the block, such as Queue or Out[3].Queue.
	Name string
	// Max is the largest level there can be.
	Max int
	// Level reads it between two edges of the clock.
	Level func() int
}

// Gauged is a block that has gauges.
type Gauged interface {
	// Gauges lists them, always the same and in the same order.
	Gauges() []Gauge
}

// Gauge shows the number of entries in use.
func (f *FIFO[T]) Gauge(name string) Gauge {
	return Gauge{Name: name, Max: len(f.ring), Level: f.Len}
}
