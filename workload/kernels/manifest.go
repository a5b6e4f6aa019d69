package kernels

import (
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
	"cotenant/workload/strictyaml"
)

// Manifest is a launch manifest: one application, its arrays and the launches
// that its host program makes. Load and Builtin return it checked. The tags of fields
// say what is valid: need, range and words as in checker, and the default and the range
// of a generator's parameters as in Generator.
type Manifest struct {
	// Name is the application's name in reports. Required.
	Name string `yaml:"name" need:"the application a name"`
	// Abbr is how tables of papers call it, or a list of such names: letters, digits,
	// underscores and plus signs. Default none.
	Abbr Texts `yaml:"abbr"`
	// PTX is the path of the PTX file, relative to the manifest, or a list of them,
	// which are linked as separately compiled files are (ptx.ParseWith). Required.
	PTX Texts `yaml:"ptx" need:"the path of a PTX file"`
	// Parameters are numbers that expressions use by name. Later ones may use
	// earlier ones. Default none.
	Parameters []Parameter `yaml:"parameters"`
	// Arrays are allocated and filled in this order before the first step.
	Arrays []Array `yaml:"arrays"`
	// Heap is the size in bytes of the memory that kernels allocate from, 8 MiB to 4
	// GiB: three quarters of it, in whole slabs of 4 MiB, are for chunks of up to
	// 3,072 bytes, the rest is left. Default 512 MiB if kernels call malloc or free,
	// or have the allocator of heap.h in them, and else none, nor may it be given.
	Heap Expr `yaml:"heap"`
	// Textures are arrays that kernels read as textures. Default none.
	Textures []Texture `yaml:"textures"`
	// TensorMaps describe arrays to bulk copies. Default none.
	TensorMaps []TensorMap `yaml:"tensor_maps"`
	// Kernels are the kernels that the steps launch. At least one.
	Kernels []Kernel `yaml:"kernels" need:"at least one kernel"`
	// Streams are CUDA streams with a priority; others have 0. Default none.
	Streams []Stream `yaml:"streams"`
	// Steps are the host program. At least one launch.
	Steps []Step `yaml:"steps" need:"at least one step"`

	file     string
	text     []byte
	ptxTexts [][]byte
	module   *ptx.Module
	// entries and programs are by index of Kernels.
	entries  []*ptx.Func
	programs []*exec.Program
	at       strictyaml.Positions
	read     func(path string) ([]byte, error)
	// named are the arrays that steps name.
	named []namedArray
	// checksAsync is for launches: see CheckAsync.
	checksAsync bool
	// expected are the contents of the files that expect steps name.
	expected map[string][]byte
}

// namedArray is an array that a step names, and where.
type namedArray struct{ path, name string }

// Texts are one or several texts.
type Texts []string

// Short implements strictyaml.ShortList.
func (t *Texts) Short() any {
	*t = make(Texts, 1)
	return &(*t)[0]
}

// Takes implements strictyaml.ShortList.
func (t *Texts) Takes() string { return "one text, or a list of texts" }

// Dimensions are one to three expressions: the size of a grid or a block.
type Dimensions []Expr

// Parameter is a number, the same for all sizes of the input or one for each.
type Parameter struct {
	// Name is letters, digits and underscores. Required.
	Name string `yaml:"name" name:"new"`
	// Value is for all sizes.
	Value Expr `yaml:"value"`
	// Tiny, Small and Medium are given instead of Value, all three.
	Tiny   Expr `yaml:"tiny"`
	Small  Expr `yaml:"small"`
	Medium Expr `yaml:"medium"`
	// Multiple is what the value must be a positive multiple of, because the
	// kernels take it for one. Default 0, any value.
	Multiple int `yaml:"multiple" range:"0..1<<53"`
}

// Array is an array in global memory and where its contents come from: at most a
// single generator, zero without. A generator that makes several arrays
// adds a part to the name of each, as in graph.edges, and the numbers it finds
// out, as in graph.nodes, are known to the expressions that follow.
type Array struct {
	// Name is letters, digits and underscores. Required.
	Name string `yaml:"name" name:"new"`
	// Type of an element: u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16,
	// bf16, e4m3 or e5m2.
	// Required, except with generators that set it.
	Type string `yaml:"type"`
	// Length in elements. Required, except with values, file and generators
	// that set it.
	Length Expr `yaml:"length"`

	// Margin is the number of elements before the first and behind the last that
	// kernels can read, as zeros, and not write. Without, accesses outside the
	// array are errors. Default 0; not with generators that set the type.
	Margin Expr `yaml:"margin"`
	// Output says that the first kernel that is given the array reads none of it, whatever
	// the host has copied there: with pages lazy-output it has no memory before.
	Output bool `yaml:"output"`
	// Fields are given instead of Type when the elements are structures. Each has
	// contents of its own, unless File has the structures as they lie in memory.
	Fields []ArrayField `yaml:"fields" entries:"1"`

	Source     `yaml:",inline"`
	Generators `yaml:",inline"`
}

// Generators make arrays: at most a single field is set.
type Generators struct {
	// Sky is clustered points on the sphere, set by set, x of a set first, then
	// y and z (f32).
	Sky *Generator[Sky] `yaml:"sky"`
	// Matrix is a sparse matrix in padded, transposed jagged diagonals.
	Matrix *Generator[Matrix] `yaml:"matrix"`
	// Road is a graph like a road network, RMAT one like a social network.
	Road *Generator[Road] `yaml:"road"`
	RMAT *Generator[RMAT] `yaml:"rmat"`
	// Water is a box of water, its atoms in bins.
	Water *Generator[Water] `yaml:"water"`
	// KSpace is samples of k-space as a magnetic resonance scanner takes them.
	KSpace *Generator[KSpace] `yaml:"kspace"`
	// Frames is two frames of a film.
	Frames *Generator[Frames] `yaml:"frames"`
	// Tree is a B+ tree.
	Tree *Generator[Tree] `yaml:"tree"`
	// Queens is all ways to fill the first rows of a chess board with queens.
	Queens *Generator[Queens] `yaml:"queens"`
}

// Source says where the contents of an array come from: at most a single field is
// set.
type Source struct {
	Contents `yaml:",inline"`
	// Uniform draws evenly, Normal from a normal distribution.
	Uniform *Generator[Uniform] `yaml:"uniform"`
	Normal  *Generator[Normal]  `yaml:"normal"`
}

// Contents say what elements hold: at most a single field is set.
type Contents struct {
	// Fill is a number for every element.
	Fill Expr `yaml:"fill"`
	// Values are the elements themselves.
	Values []Expr `yaml:"values" entries:"1"`
	// Stretches are values that each fill an equal share of the elements, in
	// order.
	Stretches []Expr `yaml:"stretches" entries:"1"`
	// Formula gives each element; i is its index. It may read earlier arrays.
	Formula Expr `yaml:"formula"`
	// File is the path of raw elements, little endian, relative to the manifest.
	File string `yaml:"file"`
}

// Kernel is an entry of the PTX file and what a thread block of it takes.
type Kernel struct {
	// Name of the entry, or its name in C++, such as scale or geo::scale for
	// _ZN3geo5scaleEPf, if no other entry has that. Launches and
	// reports have the kernel by it. Required.
	Name string `yaml:"name"`
	// Block is the block's size: one to three expressions. Required here, in
	// every entry of demands, or at the launches.
	Block Dimensions `yaml:"block"`
	// Demands are what a compiler for the machine code would report, for one or
	// for several architectures; the first is the default. Without, registers
	// are left to the lowering of the PTX.
	Demands []Demand `yaml:"demands"`
}

// Demand is what one thread block takes of an SM.
type Demand struct {
	// Arch names the architecture. Required with more than one entry.
	Arch string `yaml:"arch"`
	// Block replaces the kernel's block size. Default the kernel's.
	Block Dimensions `yaml:"block"`
	// RegistersPerThread is the number of 32-bit registers. Default 0, as
	// without demands: left to the lowering of the PTX.
	RegistersPerThread int `yaml:"registers_per_thread" range:"0..255"`
	// SharedBytesPerTB is the shared memory that the TB reserves, no less than
	// what the PTX declares and the launch adds. Default exactly that.
	SharedBytesPerTB int `yaml:"shared_bytes_per_tb" range:"0..1<<20"`
}

// Stream is a CUDA stream with a priority.
type Stream struct {
	// Stream is its number, as beside steps. Required.
	Stream int `yaml:"stream" range:"1..1024"`
	// Priority orders the launches that wait for room on an SM: the smaller goes first, as in
	// CUDA. Running thread blocks stay.
	Priority int `yaml:"priority" range:"-5..0"`
}

// Step is one step of the host program: exactly one field is set.
type Step struct {
	Launch *LaunchStep `yaml:"launch"`
	// Stream is the CUDA stream of a launch, an upload or a download, 1 to 1024,
	// beside it: the host program goes on at once, and the step may run while
	// steps of other streams do. Steps that look at arrays or change them wait for
	// all steps before. Default none: the program waits for all that is under
	// way, and for the step.
	Stream int `yaml:"stream"`
	// Sync waits for all steps before.
	Sync bool `yaml:"sync"`
	// Upload copies whole arrays, or variables of the PTX, from the host to the
	// device, and Download back, one after another. Their contents are the
	// same on both sides: what it takes is time on the bus.
	Upload   []string `yaml:"upload" entries:"1"`
	Download []string `yaml:"download" entries:"1"`
	// CPU is how long the host program computes: an expression and a unit, ns,
	// us or ms, such as 120us or 2 * rows ns.
	CPU *Duration `yaml:"cpu"`
	// Copy moves elements between arrays and to or from variables of the PTX.
	// It takes no time.
	Copy *CopyStep `yaml:"copy"`
	// Fill, Set and PrefixSum change an array as the host program does between
	// launches. They take no time.
	Fill      *FillStep      `yaml:"fill"`
	Set       *SetStep       `yaml:"set"`
	PrefixSum *PrefixSumStep `yaml:"prefix_sum"`
	// Swap exchanges what two array names stand for.
	Swap []string `yaml:"swap"`
	// Let gives a name to a number at this moment.
	Let *LetStep `yaml:"let"`
	// Dump writes an array to a file, and Expect compares one with what it should
	// hold. They act in the run command, on the tenants of the mix.
	Dump   *DumpStep   `yaml:"dump"`
	Expect *ExpectStep `yaml:"expect"`
	// Repeat runs steps again and again.
	Repeat *RepeatStep `yaml:"repeat"`

	kind string // the key of the field that is set
}

// LaunchStep launches a kernel.
type LaunchStep struct {
	// Kernel is a name among the manifest's kernels. Required.
	Kernel string `yaml:"kernel"`
	// Grid is one to three expressions; block_x, block_y and block_z are the
	// size of the block. Required. A grid with no thread blocks is skipped.
	Grid Dimensions `yaml:"grid" need:"one to three expressions"`
	// Block replaces the size that the kernel states.
	Block Dimensions `yaml:"block"`
	// Cluster is the size of a cluster in thread blocks, one to three expressions; along each
	// dimension the grid is a multiple of it. Default what the kernel says (.reqnctapercluster), or none.
	Cluster Dimensions `yaml:"cluster"`
	// Shared is the dynamic shared memory in bytes. Default 0.
	Shared Expr `yaml:"shared"`
	// Args are the kernel's parameters in order: a number, an array for a
	// pointer, or fields for a structure or array passed by value.
	Args []Arg `yaml:"args"`
}

// Arg is an argument of a launch: an expression, or Fields.
type Arg struct {
	Value Expr `yaml:"-"`
	// Fields are the content of the parameter. Each follows the one before, at a
	// multiple of its type's size, as in C, up to the end of the parameter. What
	// lies between them is 0.
	Fields []Field `yaml:"fields"`
}

// Short implements strictyaml.Short.
func (a *Arg) Short() any { return &a.Value }

// Field is a member of a structure passed by value, or several of one type.
type Field struct {
	// Type is u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16, e4m3 or e5m2. Required.
	Type string `yaml:"type" words:"u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16, e4m3, e5m2"`
	// Value is a number, or an array for a pointer (in 64 bits). Values are those
	// of an array. Either is required.
	Value  Expr   `yaml:"value"`
	Values []Expr `yaml:"values"`
	// At is the field's offset in bytes. Default behind the field before.
	At Expr `yaml:"at"`
}

// CopyStep copies Count elements.
type CopyStep struct {
	// From and To are arrays, or variables of the PTX in its global or constant
	// space. Required.
	From string `yaml:"from"`
	To   string `yaml:"to"`
	// FromStart and ToStart are the first elements. Default 0. A variable
	// counts in elements of the array at the other end.
	FromStart Expr `yaml:"from_start"`
	ToStart   Expr `yaml:"to_start"`
	// FromStride and ToStride are the distances between elements. Default 1.
	FromStride Expr `yaml:"from_stride"`
	ToStride   Expr `yaml:"to_stride"`
	// Count is the number of elements. Default all of From.
	Count Expr `yaml:"count"`
}

// FillStep sets elements of an array.
type FillStep struct {
	// Array and Value. Both required. In Value i is the index of the element; what
	// it reads of arrays is from before the step.
	Array string `yaml:"array" array:"yes"`
	Value Expr   `yaml:"value" need:"an expression, such as ceildiv(rows, 128)"`
	Range `yaml:",inline"`
}

// SetStep sets one element of an array.
type SetStep struct {
	// Array, Index and Value. All required.
	Array string `yaml:"array" array:"yes"`
	Index Expr   `yaml:"index" need:"an expression, such as ceildiv(rows, 128)"`
	Value Expr   `yaml:"value" need:"an expression, such as ceildiv(rows, 128)"`
}

// PrefixSumStep sums up an array.
type PrefixSumStep struct {
	// From is the array that is summed up. Required.
	From string `yaml:"from" need:"the name of an array" array:"yes"`
	// To gets, for each element of From, the sum of those before it. It has as
	// many elements, or one more for the sum of all. Default From.
	To string `yaml:"to"`
	// Inclusive has each sum include the element itself; To has as many elements
	// as From then. Default false.
	Inclusive bool `yaml:"inclusive"`
}

// Range is a part of an array.
type Range struct {
	// Start is the first element. Default 0.
	Start Expr `yaml:"start"`
	// Count is the number of elements. Default all from Start on.
	Count Expr `yaml:"count"`
}

// DumpStep writes elements to a file, in the form in which Contents.File reads
// them.
type DumpStep struct {
	// Array is what is written. Required.
	Array string `yaml:"array" array:"yes"`
	Range `yaml:",inline"`
	// File is a path relative to the manifest, in a folder that is there.
	// Expressions in braces stand for their value, a whole number, as in
	// sums-{turn}.raw; tenant is the number of the tenant. Required.
	File FileName `yaml:"file" need:"the path of the file to write"`
}

// ExpectStep compares elements with what they should hold. A run in which some
// differ goes on to its end, and fails then.
type ExpectStep struct {
	// Array is what is compared. Required.
	Array string `yaml:"array" array:"yes"`
	Range `yaml:",inline"`
	// Contents are what is expected: exactly one. In a formula i is the index in
	// Array.
	Contents `yaml:",inline"`
	// Absolute and Relative say how far an element of a floating-point type may
	// be off: by Absolute plus Relative times what is expected. Default 0 both.
	// A NaN is as expected where one is expected. Integers must be equal.
	Absolute Expr `yaml:"absolute"`
	Relative Expr `yaml:"relative"`
}

// LetStep names a number.
type LetStep struct {
	// Name is letters, digits and underscores, and no array's. It may be that of
	// a parameter or of an earlier let. Required.
	Name string `yaml:"name" name:"any"`
	// Value is evaluated once, now. Required.
	Value Expr `yaml:"value" need:"an expression, such as ceildiv(rows, 128)"`
}

// RepeatStep runs Steps a number of times, or as long as a condition holds.
type RepeatStep struct {
	// Times is how often. Either this or While.
	Times Expr `yaml:"times"`
	// While is checked before every turn.
	While Expr `yaml:"while"`
	// Index names a number that counts the turns from 0. Default none.
	Index string `yaml:"index"`
	// Graph is 1 if the launches of a turn are a CUDA graph, each of which waits for the one before.
	// Default 0: they are launched one by one.
	Graph Expr `yaml:"graph"`
	// Steps of a turn. At least one.
	Steps []Step `yaml:"steps" need:"at least one step"`
}
