package fixed

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
func parseRates(o *policy.Options) (rates []protocol.Rate) {
	if o.Text("rates") == "none" {
		return nil
	}
	for item := range strings.SplitSeq(o.Text("rates"), "/") {
		r := protocol.Rate{Given: true}
		if item != "-" {
			requests, err := strconv.ParseFloat(item, 64)
			if err != nil || !(requests >= leastRate && requests <= mostRate) {
				o.Invalid("rates", fmt.Sprintf("none, or numbers of requests from %g to %d, and - for any number, such as 15.5/-", leastRate, mostRate))
				return nil
			}
			r.Limited, r.Requests = true, uint32(math.Round(requests*protocol.RateOne))
		}
		rates = append(rates, r)
	}
	return rates
}

// parseFirst reads the option first: rates without a limit, Sensitive where it says so, by
// order of arrival; nil for none.
func parseFirst(o *policy.Options) (rates []protocol.Rate) {
	if o.Text("first") == "none" {
		return nil
	}
	for item := range strings.SplitSeq(o.Text("first"), "/") {
		if item != "0" && item != "1" {
			o.Invalid("first", "none, or a 1 or 0 for each application, such as 1/0")
			return nil
		}
		rates = append(rates, protocol.Rate{Given: true, Sensitive: item == "1"})
	}
	return rates
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
