// Package blocks registers hardware blocks that only some GPUs have. A block stands at a
// Joint of the GPUs that configure it: by a section blocks.KEY in the GPU's file, or by
// ?blocks.KEY.PARAMETER=VALUE behind its name. Results show the block's Stats struct.
//
// A block's package registers it, and package all imports the block's package.
package blocks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
)

// Spec is a block's parameters: a struct with yaml tags.
type Spec interface {
	// Validate returns an error that begins with the key of the first field that
	// is out of range.
	Validate() error
}

// Descriptor describes a kind of block with parameters of type S.
type Descriptor[S Spec] struct {
	// Key names the block in configurations and results: small letters, digits
	// and underscores.
	Key   string
	About string // one line
	Joint Joint
	// Default has the parameters that a configuration leaves out.
	Default S
	// Make makes the block for one link.
	Make func(Place, S) (Block, error)
}

// Place is where a block is to stand.
type Place struct {
	Name  string             // of the module, such as GPU.Throttle[3]
	Index int                // of the link at its joint, such as the number of the SM
	Clock *components.Domain // that of the module on the side of Up
}

// Block is a module and how it is joined.
type Block struct {
	Module sim.Component
	// Up is the port on the side from which the joint is named, Down the port on the
	// other side: *components.Port, or a stock Akita port. A block adds a cycle to the
	// way. A block without Down takes the place of the module beyond the joint, which is
	// then connected to nothing.
	Up, Down sim.Port
	// Parts are further modules of the block, which it has joined itself: they are
	// on the netlist and the monitor's page.
	Parts []sim.Component
	// Stats points to the module's counters, a struct as package
	// components/stats has it, which are up to date after every edge.
	Stats any
}

// Kind is a registered kind of block.
type Kind struct {
	Key, About string
	Joint      Joint
	defaults   func() any // a pointer to a new Spec
	build      func(Place, any) (Block, error)
}

// kinds lists the registered kinds in alphabetical order.
var kinds []Kind

var validKey = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Register makes a kind of block known. That its key is invalid or taken is a
// fault of the program.
func Register[S Spec](d Descriptor[S]) {
	at, taken := slices.BinarySearchFunc(kinds, d.Key, func(k Kind, key string) int { return strings.Compare(k.Key, key) })
	switch {
	case taken:
		panic(fmt.Sprintf("two kinds of block are called %s", d.Key))
	case !validKey.MatchString(d.Key), d.Joint < 0, d.Joint >= joints, d.Make == nil:
		panic(fmt.Sprintf("block %q has no valid key, joint or Make", d.Key))
	}
	kinds = slices.Insert(kinds, at, Kind{Key: d.Key, About: d.About, Joint: d.Joint,
		defaults: func() any { spec := d.Default; return &spec },
		build:    func(p Place, spec any) (Block, error) { return d.Make(p, *spec.(*S)) },
	})
}

// All lists the kinds of block in alphabetical order.
func All() []Kind { return slices.Clone(kinds) }

// Defaults are the block's parameters where nothing is set: a struct.
func (k *Kind) Defaults() any { return deref(k.defaults()) }

// Type is the name of the module: that of the key memory_guard is MemoryGuard.
func (k *Kind) Type() string {
	var name strings.Builder
	for word := range strings.SplitSeq(k.Key, "_") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}
