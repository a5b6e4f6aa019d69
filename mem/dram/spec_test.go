package dram_test

import (
	"strings"
	"testing"

	"cotenant/components"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/mem/dram/tcm"
	"cotenant/protocol"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpecErrorsNameFieldValueAndWhatIsValid(t *testing.T) {
	require.NoError(t, gddr5.Validate())
	require.NoError(t, refreshing().Validate())
	wide := gddr5
	wide.ReadQueue, wide.BusBytes, wide.EntryPerBurst = 2, 8, true
	require.NoError(t, wide.Validate(), "two bursts are a line")
	unranked := gddr5
	unranked.TCM = tcm.Spec{}
	require.NoError(t, unranked.Validate())
	for _, test := range []struct {
		want   string
		change func(*dram.Spec)
	}{
		{"port_depth is 0, must be 1 to 65536", func(s *dram.Spec) { s.PortDepth = 0 }},
		{"read_queue is -1, must be 1 to 65536", func(s *dram.Spec) { s.ReadQueue = -1 }},
		{"write_queue is 0, must be 1 to 65536", func(s *dram.Spec) { s.WriteQueue = 0 }},
		{"write_high is 65, must be 1 to 64", func(s *dram.Spec) { s.WriteHigh = 65 }},
		{"write_low is 56, must be 0 to 55", func(s *dram.Spec) { s.WriteLow = 56 }},
		{`scheduler is "fr-fcfs", must be one of ` + strings.Join(dram.Schedulers(), ", "), func(s *dram.Spec) { s.Scheduler = "fr-fcfs" }},
		{"max_hit_streak is -1, must be 0 to 65536", func(s *dram.Spec) { s.MaxHitStreak = -1 }},
		{"tcm.quantum is -1, must be 1 to 1073741824", func(s *dram.Spec) { s.TCM.Quantum = -1 }},
		{"tcm.quantum is 0, must be 1 to 1073741824", func(s *dram.Spec) { s.Scheduler, s.TCM = "tcm", tcm.Spec{} }},
		{"bank_groups is 0, must be 1 to 64", func(s *dram.Spec) { s.BankGroups = 0 }},
		{"bus_bytes is 0, must be 1 to 128", func(s *dram.Spec) { s.BusBytes = 0 }},
		{"data_rate is 3, must divide burst_length, which is 8", func(s *dram.Spec) { s.DataRate = 3 }},
		{"burst_length is 8: a burst of 2 bytes a beat must move 32, 64 or 128 bytes, not 16", func(s *dram.Spec) { s.BusBytes = 2 }},
		{"burst_length is 8: a burst of 1 bytes a beat must move 32, 64 or 128 bytes, not 8", func(s *dram.Spec) { s.BusBytes, s.Scheduler = 1, "tcm" }},
		{"return_latency is -5, must be 0 to 65536", func(s *dram.Spec) { s.ReturnLatency = -5 }},
		{"read_queue is 3, must be at least the bursts of a line, which are 4, with entry_per_burst",
			func(s *dram.Spec) { s.ReadQueue, s.EntryPerBurst = 3, true }},
		{"write_high is 62, must be at most 61 with entry_per_burst, so that a drain begins where a line has no room",
			func(s *dram.Spec) { s.WriteHigh, s.EntryPerBurst = 62, true }},
		{"write_queue is 1, must be at least the bursts of a line, which are 2, with entry_per_burst",
			func(s *dram.Spec) {
				s.WriteQueue, s.WriteHigh, s.WriteLow, s.BusBytes, s.EntryPerBurst = 1, 1, 0, 8, true
			}},
		{"timing.t_cl is 0, must be 1 to 65536 clocks", func(s *dram.Spec) { s.Timing.CL = 0 }},
		{"timing.t_faw is -1, must be 0 to 65536 clocks", func(s *dram.Spec) { s.Timing.FAW = -1 }},
		{"timing.t_rc is 39, must be at least t_ras + t_rp, which is 40", func(s *dram.Spec) { s.Timing.RC = 39 }},
		{"timing.t_ccd is 1, must be at least the clocks of a burst, burst_length / data_rate, which is 2", func(s *dram.Spec) { s.Timing.CCD = 1 }},
		{"timing.t_ccdl is 3, must be 0 unless bank_groups is above 1", func(s *dram.Spec) { s.Timing.CCDL = 3 }},
		{"timing.t_ccdl is 1, must be at least t_ccd, which is 2", func(s *dram.Spec) { s.BankGroups, s.Timing.CCDL = 4, 1 }},
		{"timing.t_rtw is 9, must be at least t_cl + burst - t_wl, to keep data apart, which is 10", func(s *dram.Spec) { s.Timing.RTW = 9 }},
		{"timing.t_refi is 1000 and t_rfc 0: must both be 0 or both be above it", func(s *dram.Spec) { s.Timing.REFI = 1000 }},
		{"timing.t_refi is 100, must be at least t_rfc and the time to open, use and close a row twice, which is 196",
			func(s *dram.Spec) { s.Timing.REFI, s.Timing.RFC = 100, 100 }},
		{"timing.t_refi is 100, must be at least t_rfc_bank and the time to open, use and close a row twice, which is 156",
			func(s *dram.Spec) { s.Timing.REFI, s.Timing.RFC, s.Timing.RFCBank = 100, 100, 60 }},
		{"timing.t_rfc_bank is 60, must be 0 without t_refi", func(s *dram.Spec) { s.Timing.RFCBank = 60 }},
	} {
		spec := gddr5
		test.change(&spec)
		assert.EqualError(t, spec.Validate(), test.want)
	}
}

func TestPeakOfEightGTX980ChannelsIs224GBs(t *testing.T) {
	assert.Equal(t, uint64(224e9), 8*gddr5.PeakBytesPerSecond(1_750_000_000))
}

func TestBuilderErrorsNameTheControllerAndWhatIsMissing(t *testing.T) {
	e := components.NewEngine()
	clock, err := e.AddDomain("dram", 1_750_000_000)
	require.NoError(t, err)
	addrs, err := mem.NewAddressMap(oneChannel)
	require.NoError(t, err)
	pool := &components.Pool[protocol.DRAMRequest]{}
	full := dram.Builder{}.WithSpec(gddr5).WithDomain(clock).WithAddressMap(addrs).WithPool(pool)
	c, err := full.Build("DRAM[0]")
	require.NoError(t, err)
	assert.Equal(t, gddr5, c.Spec())
	groups, bad := gddr5, gddr5
	groups.BankGroups = 3
	bad.Scheduler = ""
	for want, b := range map[string]dram.Builder{
		"DRAM[0]: no clock domain":                                  full.WithDomain(nil),
		"DRAM[0]: no address map":                                   full.WithAddressMap(nil),
		"DRAM[0]: no request pool":                                  full.WithPool(nil),
		"DRAM[0]: bank_groups is 3, must divide banks, which is 16": full.WithSpec(groups),
		`DRAM[0]: scheduler is "", must be one of ` + strings.Join(dram.Schedulers(), ", "): full.WithSpec(bad),
	} {
		_, err := b.Build("DRAM[0]")
		assert.EqualError(t, err, want)
	}
}
