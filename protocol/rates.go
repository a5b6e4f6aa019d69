package protocol

import "cotenant/tenant"

// Rates gives tenants of an SM the rates at which their requests may leave the
// issue-rate controller, and says who goes first (CCBP 5.2, 6.2). A rate takes effect
// at the next interval's start, a priority at once.
type Rates struct {
	ControlMsg
	// On is false if nobody is to have a rate or to go first from now on; then
	// nothing else counts.
	On bool
	Of [tenant.Max]Rate
}

// Rate is one tenant's.
type Rate struct {
	// Given is false if what the tenant has stays as it is.
	Given bool
	// Limited is false if the tenant may send as many requests as it has.
	Limited bool
	// Requests are its credits in an interval (200 cycles of the crossbars), in parts
	// of RateOne; what does not make a whole request is carried over. At most
	// RateLimit.
	Requests uint32
	// Sensitive says that the tenant is latency-sensitive: its requests go before
	// those of tenants that are not.
	Sensitive bool
}

const (
	// RateOne is one request in an interval: rates have eight fractional bits.
	RateOne = 1 << 8
	// RateLimit is a request in every cycle of an interval (CCBP 6.4: eight bits, "as
	// the maximum issue rate is 200 per interval").
	RateLimit = 200 * RateOne
)

// ActiveTBs says how many thread blocks of tenants may issue on an SM: those that
// were placed first. The others keep their resources and wait until one of those
// has ended (CCBP 5.4, throttling of CTAs in detection).
type ActiveTBs struct {
	ControlMsg
	// On is false if all may issue; then nothing else counts.
	On bool
	// Most is, by tenant, how many; 0: all.
	Most [tenant.Max]uint8
}
