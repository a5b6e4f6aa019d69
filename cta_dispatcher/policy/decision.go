package policy

import (
	"math"
	"strconv"

	"cotenant/components/occupancy"
)

// Explain is what a policy has found out and decided, nil if it does not say.
func Explain(p Policy) *Decision {
	if explain := p.Needs().Explain; explain != nil {
		return explain()
	}
	return nil
}

// Decision is what a policy has found out of kernels and decided. Its JSON form is
// part of results: names stay.
type Decision struct {
	// Sustained is the bandwidth that is shared out; nil where none is.
	Sustained *Sustained `json:"sustained,omitempty"`
	// Rehearsal is that before the run, nil without one.
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
	// Sets are the sets of kernels that have shared the GPU, in a rehearsal too, in the
	// order in which they first did.
	Sets []DecidedSet `json:"sets"`
}

// Rehearsal is what was run before the run, to learn from.
type Rehearsal struct {
	Cycles  uint64 `json:"cycles"`  // of the core clock
	Settled bool   `json:"settled"` // false if it was cut off before all was found out
}

// Sustained is what the GPU sustains, as each SM's part in an interval of its
// issue-rate controller (CCBP 5.2).
type Sustained struct {
	Replies  float64 `json:"replies"`  // with data, of the reply crossbar
	Accesses float64 `json:"accesses"` // of the DRAM
	Units    int     `json:"units"`    // into which each of the two is divided
}

// DecidedSet is a set of kernels that share the GPU.
type DecidedSet struct {
	// Present says that it was the last that shared the GPU in the run itself.
	Present bool `json:"present"`
	// Phase is how far the policy has come with it, in its own words.
	Phase string `json:"phase"`
	// Prior is priorLSK (CCBP 5.5); nil where there is none.
	Prior   *float64        `json:"prior_lsk,omitempty"`
	Kernels []DecidedKernel `json:"kernels"` // in order of arrival
}

// DecidedKernel is a kernel of a set, one of each tenant.
type DecidedKernel struct {
	Tenant int `json:"tenant"`
	// A thread block of it, by which the policy tells kernels of a tenant apart.
	Threads     int `json:"threads"`
	Registers   int `json:"registers"` // 32-bit ones
	SharedBytes int `json:"shared_bytes"`

	MostCTAs int `json:"most_ctas"` // that fit on an SM if it is alone; on a big one where there are several kinds
	CTAs     int `json:"ctas"`      // that it may have on an SM; 0 if its set has SMs of its own
	// Rate is how many requests may leave an SM in an interval, nil without a limit.
	Rate *float64 `json:"rate"`
	// First says that its requests go before others'.
	First bool `json:"first"`

	Traffic *Traffic `json:"traffic,omitempty"`  // nil where it does not count
	Scaling *Scaling `json:"scaling,omitempty"`  // likewise
	OnKinds *OnKinds `json:"on_kinds,omitempty"` // likewise
}

// OnKinds is what a kernel achieves on big and on small SMs, and which it has (HeteroCore
// 4.3). IPCs are thread instructions in a core cycle on one SM, the mean of those that it
// was measured on; nil until they are known, or if it does not run on such SMs.
type OnKinds struct {
	IPCBig   *float64 `json:"ipc_big"`
	IPCSmall *float64 `json:"ipc_small"`
	// IPCBase is that on an SM of the base kind as estimated by those two.
	IPCBase *float64 `json:"ipc_base"`
	// The SMs of each kind that it has.
	SMsBig   int `json:"sms_big"`
	SMsSmall int `json:"sms_small"`
}

// Traffic is a kernel's memory traffic as CCBP sees it (CCBP 5.2 to 5.4). Rates are in
// requests of an SM in an interval; a figure is nil until it is known.
type Traffic struct {
	Type     string   `json:"type"` // LS, NBI, DBI; unknown until it is
	RF       *float64 `json:"rf"`   // reads over requests
	DF       *float64 `json:"df"`   // accesses of the DRAM over replies
	EvenCTAs int      `json:"even_ctas"`
	EvenRate *float64 `json:"even_rate"` // nil as well if it has no traffic, and may issue without end
	Demand   *float64 `json:"demand"`    // that it wanted to issue at the even rate
	// NBW and DBW are the units of the crossbar and of the DRAM that it uses, by its
	// CTAs on an SM, from 0; nil until they are known.
	NBW []float64 `json:"nbw"`
	DBW []float64 `json:"dbw"`
	// NoC and DRAM are the units that it was given.
	NoC  float64 `json:"noc"`
	DRAM float64 `json:"dram"`
}

// Scaling is how a kernel's performance goes with its CTAs (Warped-Slicer).
type Scaling struct {
	// Performance is by its CTAs on an SM, from 0, of its best.
	Performance []float64 `json:"performance"`
	// Predicted is that with the CTAs that it was given, 0 to 1.
	Predicted float64 `json:"predicted"`
}

// Decided is a kernel of a tenant of which nothing is known but what a thread block
// takes, and how many fit on an SM.
func Decided(tenant int, d occupancy.Demand, most int) DecidedKernel {
	return DecidedKernel{Tenant: tenant, Threads: d.Threads, Registers: d.Registers, SharedBytes: d.SharedBytes, MostCTAs: most}
}

// Decisive is a number of a Decision with the six digits that a result has, so that
// machines that round differently within arithmetic write the same.
func Decisive(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // what FormatFloat writes can be read
	return r
}

// DecisiveFigure is one that may be unknown: nil if it is no number or without end.
func DecisiveFigure(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	v = Decisive(v)
	return &v
}

// DecisiveCurve is a curve, nil if there is none.
func DecisiveCurve(curve []float64) (list []float64) {
	for _, v := range curve {
		list = append(list, Decisive(v))
	}
	return list
}
