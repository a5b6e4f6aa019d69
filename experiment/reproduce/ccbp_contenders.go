package reproduce

import (
	"slices"
	"strings"
)

// contender is a way of sharing that the CCBP paper compares: a policy on a machine, or
// the best of several.
type contender struct {
	name    string
	machine func(Scale) string
	policy  func(Scale) string
	// tried lists instead of policy those of which the best counts, by what the search
	// knows so far: all that it has asked for, and what it asks for next.
	tried func(d *Data, mix []string, m speedup) []string
}

// plain is the machine without rate controllers.
func plain(s Scale) string { return s.GPU }

// plainWith is that machine with an option.
func plainWith(option string) func(Scale) string {
	return func(s Scale) string { return with(s.GPU, option) }
}

// rated is the machine with rate controllers, and load-store units that let other
// tenants pass.
func rated(s Scale) string {
	if s.GPU == "ccbp16" {
		return "ccbp16-irc"
	}
	return with(with(s.GPU, "sm.irc.sub_queues=8"), "sm.lsu.skip=true")
}

// ratedInOrder is the machine with rate controllers and load-store units in order, as in
// the paper.
func ratedInOrder(s Scale) string { return with(s.GPU, "sm.irc.sub_queues=8") }

// ratedWith is the machine with rate controllers and an option.
func ratedWith(option string) func(Scale) string {
	return func(s Scale) string { return with(rated(s), option) }
}

// ungoverned is the machine with controllers that limit nobody and load-store units in
// order: for what only controllers count.
var ungoverned = ratedInOrder

func always(policy string) func(Scale) string { return func(Scale) string { return policy } }

// ccbpWith is CCBP with options: detecting while it runs; in the quick scale, whose
// windows are shorter than detection, in a run before that takes as long as the paper's
// detection, unless the options have another variant.
func ccbpWith(options ...string) func(Scale) string {
	return func(s Scale) string {
		list := slices.Clone(options)
		if s.Quick && !slices.ContainsFunc(list, func(o string) bool { return strings.HasPrefix(o, "variant=") }) {
			list = append(list, "variant=offline")
		}
		return "ccbp:" + strings.Join(append(list, detecting(s)), ",")
	}
}

// detecting is the time that detection takes: the paper's, or in the quick scale a tenth.
func detecting(s Scale) string {
	if s.Quick {
		return "epoch=1k"
	}
	return "epoch=10k"
}

// The ways of Figure 9.
var (
	viaSMK     = contender{name: "SMK", machine: plain, policy: always(smkPW.spec)}
	viaWS      = contender{name: "WS", machine: plain, policy: always("ws")}
	viaSpatial = contender{name: "Spatial_oracle", machine: plain, tried: (*Data).spatialOracle}
	viaCTAs    = contender{name: "CTA_oracle", machine: plain, tried: (*Data).ctaOracle}
	viaDRF     = contender{name: "CCBP_DRF", machine: rated, policy: ccbpWith("variant=drf")}
	// viaCCBP is the paper's CCBP_DRF+adj, its default (7.1).
	viaCCBP = contender{name: "CCBP", machine: rated, policy: ccbpWith()}
	// viaOnline detects and adjusts while it runs.
	viaOnline = contender{name: "CCBP_online", machine: rated, policy: func(s Scale) string { return "ccbp:" + detecting(s) }}
	// viaOffline detects and adjusts in a run before, in ten times the cycles.
	viaOffline = contender{name: "CCBP_offline", machine: rated, policy: ccbpWith("variant=offline")}
)

// otherwise is CCBP as viaCCBP is not, on- or offline.
func otherwise(s Scale) contender {
	if s.Quick {
		return viaOnline
	}
	return viaOffline
}

// heldTo is a machine with rate controllers on which all have from the beginning what
// CCBP decided on the machine of viaCCBP: for what is less than the noise of detection.
func heldTo(machine func(Scale) string) contender {
	return contender{machine: machine, tried: (*Data).asDecided}
}

// What differs from the paper in CCBP here, or from CCBP here in a single point.
var (
	viaQuotas   = contender{name: "CCBP, ls_unlimited=off", machine: rated, policy: ccbpWith("ls_unlimited=off")}
	viaSustain  = contender{name: "CCBP, sustain=0.85", machine: rated, policy: ccbpWith("sustain=0.85")}
	viaInOrder  = contender{name: "CCBP, sm.lsu.skip=false", machine: ratedInOrder, policy: ccbpWith()}
	viaPaper    = contender{name: "CCBP, ls_unlimited=off and sm.lsu.skip=false", machine: ratedInOrder, policy: ccbpWith("ls_unlimited=off")}
	viaClimbing = contender{name: "CCBP, climb=on", machine: rated, policy: ccbpWith("climb=on")}
)
