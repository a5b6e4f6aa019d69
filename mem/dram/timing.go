package dram

import "fmt"

// Timing holds the distances between commands, in command clocks. Numbers in parentheses
// are a GTX 980's, with GDDR5 at 1750 MHz. No command is ever more than 1<<20 clocks
// away, because no distance is above 1<<16.
type Timing struct {
	// CL is the time from a read command to the first beat of its data (12).
	CL int `yaml:"t_cl" range:"1..1<<16 clocks"`
	// WL is the time from a write command to the first beat of its data (4).
	WL int `yaml:"t_wl" range:"1..1<<16 clocks"`
	// RCD is the time from an activate to a column command of its bank (12).
	RCD int `yaml:"t_rcd" range:"1..1<<16 clocks"`
	// RP is the time from a precharge to an activate of its bank (12).
	RP int `yaml:"t_rp" range:"1..1<<16 clocks"`
	// RAS is the time from an activate to a precharge of its bank (28).
	RAS int `yaml:"t_ras" range:"1..1<<16 clocks"`
	// RC is the time between activates of one bank, at least RAS + RP (40).
	RC int `yaml:"t_rc" range:"1..1<<16 clocks"`
	// RRD is the time between activates of different banks (6).
	RRD int `yaml:"t_rrd" range:"1..1<<16 clocks"`
	// FAW is the window in which at most four activates may fall; 0: no limit.
	FAW int `yaml:"t_faw" range:"0..1<<16 clocks"`
	// CCD is the time between two reads, or two writes: at least the clocks of
	// one burst (2).
	CCD int `yaml:"t_ccd" range:"1..1<<16 clocks"`
	// CCDL is the same for two of one bank group, at least CCD; it needs more
	// than one bank group. 0: as CCD (3).
	CCDL int `yaml:"t_ccdl" range:"0..1<<16 clocks"`
	// WR is the write recovery: from the last beat of written data to a
	// precharge of the bank (12).
	WR int `yaml:"t_wr" range:"1..1<<16 clocks"`
	// RTP is the time from a read to a precharge of its bank (2).
	RTP int `yaml:"t_rtp" range:"1..1<<16 clocks"`
	// WTR is the time from the last beat of written data to a read, also
	// called CDLR (5).
	WTR int `yaml:"t_wtr" range:"1..1<<16 clocks"`
	// RTW is the time from a read to a write. 0: what keeps two clocks between
	// their data, CL + burst + 2 - WL, as GPGPU-Sim derives it.
	RTW int `yaml:"t_rtw" range:"0..1<<16 clocks"`
	// REFI is the time between refreshes of the channel; 0, with RFC: none.
	REFI int `yaml:"t_refi" range:"0..1<<16 clocks"`
	// RFC is the time that a refresh takes.
	RFC int `yaml:"t_rfc" range:"0..1<<16 clocks"`
	// RFCBank, if it is above 0, is the time that the refresh of a bank takes: banks are refreshed one
	// at a time, each once in REFI, and the others go on. 0: all banks at once, in RFC.
	RFCBank int `yaml:"t_rfc_bank" range:"0..1<<16 clocks" json:",omitempty"`
}

// busGap is the idle time on the data bus when it turns from reads to writes.
const busGap = 2

// validate checks how the distances relate. Burst is the clocks of a burst, bursts the
// most of one request.
func (t Timing) validate(burst, bursts, groups int) error {
	least := func(name string, value, bound int, why string) error {
		if value >= bound {
			return nil
		}
		return fmt.Errorf("timing.%s is %d, must be at least %s, which is %d", name, value, why, bound)
	}
	if err := least("t_rc", t.RC, t.RAS+t.RP, "t_ras + t_rp"); err != nil {
		return err
	}
	if err := least("t_ccd", t.CCD, burst, "the clocks of a burst, burst_length / data_rate"); err != nil {
		return err
	}
	if t.CCDL != 0 {
		if groups == 1 && t.CCDL != t.CCD {
			return fmt.Errorf("timing.t_ccdl is %d, must be 0 unless bank_groups is above 1", t.CCDL)
		}
		if err := least("t_ccdl", t.CCDL, t.CCD, "t_ccd"); err != nil {
			return err
		}
	}
	if t.RTW != 0 {
		if err := least("t_rtw", t.RTW, t.CL+burst-t.WL, "t_cl + burst - t_wl, to keep data apart"); err != nil {
			return err
		}
	}
	if (t.REFI == 0) != (t.RFC == 0) {
		return fmt.Errorf("timing.t_refi is %d and t_rfc %d: must both be 0 or both be above it", t.REFI, t.RFC)
	}
	if t.REFI == 0 {
		if t.RFCBank > 0 {
			return fmt.Errorf("timing.t_rfc_bank is %d, must be 0 without t_refi", t.RFCBank)
		}
		return nil
	}
	// Else refreshes could take all the time there is.
	name, time := "t_rfc", t.RFC
	if t.RFCBank > 0 {
		name, time = "t_rfc_bank", t.RFCBank
	}
	return least("t_refi", t.REFI, time+2*t.service(burst, bursts), name+" and the time to open, use and close a row twice")
}

// service is the time to open, use and close a row.
func (t Timing) service(burst, bursts int) int {
	k := t.clocks(burst)
	column := (bursts-1)*max(t.CCD, t.CCDL) + int(max(k.writeToPrecharge, k.readToPrecharge))
	return max(t.RC, t.RCD+column+t.RP)
}

// refreshesOf checks that refreshes of one bank after the other have time.
func (t Timing) refreshesOf(banks, burst, bursts int) error {
	if bound := banks * t.service(burst, bursts); t.RFCBank > 0 && t.REFI < bound {
		return fmt.Errorf("timing.t_refi is %d, must be at least %d with t_rfc_bank: the time to open, use and close a row of each bank", t.REFI, bound)
	}
	return nil
}

// clocks is the Timing as the controller adds it up.
type clocks struct {
	cl, wl, rcd, rp, ras, rc, rrd, faw uint64
	ccd, ccdl                          uint64
	run                                uint64 // between column commands of one request
	burst                              uint64 // a burst's time on the data bus
	readToWrite, writeToRead           uint64 // command to command
	readToPrecharge, writeToPrecharge  uint64
	refi, rfc, rfcBank                 uint64
}

func (t Timing) clocks(burst int) clocks {
	rtw := t.RTW
	if rtw == 0 {
		rtw = max(t.CL+burst+busGap-t.WL, 1)
	}
	return clocks{
		cl: uint64(t.CL), wl: uint64(t.WL), rcd: uint64(t.RCD), rp: uint64(t.RP),
		ras: uint64(t.RAS), rc: uint64(t.RC), rrd: uint64(t.RRD), faw: uint64(t.FAW),
		ccd: uint64(t.CCD), ccdl: uint64(max(t.CCD, t.CCDL)), run: uint64(max(t.CCD, t.CCDL)),
		burst:            uint64(burst),
		readToWrite:      uint64(rtw),
		writeToRead:      uint64(t.WL + burst + t.WTR),
		readToPrecharge:  uint64(t.RTP),
		writeToPrecharge: uint64(t.WL + burst + t.WR),
		refi:             uint64(t.REFI), rfc: uint64(t.RFC), rfcBank: uint64(t.RFCBank),
	}
}
