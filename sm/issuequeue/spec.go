package issuequeue

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/components/limits"
)

// Spec holds the parameters of an issue queue (thesis Table 6.1: 96 entries, 2
// instructions a cycle).
type Spec struct {
	// Entries is the number of instructions that have been fetched and not issued,
	// of all warps of the SM, 0 to 4096. 0: no queue, a warp issues in order from its
	// instruction buffer, and the other fields count for nothing.
	Entries int `yaml:"entries" range:"0..4096"`
	// Width is the number of instructions that the SM issues a cycle, from one or
	// more warps, 1 to 8.
	Width int `yaml:"width" range:"1..8" if:"entries"`
	// FetchWidth is the number of instructions of an instruction line, which is what
	// a warp is given a cycle, 1 to 8. A line ends at a memory or control instruction.
	FetchWidth int `yaml:"fetch_width" range:"1..8" if:"entries"`
	// Order is "out-of-order"; "in-order": a warp issues in order;
	// "in-order-commit": it issues out of order and commits in order, one
	// instruction a cycle; or "in-order-both" (thesis Figure 6.1).
	Order string `yaml:"order"`
}

// The orders.
const (
	outOfOrder    = "out-of-order"
	inOrder       = "in-order"
	inOrderCommit = "in-order-commit"
	inOrderBoth   = "in-order-both"
)

var orders = []string{outOfOrder, inOrder, inOrderCommit, inOrderBoth}

func (s *Spec) issuesInOrder() bool { return s.Order == inOrder || s.Order == inOrderBoth }

// CommitsInOrder reports whether a warp's instructions commit in order.
func (s *Spec) CommitsInOrder() bool { return s.Order == inOrderCommit || s.Order == inOrderBoth }

// Validate reports the first field that is out of range, by its name; and an order
// that does not go with the scheme. What commits in order cannot drain behind an
// instruction that has faulted.
func (s *Spec) Validate(scheme string) error {
	if err := limits.Check(s); err != nil || s.Entries == 0 {
		return err
	}
	if !slices.Contains(orders, s.Order) {
		return fmt.Errorf("order is %q, must be one of %s", s.Order, strings.Join(orders, ", "))
	}
	if s.CommitsInOrder() && scheme != "none" && scheme != "stall" {
		return fmt.Errorf("order is %q, which goes with the schemes none and stall, not with %s", s.Order, scheme)
	}
	return nil
}

// Moment is a moment in the life of an instruction.
type Moment uint8

// The moments, in the order in which they come.
const (
	AtIssue     Moment = iota // it leaves the queue
	AtRead                    // it reads its operands, in the cycle after its issue
	AtLastCheck               // the last of its TLB checks passes: it cannot fault any more
	AtCommit                  // its results are written
)

// Rules are a fault scheme's demands on global memory instructions. All other
// instructions open fetch when they issue, or commit if they are control, and release
// their sources when they read them.
type Rules struct {
	// FetchOpens is when the warp can be fetched for again behind one: in the cycle
	// of its issue, or in the cycle after its last check or its commit. AtRead is
	// none of its values.
	FetchOpens Moment
	// SourcesFree is when its sources are released: in the cycle of the operand read,
	// in the cycle after the last check, or with its commit. AtIssue is none of its
	// values.
	SourcesFree Moment
}

// Refetches reports whether an instruction that has faulted is fetched again, which
// it is in the schemes that disable the warp: nothing behind it has been fetched.
func (r Rules) Refetches() bool { return r.FetchOpens > AtRead }

var rules = []struct {
	scheme string
	Rules
}{
	{"none", Rules{AtIssue, AtRead}},
	{"stall", Rules{AtIssue, AtRead}},
	{"wd-commit", Rules{AtCommit, AtRead}},
	{"wd-lastcheck", Rules{AtLastCheck, AtRead}},
	{"replay-queue", Rules{AtIssue, AtLastCheck}},
	{"operand-log", Rules{AtIssue, AtRead}},
}

// Register adds a scheme that stops and replays the instructions that fault.
func Register(scheme string, r Rules) {
	rules = append(rules, struct {
		scheme string
		Rules
	}{scheme, r})
}

// Schemes lists the names of all schemes.
func Schemes() (names []string) {
	for _, r := range rules {
		names = append(names, r.scheme)
	}
	return names
}

// RulesOf gives the rules of a scheme (thesis 6.3): none and stall, where no
// instruction is ever squashed; wd-commit and wd-lastcheck, which disable the warp;
// replay-queue; and operand-log. Another name is an error that lists these.
func RulesOf(scheme string) (Rules, error) {
	for _, r := range rules {
		if r.scheme == scheme {
			return r.Rules, nil
		}
	}
	return Rules{}, fmt.Errorf("scheme is %q, must be one of %s", scheme, strings.Join(Schemes(), ", "))
}
