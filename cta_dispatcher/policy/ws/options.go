package ws

import (
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/options"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "ws",
		About: "Warped-Slicer: kernels share SMs, thread blocks by each kernel's profiled scaling",
		Options: []policy.Option{
			{Name: "warmup", About: "cycles, 1 to 1000M, before the sample", Default: "20k"},
			{Name: "sample", About: "cycles, 1 to 1000M, of the sample", Default: "5k"},
			{Name: "clip", About: "limits, 0 to 1 and 1 to 100, of the correction for other SMs' memory traffic; 1/1: none", Default: "0.5/2"},
			{Name: "loss", About: "percent, 1 to 99: largest loss of a kernel by sharing, beyond it SMs are divided; or off", Default: "off"},
			{Name: "preempt", About: "how surplus thread blocks leave an SM: switch, ideal, or none: they end", Default: "switch"},
			claim.Option(""),
		},
		Explains: []*policy.Form{form},
		New:      parse,
	})
}

func parse(o *policy.Options) policy.Policy {
	w := &ws{warmUp: o.Cycles("warmup", 1), sample: o.Cycles("sample", 1), limits: parseLimits(o), loss: 1, epoch: claim.Epoch(o)}
	if o.Text("loss") != "off" {
		percent, err := options.Count(o.Text("loss"), 1, 99)
		if err != nil {
			o.Invalid("loss", "off, or percent from 1 to 99")
		}
		w.loss = float64(percent) / 100
	}
	var given bool
	if w.mechanism, given = o.MechanismOr("none", "preempt", policy.Switch, policy.Ideal); !given {
		w.mechanism = policy.Drain
	}
	return w
}

func parseLimits(o *policy.Options) (l limits) {
	least, most, _ := strings.Cut(o.Text("clip"), "/")
	var err, err2 error
	l.least, err = strconv.ParseFloat(least, 64)
	l.most, err2 = strconv.ParseFloat(most, 64)
	if err != nil || err2 != nil || !(0 <= l.least && l.least <= 1 && 1 <= l.most && l.most <= 100) {
		o.Invalid("clip", "a number from 0 to 1 and one from 1 to 100, such as 0.5/2")
	}
	return l
}
