package fixed

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "fixed",
		About: "numbers of thread blocks on each SM, and of SMs, that the user gives each application",
		Options: []policy.Option{
			{Name: "tbs", About: "thread blocks on an SM by order of arrival, 1 to 1024, such as 7/4; or all that fit", Default: "all"},
			{Name: "sms", About: "SMs by order of arrival, such as 8/8: the first eight for the first; or all for everybody", Default: "all"},
			{Name: "rates", About: "requests that may leave an SM in an interval (200 cycles of the crossbars) by order of arrival, 0.004 to 200, or - for any number, such as 15.5/-; or none", Default: "none"},
			{Name: "first", About: "by order of arrival, 1 for an application that is latency-sensitive, whose requests go first, else 0, such as 1/0; or none", Default: "none"},
			{Name: "preempt", About: "how thread blocks that do not fit together leave: switch, ideal, or none: when they end", Default: "switch"},
		},
		New: func(o policy.Options) (policy.Policy, error) {
			f := &fixed{mechanism: policy.Drain}
			var errs [5]error
			f.tbs, errs[0] = numbers(o, "tbs")
			f.sms, errs[1] = numbers(o, "sms")
			var rates, first []protocol.Rate
			rates, errs[2] = parseRates(o)
			first, errs[3] = parseFirst(o)
			if o["preempt"] != "none" {
				f.mechanism, errs[4] = o.Mechanism("preempt", policy.Switch, policy.Ideal)
			}
			if err := errors.Join(errs[:]...); err != nil {
				return nil, err
			}
			f.lists = lists(list{"tbs", len(f.tbs)}, list{"sms", len(f.sms)}, list{"rates", len(rates)}, list{"first", len(first)})
			for _, l := range f.lists {
				if l.length != f.lists[0].length {
					return nil, fmt.Errorf("options %[1]s=%[2]s and %[3]s=%[4]s: must have as many numbers each", f.lists[0].name, o[f.lists[0].name], l.name, o[l.name])
				}
			}
			f.rates = together(rates, first)
			return f, nil
		},
	})
}

// list is an option that has a number for each application.
type list struct {
	name   string
	length int
}

// lists are those of some options that are given.
func lists(options ...list) []list {
	return slices.DeleteFunc(options, func(l list) bool { return l.length == 0 })
}

// numbers are an option's, by order of arrival; nil for all.
func numbers(o policy.Options, name string) (list []int, err error) {
	if o[name] == "all" {
		return nil, nil
	}
	for item := range strings.SplitSeq(o[name], "/") {
		n, err := strconv.Atoi(item)
		if err != nil || n < 1 || n > 1024 {
			return nil, fmt.Errorf("option %s=%s: valid: all, or whole numbers from 1 to 1024 such as 8/4", name, o[name])
		}
		list = append(list, n)
	}
	return list, nil
}
