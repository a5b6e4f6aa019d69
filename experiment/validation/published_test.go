package validation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/platform/presets"
)

func TestPublishedFiguresAreOfPresets(t *testing.T) {
	require.NotEmpty(t, Presets())
	for _, name := range Presets() {
		assert.Contains(t, presets.Names(), name)
		m, err := MachineOf(name)
		require.NoError(t, err)
		assert.NotEmpty(t, m.Figures, name)
	}
	m, err := MachineOf("gtx980?sms=8")
	require.NoError(t, err)
	assert.Nil(t, m, "it is another machine")
}

func TestPublishedFiguresAreReadAsTheyAreWritten(t *testing.T) {
	m, err := parse("m.yaml", []byte(`
machine: M
figures:
  - {figure: l2-chain, value: 200 to 400, source: S, mark: m}
  - {figure: l2-chain, value: 12.5, printed: 25 half cycles, source: T, mark: c, reason: R}
`))
	require.NoError(t, err)
	assert.Equal(t, &Machine{Name: "M", Figures: []Published{
		{Figure: "l2-chain", Value: Range{200, 400}, Source: "S", Mark: "m"},
		{Figure: "l2-chain", Value: Range{12.5, 12.5}, Printed: "25 half cycles", Source: "T", Mark: "c", Reason: "R"},
	}}, m)
}

func TestFaultsOfPublishedFiguresNameTheLine(t *testing.T) {
	for _, c := range []struct{ entry, want string }{
		{"{figure: l2-chian, value: 1, source: S, mark: p}", `m.yaml:4: unknown figure "l2-chian"; valid: int-chain, `},
		{"{figure: l2-chain, source: S, mark: p}", "m.yaml:4: l2-chain has no value; it takes a number above 0, or two, such as 200 to 400"},
		{"{figure: l2-chain, value: 0, source: S, mark: p}", `m.yaml:4: figures[1].value is "0"; it takes a number above 0`},
		{"{figure: l2-chain, value: 4 to 3, source: S, mark: p}", `is "4 to 3"; it takes`},
		{"{figure: l2-chain, value: 4 to 4, source: S, mark: p}", `is "4 to 4"; it takes`},
		{"{figure: l2-chain, value: 4 to, source: S, mark: p}", `is "4 to"; it takes`},
		{"{figure: l2-chain, value: .nan, source: S, mark: p}", `is ".nan"; it takes`},
		{"{figure: l2-chain, value: 1, mark: p}", "m.yaml:4: l2-chain has no source; it takes the author and the table"},
		{"{figure: l2-chain, value: 1, source: S, mark: x}", `m.yaml:4: the mark of l2-chain is "x"; valid: p, m, c`},
		{"{figure: l2-chain, value: 1, source: S}", `m.yaml:4: the mark of l2-chain is ""; valid: p, m, c`},
		{"{figure: dram-chain, value: 1, source: S, mark: p}", "m.yaml:4: dram-chain is given twice of one source; once is enough"},
		{"{figure: l2-chain, value: 1, source: S, mark: p, because: x}", `m.yaml:4: unknown key "because" in figures[1]`},
	} {
		_, err := parse("m.yaml", []byte("machine: M\nfigures:\n  - {figure: dram-chain, value: 1, source: S, mark: p}\n  - "+c.entry+"\n"))
		assert.ErrorContains(t, err, c.want, c.entry)
	}
	_, err := parse("m.yaml", []byte("figures: []"))
	assert.ErrorContains(t, err, "machine is empty")
}
