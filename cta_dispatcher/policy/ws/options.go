package ws

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "ws",
		About: "Warped-Slicer: kernels share SMs, thread blocks by how each scales, which is profiled",
		Options: []policy.Option{
			{Name: "warmup", About: "cycles, 1 to 1000M, before what kernels do is sampled", Default: "20k"},
			{Name: "sample", About: "cycles, 1 to 1000M, in which it is sampled", Default: "5k"},
			{Name: "clip", About: "limits, 0 to 1 and 1 to 100, of the correction for what other SMs do to memory; 1/1: none", Default: "0.5/2"},
			{Name: "loss", About: "percent, 1 to 99, that a kernel may lose by sharing, else SMs are divided; or off", Default: "off"},
			{Name: "preempt", About: "how thread blocks leave an SM that are too many: switch, ideal, or none: when they end", Default: "switch"},
			claim.Option,
		},
		New: parse,
	})
}

func parse(o policy.Options) (policy.Policy, error) {
	w := &ws{mechanism: policy.Drain, loss: 1}
	var errs [6]error
	w.warmUp, errs[0] = cycles(o, "warmup")
	w.sample, errs[1] = cycles(o, "sample")
	w.limits, errs[2] = parseLimits(o["clip"])
	if o["loss"] != "off" {
		var percent int
		if percent, errs[3] = o.Int("loss", 1, 99); errs[3] != nil {
			errs[3] = fmt.Errorf("option loss=%s: valid: off, or percent from 1 to 99", o["loss"])
		}
		w.loss = float64(percent) / 100
	}
	if o["preempt"] != "none" {
		w.mechanism, errs[4] = o.Mechanism("preempt", policy.Switch, policy.Ideal)
	}
	w.epoch, errs[5] = claim.Epoch(o)
	return w, errors.Join(errs[:]...)
}

func cycles(o policy.Options, name string) (uint64, error) {
	n, err := o.Int(name, 1, 1_000_000_000)
	return uint64(n), err
}

func parseLimits(text string) (l limits, err error) {
	least, most, _ := strings.Cut(text, "/")
	l.least, err = strconv.ParseFloat(least, 64)
	if err == nil {
		l.most, err = strconv.ParseFloat(most, 64)
	}
	if err != nil || !(0 <= l.least && l.least <= 1 && 1 <= l.most && l.most <= 100) {
		return l, fmt.Errorf("option clip=%s: valid: a number from 0 to 1 and one from 1 to 100, such as 0.5/2", text)
	}
	return l, nil
}
