package fixed

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// leastRate and mostRate are the limits of the option rates, in requests of an SM in an
// interval: a part of RateOne, rounded, and the most that a controller takes.
const (
	leastRate = 0.004
	mostRate  = protocol.RateLimit / protocol.RateOne
)

// parseRates reads the option rates, by order of arrival; nil for none.
func parseRates(o *policy.Options) []protocol.Rate {
	valid := fmt.Sprintf("numbers of requests from %g to %d, and - for any number, such as 15.5/-", leastRate, mostRate)
	return policy.List(o, "rates", "none", valid, func(item string) (protocol.Rate, bool) {
		if item == "-" {
			return protocol.Rate{Given: true}, true
		}
		requests, err := strconv.ParseFloat(item, 64)
		return protocol.Rate{Given: true, Limited: true, Requests: uint32(math.Round(requests * protocol.RateOne))},
			err == nil && requests >= leastRate && requests <= mostRate
	})
}

// parseFirst reads the option first: rates without a limit, Sensitive where it says so, by
// order of arrival; nil for none.
func parseFirst(o *policy.Options) []protocol.Rate {
	return policy.List(o, "first", "none", "a 1 or 0 for each application, such as 1/0", func(item string) (protocol.Rate, bool) {
		return protocol.Rate{Given: true, Sensitive: item == "1"}, item == "0" || item == "1"
	})
}

// together combines rates with the priorities of first; either may be nil. It is nil if no
// tenant has a limit or goes first: then SMs need no controllers.
func together(rates, first []protocol.Rate) []protocol.Rate {
	if rates == nil {
		rates = first
	}
	for i := range first {
		rates[i].Sensitive = first[i].Sensitive
	}
	if !slices.ContainsFunc(rates, func(r protocol.Rate) bool { return r.Limited || r.Sensitive }) {
		return nil
	}
	return rates
}

// sendRates sends the rates of all arrived tenants to all SMs.
func (f *fixed) sendRates(v *policy.View, a policy.Actions) {
	if f.rates == nil {
		return
	}
	for i := range v.SMs {
		m := &protocol.Rates{On: true}
		for tenant, place := range f.place {
			if place >= 0 {
				m.Of[tenant] = f.rates[place]
			}
		}
		a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, m)
	}
}
