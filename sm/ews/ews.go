// Package ews holds the warp schedulers. A scheduler owns one issue port of an
// SM and up to 64 warp slots; the SM tells it which slots could issue, it
// chooses. Each policy is one small file, which registers it.
package ews

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/tenant"
)

// MaxSlots is the number of warp slots that one scheduler can have.
const MaxSlots = 64

// None is what a Scheduler picks that lets no warp issue.
const None = -1

// Scheduler chooses the warp that issues.
//
// The contract: Pick returns a slot of the mask ready, which is never empty, or None for
// a bubble: no warp issues in the cycle. Pick changes nothing; in stalled the bit of a
// slot is set if its next instruction waits for a load that missed the L1. Issued,
// Placed and Removed keep the scheduler's own order up to date: Issued follows each
// issue, with the stalled slots of that time, Placed is called in order of age when a
// warp takes a slot, Removed when it leaves.
type Scheduler interface {
	Pick(ready, stalled uint64) int
	Issued(slot int, stalled uint64)
	Placed(slot int, id tenant.ID)
	Removed(slot int)
}

// policy is a way to make a scheduler, by name.
type policy struct {
	name, about string
	make        func(argument int) Scheduler
	// argument says that the name ends in -N, N from 1 to MaxSlots.
	argument bool
}

// policies are in alphabetical order.
var policies []policy

// register makes a policy known. Its file does so.
func register(p policy) {
	at, taken := slices.BinarySearchFunc(policies, p.name, func(p policy, name string) int { return strings.Compare(p.name, name) })
	if taken {
		panic("two warp schedulers are called " + p.name)
	}
	policies = slices.Insert(policies, at, p)
}

// Description tells the user of a scheduler.
type Description struct {
	Name  string // as New takes it, with N where it takes a number
	About string // one line
}

// All describes the schedulers.
func All() []Description {
	all := make([]Description, len(policies))
	for i, p := range policies {
		all[i] = Description{p.name, p.about}
		if p.argument {
			all[i].Name += "-N"
		}
	}
	return all
}

// Names lists the names in All, for messages.
func Names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// New makes the scheduler of a name from All, with a number from 1 to MaxSlots for N.
func New(name string) (Scheduler, error) {
	base, argument := name, ""
	if i := strings.LastIndexByte(name, '-'); i >= 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == "" {
		base, argument = name[:i], name[i+1:]
	}
	i := slices.IndexFunc(policies, func(p policy) bool { return p.name == base && p.argument == (argument != "") })
	if i < 0 {
		return nil, fmt.Errorf("unknown warp scheduler %q; valid: %s", name, strings.Join(Names(), ", "))
	}
	n := 0
	if argument != "" {
		var err error
		if n, err = strconv.Atoi(argument); err != nil || n < 1 || n > MaxSlots {
			return nil, fmt.Errorf("warp scheduler %q: the number must be 1 to %d", name, MaxSlots)
		}
	}
	return policies[i].make(n), nil
}
