package fixed

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "fixed",
		About: "numbers of thread blocks on each SM, and of SMs, that the user gives each application",
		Options: []policy.Option{
			{Name: "tbs", About: "thread blocks on an SM by order of arrival, 1 to 1024, such as 7/4; or all that fit", Default: "all"},
			{Name: "sms", About: "SMs by order of arrival, such as 8/8: the first eight for the first; of each kind, such as 4+4/4+4, where there are several; or all for everybody", Default: "all"},
			{Name: "preempt", About: "how thread blocks that do not fit together leave: switch, ideal, or none: when they end", Default: "switch"},
		},
		New: func(o policy.Options) (policy.Policy, error) {
			f := &fixed{mechanism: policy.Drain}
			var errs [4]error
			f.tbs, errs[0] = numbers(o, "tbs")
			f.sms, errs[1] = byKind(o, "sms")
			if o["preempt"] != "none" {
				f.mechanism, errs[2] = o.Mechanism("preempt", policy.Switch, policy.Ideal)
			}
			if f.tbs != nil && f.sms != nil && len(f.tbs) != len(f.sms) {
				errs[3] = fmt.Errorf("options tbs=%s and sms=%s: must have as many numbers each", o["tbs"], o["sms"])
			}
			return f, errors.Join(errs[:]...)
		},
	})
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

// byKind are an option's numbers, by order of arrival and kind; nil for all.
func byKind(o policy.Options, name string) (list [][]int, err error) {
	if o[name] == "all" {
		return nil, nil
	}
	for item := range strings.SplitSeq(o[name], "/") {
		var kinds []int
		sum := 0
		for part := range strings.SplitSeq(item, "+") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n > 1024 {
				return nil, invalidKinds(o, name)
			}
			kinds = append(kinds, n)
			sum += n
		}
		if sum == 0 || list != nil && len(kinds) != len(list[0]) {
			return nil, invalidKinds(o, name)
		}
		list = append(list, kinds)
	}
	return list, nil
}

func invalidKinds(o policy.Options, name string) error {
	return fmt.Errorf("option %s=%s: valid: all, or whole numbers to 1024, 1 at least, such as 8/4, or one for each kind of SM such as 4+0/4+8", name, o[name])
}

// written is a number for each kind as users write it.
func written(kinds []int) string {
	var list []string
	for _, n := range kinds {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, "+")
}
