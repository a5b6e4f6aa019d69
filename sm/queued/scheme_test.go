package queued

import (
	"slices"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	testTBs = 3
	full    = 1 << 16 // more loads than a tested part takes
)

// part is a thread block's part of a storage, with the instructions that hold room in it.
type part struct {
	Storage
	place int
	held  []workload.Class
}

var stored = []workload.Class{workload.Load, workload.Store, workload.Atomic, workload.Reduction}

// rooms says for which classes there is room.
func (p *part) rooms() (rooms []bool) {
	for _, c := range stored {
		rooms = append(rooms, p.Room(p.place, c))
	}
	return rooms
}

func (p *part) take(c workload.Class) {
	p.Alloc(p.place, c)
	p.held = append(p.held, c)
}

func (p *part) release(i int) {
	p.Release(p.place, p.held[i])
	p.held = slices.Delete(p.held, i, i+1)
}

// loads is the number of loads that an empty part takes.
func (p *part) loads() int {
	for len(p.held) < full && p.Room(p.place, workload.Load) {
		p.take(workload.Load)
	}
	n := len(p.held)
	p.empty()
	return n
}

func (p *part) empty() {
	for len(p.held) > 0 {
		p.release(0)
	}
	p.Edge()
}

// move takes the thread block off the SM, and back to a place.
func (p *part) move(place int) {
	p.Close(p.place)
	p.place = place
	p.Open(place, testTBs)
	for _, c := range p.held {
		p.Restore(place, c)
	}
}

// TestStorageKeepsItsContract draws every registered storage. Room that is released counts
// from the next Edge on, and a thread block that leaves and comes back finds what it held.
func TestStorageKeepsItsContract(t *testing.T) {
	for name, kind := range storages {
		t.Run(name, func(t *testing.T) {
			least := 1
			for kind.Validate(least, testTBs) != nil {
				least++
			}
			rapid.Check(t, func(t *rapid.T) {
				p := &part{Storage: kind.New(least*rapid.IntRange(1, 3).Draw(t, "size"), testTBs)}
				p.Open(0, testTBs)
				require.NotContains(t, p.rooms(), false)
				most := p.loads()
				require.Less(t, most, full)
				for range rapid.IntRange(1, 20).Draw(t, "steps") {
					before, saved := p.rooms(), p.Saved(p.place)
					switch i := rapid.IntRange(0, 9).Draw(t, "step"); {
					case i < 5:
						if c := rapid.SampledFrom(stored).Draw(t, "class"); p.Room(p.place, c) {
							p.take(c)
							require.GreaterOrEqual(t, p.Saved(p.place), saved)
						}
					case i < 7 && len(p.held) > 0:
						p.release(rapid.IntRange(0, len(p.held)-1).Draw(t, "released"))
						require.Equal(t, before, p.rooms(), "before the next Edge")
						require.LessOrEqual(t, p.Saved(p.place), saved)
					case i < 8:
						p.Edge()
						before = p.rooms()
						p.move(rapid.IntRange(0, testTBs-1).Draw(t, "place"))
						require.Equal(t, before, p.rooms())
						require.Equal(t, saved, p.Saved(p.place))
					default:
						p.Edge()
					}
				}
				p.empty()
				require.Zero(t, p.Saved(p.place))
				require.Equal(t, most, p.loads())
				p.Close(p.place)
				require.Zero(t, p.Given())
			})
		})
	}
}
