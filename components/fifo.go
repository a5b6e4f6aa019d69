package components

// FIFO is a bounded first-in first-out buffer inside a module. The zero value
// holds nothing; make one with NewFIFO.
type FIFO[T any] struct {
	ring   []T
	head   int
	length int
}

// NewFIFO returns a buffer of depth entries.
func NewFIFO[T any](depth int) FIFO[T] { return FIFO[T]{ring: make([]T, depth)} }

// Len is the number of entries in use.
func (f *FIFO[T]) Len() int { return f.length }

// Full reports whether Push would fail.
func (f *FIFO[T]) Full() bool { return f.length == len(f.ring) }

// Free is the number of entries not in use.
func (f *FIFO[T]) Free() int { return len(f.ring) - f.length }

// Push appends an entry; the caller has checked Full.
func (f *FIFO[T]) Push(v T) {
	slot := f.head + f.length
	if slot >= len(f.ring) {
		slot -= len(f.ring)
	}
	f.ring[slot] = v
	f.length++
}

// Front is the oldest entry; the buffer must not be empty. The pointer is valid
// until the entry is popped.
func (f *FIFO[T]) Front() *T { return &f.ring[f.head] }

// Pop removes and returns the oldest entry; the buffer must not be empty.
func (f *FIFO[T]) Pop() T {
	v := f.ring[f.head]
	var zero T
	f.ring[f.head] = zero
	if f.head++; f.head == len(f.ring) {
		f.head = 0
	}
	f.length--
	return v
}
