package blocks

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components"
)

type spec struct {
	Depth int `yaml:"depth"`
}

func (s spec) Validate() error {
	if s.Depth < 1 {
		return errors.New("depth is too small")
	}
	return nil
}

// module is a block that does nothing.
type module struct {
	components.Module
	counters struct{}
}

func (*module) Tick(uint64) bool { return false }

// descriptor describes a block. Its Make fails if the depth is 13, and makes
// one without ports if it is 14.
func descriptor(key string, joint Joint) Descriptor[spec] {
	return Descriptor[spec]{Key: key, Joint: joint, Default: spec{Depth: 2}, Make: func(p Place, s spec) (Block, error) {
		if s.Depth == 13 {
			return Block{}, errors.New("unlucky")
		}
		m := &module{}
		m.Init(p.Name, p.Clock, m)
		b := Block{Module: m, Stats: &m.counters}
		if s.Depth != 14 {
			b.Up, b.Down = m.NewPort("Up", s.Depth), m.NewPort("Down", s.Depth)
		}
		return b, nil
	}}
}

// registered registers the kinds of a test alone.
func registered(t *testing.T, list ...Descriptor[spec]) {
	before := kinds
	t.Cleanup(func() { kinds = before })
	kinds = nil
	for _, d := range list {
		Register(d)
	}
}

func TestBlocksOfAJointStandInOrderOfTheirKeys(t *testing.T) {
	registered(t, descriptor("late", SMToRequestNoC), descriptor("early", SMToRequestNoC), descriptor("other", SliceToChannel))
	assert.Equal(t, []string{"early", "late", "other"}, Set{}.Keys())
	s := Set{}
	assert.Empty(t, s.At(SMToRequestNoC), "a GPU has none that its configuration does not name")
	s.Value("late").(*spec).Depth = 7
	s.Value("early")
	s.Value("other")
	var got []any
	for _, k := range s.At(SMToRequestNoC) {
		got = append(got, k.Key, k.Spec())
	}
	assert.Equal(t, []any{"early", spec{2}, "late", spec{7}}, got)
}

func TestSpecStartsFromItsDefaultsAndIsWrittenOver(t *testing.T) {
	registered(t, descriptor("wide_gate", SliceToChannel))
	var s Set
	s.Value("wide_gate").(*spec).Depth = 7
	assert.Equal(t, &spec{7}, s.Value("wide_gate"), "a second document sets what differs")
	assert.Equal(t, spec{2}, kinds[0].Defaults(), "and the defaults stay")
	s.Off("wide_gate")
	assert.Empty(t, s)
	assert.Equal(t, &spec{2}, s.Value("wide_gate"), "who comes back starts anew")
	assert.Equal(t, "WideGate", kinds[0].Type())
}

func TestParameterOutOfRangeIsNamedByItsPath(t *testing.T) {
	registered(t, descriptor("a", SliceToChannel), descriptor("b", SliceToChannel))
	s := Set{"b": &spec{0}}
	assert.EqualError(t, s.Validate(), "b.depth is too small")
	assert.NoError(t, Set{"b": &spec{1}}.Validate())
}

func TestBlockThatCannotBeJoinedIsAnError(t *testing.T) {
	registered(t, descriptor("a", SliceToChannel))
	clock, err := components.NewEngine().AddDomain("clock", 1_000_000)
	require.NoError(t, err)
	for depth, want := range map[int]string{13: "unlucky", 14: "GPU.A[3]: a block must have Module, Up, and Stats that point to a struct", 1: ""} {
		chosen := Set{"a": &spec{depth}}.At(SliceToChannel)[0]
		b, err := chosen.Make(Place{Name: "GPU.A[3]", Index: 3, Clock: clock})
		if want == "" {
			require.NoError(t, err)
			require.Equal(t, "GPU.A[3].Up", b.Up.Name())
			continue
		}
		require.EqualError(t, err, want)
	}
}

func TestKeysThatCannotBeAreFaultsOfTheProgram(t *testing.T) {
	registered(t, descriptor("a", SliceToChannel))
	assert.PanicsWithValue(t, "two kinds of block are called a", func() { Register(descriptor("a", SMToRequestNoC)) })
	for _, key := range []string{"", "A", "a-b", "a.b", "_a", "1a", "a_"} {
		assert.Panics(t, func() { Register(descriptor(key, SMToRequestNoC)) }, key)
	}
	assert.Panics(t, func() { Register(descriptor("b", joints)) })
	assert.Equal(t, "joint 17", Joint(17).String())
	assert.Equal(t, "L2 slice to DRAM channel", SliceToChannel.String())
}
