package protocol

import "cotenant/tenant"

// Rates sets the rates at which requests of an SM's tenants may leave the issue-rate
// controller, and the tenants that go first (CCBP 5.2, 6.2). A rate takes effect at
// the next interval's start, a priority at once.
type Rates struct {
	ControlMsg
	// On is false if no tenant is to have a rate or to go first; then the other fields
	// are unused.
	On bool
	Of [tenant.Max]Rate
}

// Rate is one tenant's.
type Rate struct {
	// Given is false if the tenant's rate and priority stay unchanged.
	Given bool
	// Limited is false if the tenant may send all its requests.
	Limited bool
	// Requests are its credits in an interval (200 cycles of the crossbars), in parts of
	// RateOne; the fraction of a request is carried over. At most RateLimit.
	Requests uint32
	// Sensitive says that the tenant is latency-sensitive: its requests go before the
	// requests of tenants that are not.
	Sensitive bool
}

const (
	// RateOne is one request in an interval: rates have eight fractional bits.
	RateOne = 1 << 8
	// RateLimit is a request in every cycle of an interval (CCBP 6.4: eight bits, "as
	// the maximum issue rate is 200 per interval").
	RateLimit = 200 * RateOne
)

// ActiveTBs limits the thread blocks of tenants that may issue on an SM to the first
// placed. The remaining thread blocks keep their resources and wait until an active
// one has left the SM (CCBP 5.4, throttling of CTAs in detection).
type ActiveTBs struct {
	ControlMsg
	// On is false if all may issue; then Most is unused.
	On bool
	// Most is the number of active thread blocks by tenant; 0: all.
	Most [tenant.Max]uint8
}
