package dram

func init() {
	schedulers.Add("frfcfs", func(s *site) scheduler { return frfcfs{maxHitStreak: s.MaxHitStreak} })
}

// frfcfs is first-ready first-come first-served (Rixner et al., ISCA 2000):
// requests to the open row first, the oldest first among equals. With a
// maxHitStreak above 0, the oldest request of a bank waits for that many
// younger ones to another row at most; with 0 it can wait for ever.
type frfcfs struct{ maxHitStreak int }

func (f frfcfs) target(w *waiting, overtaken int) *entry {
	if w.hit != nil && (f.maxHitStreak == 0 || overtaken < f.maxHitStreak) {
		return w.hit
	}
	return w.oldest
}

func (frfcfs) priority(e *entry, hit bool) uint64 {
	if hit {
		return e.order
	}
	return e.order | 1<<37
}
