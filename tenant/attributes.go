package tenant

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cotenant/options"
)

// Attributes describe a tenant beside its application: the options that every
// application takes, and its isolated IPC. The host, the SM driver and the policy get
// the whole struct. The zero value is a tenant without options.
//
// A new attribute is a field here, and if users set it an entry in the table below.
type Attributes struct {
	// Arrival is when the tenant's process arrives.
	Arrival Moment
	// IsolatedWIPC is the tenant's isolated rate in warp instructions per cycle of a warp
	// scheduler, pauses between its kernels included. It is known only under policies
	// that need it (policy.Alone), else 0. It is not an option: it is measured, or
	// given beside the application.
	IsolatedWIPC float64
	// Goal is the tenant's promised IPC, thread instructions per core cycle of the whole
	// GPU over its time from its arrival on; 0: none. It is not an option, but follows
	// from QoS or QoSTime and the isolated IPC.
	Goal float64
	// IsolatedIPC is the tenant's IPC alone, thread instructions per core cycle. It is
	// known if a goal follows from it, and under policies that need it, else 0.
	IsolatedIPC float64
	// QoS is its goal as a part of its isolated IPC, above 0 and at most 1; 0: none.
	QoS float64
	// QoSTime is its goal as the longest time of one run of the application (QoS 3.2);
	// 0: none. A tenant has QoS or QoSTime or neither.
	QoSTime time.Duration
	// Priority is for policies and copy schedulers that use it. The larger goes first; 0
	// by default.
	Priority int
}

// attribute is one option of an application.
type attribute struct {
	key   string
	usage string // KEY=VALUE, with an explanation where it needs one
	set   func(a *Attributes, value string) error
}

// table lists the attributes that users can set. The error of set says which values
// are valid.
var table = []attribute{
	{"arrival", "arrival=TIME (such as 20us, or core cycles)", func(a *Attributes, value string) (err error) {
		a.Arrival, err = parseMoment(value)
		return err
	}},
	{"priority", "priority=N", func(a *Attributes, value string) error {
		digits, negative := strings.CutPrefix(value, "-")
		n, err := options.Count(digits, 0, maxPriority)
		if a.Priority = int(n); negative {
			a.Priority = -a.Priority
		}
		if err != nil {
			return fmt.Errorf("a whole number from %d to %d", -maxPriority, maxPriority)
		}
		return nil
	}},
	{"qos", "qos=F (a goal: this part of the isolated IPC, such as 0.8)", (*Attributes).setQoS},
	{"qos_time", "qos_time=TIME (a goal: the longest time of one run, such as 2ms)", (*Attributes).setQoSTime},
}

// maxPriority bounds priorities on both sides.
const maxPriority = 1_000_000

// leastQoS bounds goals from below, so that a goal is never 0.
const leastQoS = 1e-9

// errTwoGoals is the error of a tenant with both kinds of goal.
var errTwoGoals = errors.New("qos or qos_time, not both: a tenant has one goal")

func (a *Attributes) setQoS(value string) error {
	f, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	switch valid := "a part of the tenant's isolated IPC, above 0 (1e-9 or more) and at most 1, such as 0.8"; {
	case err == nil && f > 1 && f <= 100:
		// A goal is at most the isolated IPC; a percentage was meant.
		return fmt.Errorf("%s; %v %% is %v", valid, f, f/100)
	case err != nil || !(f >= leastQoS && f <= 1) || strings.HasSuffix(value, "%"):
		return errors.New(valid)
	case a.QoSTime != 0:
		return errTwoGoals
	}
	a.QoS = f
	return nil
}

func (a *Attributes) setQoSTime(value string) error {
	d, _, ok := parseTime(value)
	switch {
	case !ok || d <= 0:
		return errors.New("a time above 0 with its unit, ns, us or ms, at most an hour, such as 2ms")
	case a.QoS != 0:
		return errTwoGoals
	}
	a.QoSTime = d
	return nil
}

// HasGoal reports whether the tenant has a goal. Its IPC may not be known yet.
func (a *Attributes) HasGoal() bool { return a.QoS != 0 || a.QoSTime != 0 }

// Set sets the attribute of the given key. It reports false, and changes nothing, if
// the key is unknown. The error says which values are valid.
func (a *Attributes) Set(key, value string) (known bool, err error) {
	i := slices.IndexFunc(table, func(t attribute) bool { return t.key == key })
	if i < 0 {
		return false, nil
	}
	return true, table[i].set(a, value)
}

// Usage lists the attributes and their values, for messages and help.
func Usage() string {
	var list []string
	for _, t := range table {
		list = append(list, t.usage)
	}
	return strings.Join(list, ", ")
}
