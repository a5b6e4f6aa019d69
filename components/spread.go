package components

import "unsafe"

// spreadBytes is the distance at which lines of memory compete for the same places of the
// processor's caches.
const spreadBytes = 4096

// Spread makes a slice for each of many modules alike, by the module's number. The
// slices begin at different places within spreadBytes, so that what all modules touch in a cycle
// uses all of the cache. Slices made one by one would all begin at the same place.
func Spread[T any](length, number int) []T {
	var t T
	places := max(1, spreadBytes/max(1, int(unsafe.Sizeof(t))))
	first := number % places
	return make([]T, first+length)[first:]
}
