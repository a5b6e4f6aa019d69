package dram_test

import (
	"fmt"

	"cotenant/mem/dram"
)

// check verifies a channel's commands, in order of their cycles, against its
// Timing. It knows nothing of how the controller plans: it looks back over all
// commands that can matter, and asks for each pair whether it is far enough
// apart.
func check(spec dram.Spec, banks int, commands []told) error {
	t := spec.Timing
	burst := spec.BurstLength / spec.DataRate
	rtw := t.RTW
	if rtw == 0 {
		rtw = t.CL + burst - t.WL // what the data bus needs at least
	}
	open := map[int]uint64{} // row of each open bank
	dataEnd := 0
	horizon := 2 * (t.RC + t.FAW + t.RFC + t.RFCBank + t.WL + t.WR + t.CL + 64)
	for i, c := range commands {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%v bank %d at %d: %s", c.Kind, c.Bank, c.Cycle, fmt.Sprintf(format, args...))
		}
		row, isOpen := open[c.Bank]
		switch c.Kind {
		case dram.Activate:
			if isOpen {
				return fail("row %d is open", row)
			}
			open[c.Bank] = c.Row
		case dram.Precharge:
			if !isOpen {
				return fail("no row is open")
			}
			delete(open, c.Bank)
		case dram.PrechargeAll:
			clear(open)
		case dram.Refresh:
			if len(open) > 0 {
				return fail("rows are open: %v", open)
			}
		case dram.RefreshBank:
			if isOpen {
				return fail("row %d is open", row)
			}
		default:
			if !isOpen || row != c.Row {
				return fail("row %d wanted, row %d open: %v", c.Row, row, isOpen)
			}
			latency := t.CL
			if c.Kind == dram.Write {
				latency = t.WL
			}
			if start := int(c.Cycle) + latency; start < dataEnd {
				return fail("its data start at %d, the bus is taken until %d", start, dataEnd)
			} else {
				dataEnd = start + burst
			}
		}
		activates := 0
		for j := i - 1; j >= 0 && int(c.Cycle-commands[j].Cycle) < horizon; j-- {
			p := commands[j]
			if p.Kind == dram.Activate {
				activates++
			}
			apart := int(c.Cycle - p.Cycle)
			if apart == 0 {
				return fail("the command bus carries %v too", p.Kind)
			}
			if least, why := distance(t, burst, rtw, spec.BankGroups, p.Command, c.Command); apart < least {
				return fail("%s is %d, but %v came %d before", why, least, p.Kind, apart)
			}
			if c.Kind == dram.Activate && p.Kind == dram.Activate && activates == 4 && apart < t.FAW {
				return fail("tFAW is %d, but the fourth activate before came %d before", t.FAW, apart)
			}
		}
	}
	return nil
}

// distance is the least number of clocks from command p to command c.
func distance(t dram.Timing, burst, rtw, groups int, p, c dram.Command) (int, string) {
	all := func(k dram.Kind) bool { return k == dram.PrechargeAll || k == dram.Refresh }
	sameBank := p.Bank == c.Bank || all(p.Kind) || all(c.Kind)
	ccd := t.CCD
	if p.Bank%groups == c.Bank%groups {
		ccd = max(ccd, t.CCDL)
	}
	closes := c.Kind == dram.Precharge || c.Kind == dram.PrechargeAll
	opens := c.Kind == dram.Activate || c.Kind == dram.Refresh || c.Kind == dram.RefreshBank
	switch p.Kind {
	case dram.Activate:
		switch {
		case sameBank && opens:
			return t.RC, "tRC"
		case c.Kind == dram.Activate:
			return t.RRD, "tRRD"
		case sameBank && closes:
			return t.RAS, "tRAS"
		case sameBank && (c.Kind == dram.Read || c.Kind == dram.Write):
			return t.RCD, "tRCD"
		}
	case dram.Precharge, dram.PrechargeAll:
		if sameBank && opens {
			return t.RP, "tRP"
		}
	case dram.Refresh:
		return t.RFC, "tRFC"
	case dram.RefreshBank:
		if sameBank {
			return t.RFCBank, "tRFC of a bank"
		}
	case dram.Read:
		switch {
		case c.Kind == dram.Read:
			return ccd, "tCCD"
		case c.Kind == dram.Write:
			return rtw, "tRTW"
		case sameBank && closes:
			return t.RTP, "tRTP"
		}
	case dram.Write:
		switch {
		case c.Kind == dram.Write:
			return ccd, "tCCD"
		case c.Kind == dram.Read:
			return t.WL + burst + t.WTR, "tWL + burst + tWTR"
		case sameBank && closes:
			return t.WL + burst + t.WR, "tWL + burst + tWR"
		}
	}
	return 0, ""
}
