package workload

import (
	"errors"
	"slices"
	"strings"
)

// Target is what of a GPU shapes the instruction streams of real kernels. Its blocks do not
// know it: they see the streams. The zero value is a chip's machine code.
type Target struct {
	// ISA says what the GPU executes of kernels that come as PTX: machine, or ptx.
	ISA ISA `yaml:"isa" json:",omitzero"`
	// TextureLayout says how texels of two dimensions lie in memory: rows, tiles, or block-linear.
	TextureLayout TextureLayout `yaml:"texture_layout" json:",omitzero"`
	// RegisterUnit is the number of registers that a thread is given at a time; 0: 1. Chips give a
	// warp 256, which are 8 for each thread (NVIDIA, CUDA Occupancy Calculator). A compiler uses
	// all that a thread is given. It counts for kernels that come as PTX, whose manifest does not
	// state their registers.
	RegisterUnit int `yaml:"register_unit,omitempty" json:",omitzero" range:"0..64"`
	// Numerics says how products of matrices round. A configuration says it of its SMs
	// (sm.tensor.numerics).
	Numerics Numerics `yaml:"-" json:"-"`
	// ClusterLag is the time in cycles until a thread block sees what another one of its cluster tells it; a
	// configuration has it for its SMs (sm.lsu.remote_latency). 0: it has no clusters.
	ClusterLag int `yaml:"-" json:"-"`
}

// ISA says what a GPU executes of a real kernel; the kernel's code comes as PTX.
type ISA uint8

const (
	// Machine is machine code, to which PTX is lowered (package sass), as on a chip.
	Machine ISA = iota
	// PTX is PTX as it stands, each of its instructions one of the GPU's, as in GPGPU-Sim
	// 3.2.2 (cuda-sim.cc, ptx_assemble).
	PTX
)

var isas = words{Machine: "machine", PTX: "ptx"}

// String is the name in configurations.
func (i ISA) String() string { return isas[i] }

// Takes lists the names, for messages.
func (i ISA) Takes() string { return isas.String() }

// MarshalText writes the name.
func (i ISA) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads the name.
func (i *ISA) UnmarshalText(text []byte) (err error) {
	*i, err = read[ISA](isas, text)
	return err
}

// TextureLayout says how a texture's texels lie in the memory that caches see.
type TextureLayout uint8

const (
	// Rows is row after row, as the array has them.
	Rows TextureLayout = iota
	// Tiles has the texels of a block in one line of 128 bytes, as hardware has for arrays of
	// CUDA. The blocks are GPGPU-Sim 3.2.2's: 16 texels wide, half of that for texels of 4 and
	// 8 bytes, a quarter for 16 (cuda-sim.cc, gpgpu_ptx_sim_bindTextureToArray).
	Tiles
	// BlockLinear has arrays of CUDA as chips have them since Fermi: in groups of 64 bytes by 8
	// rows, whose sectors of 32 bytes are 16 bytes by 2 rows, and whose lines of 128 bytes are 32
	// bytes by 4 rows (Mesa, src/nouveau/nil/tiling.rs, GOBType). The groups of a row of
	// groups follow one another. Textures of other memory lie in rows.
	BlockLinear
)

var layouts = words{Rows: "rows", Tiles: "tiles", BlockLinear: "block-linear"}

// String is the name in configurations.
func (l TextureLayout) String() string { return layouts[l] }

// Takes lists the names, for messages.
func (l TextureLayout) Takes() string { return layouts.String() }

// MarshalText writes the name.
func (l TextureLayout) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name.
func (l *TextureLayout) UnmarshalText(text []byte) (err error) {
	*l, err = read[TextureLayout](layouts, text)
	return err
}

// words are the names of numbers from 0 on.
type words []string

// String lists the names, of which there are two or more.
func (w words) String() string {
	last := len(w) - 1
	return strings.Join(w[:last], ", ") + " or " + w[last]
}

func read[T ~uint8](w words, text []byte) (T, error) {
	n := slices.Index(w, string(text))
	if n < 0 {
		return 0, errors.New("must be " + w.String())
	}
	return T(n), nil
}
