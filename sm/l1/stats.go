package l1

// TenantStats counts the L1 data cache's work for one tenant. An access is one
// line of one warp instruction, or one sector if Spec.AccessBytes says so.
type TenantStats struct {
	Accesses            uint64 // loads that looked up the L1
	Hits                uint64 // every sector was there
	Misses              uint64 // fetched from the L2, merged misses included
	Merges              uint64 // misses that joined an outstanding one
	ReservationFailures uint64 // accesses that had to wait for an MSHR, a line or the miss queue
	Sectors             uint64 // of 32 bytes, that these loads touch
	FetchedSectors      uint64 // of 32 bytes, that they have fetched; sectors already on their way are not fetched again
	Writes              uint64 // write packets sent
	Atomics             uint64 // atomic packets sent
	Prefetches          uint64 // lines that the prefetcher had fetched, counted for the tenant of the load that it followed
	PrefetchHits        uint64 // of those, found by a load
	PrefetchesLate      uint64 // of those, asked for by a load before they had come
	PrefetchesDropped   uint64 // not fetched for want of an MSHR, a line or room in the miss queue
	Bypasses            uint64 // loads that went to the L2 by their modifier or Spec.Globals
}
