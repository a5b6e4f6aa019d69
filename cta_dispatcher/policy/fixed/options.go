package fixed

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "fixed",
		About: "the user's numbers of thread blocks on each SM, and of SMs, for each application",
		Options: []policy.Option{
			{Name: "tbs", About: "thread blocks on an SM by order of arrival, 1 to 1024, such as 7/4; or all that fit", Default: "all"},
			{Name: "sms", About: "SMs by order of arrival, such as 8/8: the first eight for the first; of each kind, such as 4+4/4+4, where there are several; or all for each", Default: "all"},
			{Name: "rates", About: "requests to leave an SM in an interval (200 cycles of the crossbars) by order of arrival, 0.004 to 200, or - for any number, such as 15.5/-; or none", Default: "none"},
			{Name: "first", About: "by order of arrival, 1 for a latency-sensitive application, with requests that go first, else 0, such as 1/0; or none", Default: "none"},
			{Name: "preempt", About: "how thread blocks leave if they do not fit together: switch, ideal, or none: they end", Default: "switch"},
		},
		New: func(o *policy.Options) policy.Policy {
			f := &fixed{tbs: o.Ints("tbs", "all", 1, 1024, "8/4"), sms: byKind(o, "sms")}
			rates, first := parseRates(o), parseFirst(o)
			var given bool
			if f.mechanism, given = o.MechanismOr("none", "preempt", policy.Switch, policy.Ideal); !given {
				f.mechanism = policy.Drain
			}
			if o.Err() != nil {
				return nil
			}
			f.lists = lists(list{"tbs", len(f.tbs)}, list{"sms", len(f.sms)}, list{"rates", len(rates)}, list{"first", len(first)})
			for _, l := range f.lists {
				if l.length != f.lists[0].length {
					o.Fail(fmt.Errorf("options %[1]s=%[2]s and %[3]s=%[4]s: must have as many numbers each",
						f.lists[0].name, o.Text(f.lists[0].name), l.name, o.Text(l.name)))
					return nil
				}
			}
			f.rates = together(rates, first)
			return f
		},
	})
}

// list is an option with a number for each application.
type list struct {
	name   string
	length int
}

// lists selects the given options.
func lists(options ...list) []list {
	return slices.DeleteFunc(options, func(l list) bool { return l.length == 0 })
}

// byKind are an option's numbers, by order of arrival and kind; nil for all.
func byKind(o *policy.Options, name string) [][]int {
	const valid = "whole numbers to 1024, 1 at least, such as 8/4, or one for each kind of SM such as 4+0/4+8"
	parts := 0
	return policy.List(o, name, "all", valid, func(item string) (kinds []int, ok bool) {
		sum := 0
		for part := range strings.SplitSeq(item, "+") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n > 1024 {
				return nil, false
			}
			kinds = append(kinds, n)
			sum += n
		}
		parts = cmp.Or(parts, len(kinds))
		return kinds, sum > 0 && len(kinds) == parts
	})
}

// written is a number for each kind as users write it.
func written(kinds []int) string {
	var list []string
	for _, n := range kinds {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, "+")
}
