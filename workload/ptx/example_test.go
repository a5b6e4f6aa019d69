package ptx_test

import (
	"encoding/binary"
	"fmt"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/flow"
	"cotenant/workload/ptx/sass"
)

const square = `.version 7.8
.target sm_70
.address_size 64
.visible .entry square(.param .u64 data) {
	.reg .b32 %r<3>;
	.reg .b64 %x<4>;
	ld.param.u64 %x1, [data];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %x2, %r1, 4, %x1;
	ld.global.u32 %r2, [%x2];
	mul.lo.u32 %r2, %r2, %r2;
	st.global.u32 [%x2], %r2;
	ret;
}
`

// The tool chain reads a kernel, says how many registers it needs, lowers it to
// machine instructions (the load of a parameter becomes none: later instructions
// read the constant), and runs it on four threads.
func Example() {
	module, err := ptx.Parse("square.ptx", []byte(square))
	if err != nil {
		panic(err)
	}
	for _, f := range module.Funcs {
		fmt.Printf("%s: %d instructions, %d registers live\n", f.Name, len(f.Insts), flow.MaxLive(f))
		code := sass.Lower(f, sass.Options{})
		for i, in := range f.Insts {
			fmt.Printf("  line %d %s:", in.Line, in.Op)
			for _, machine := range code.At(i) {
				fmt.Printf(" %v", machine.Class)
			}
			fmt.Println()
		}
	}

	program, err := exec.Compile(module, "square")
	if err != nil {
		panic(err)
	}
	memory := exec.NewMemory()
	memory.Load(module)
	address := memory.Alloc(16, 0)
	data, err := memory.Bytes(address, 16)
	if err != nil {
		panic(err)
	}
	for i := range uint32(4) {
		binary.LittleEndian.PutUint32(data[4*i:], i+1)
	}
	err = exec.Run(program, &exec.LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 4, Y: 1, Z: 1},
		Params: binary.LittleEndian.AppendUint64(nil, address), Mem: memory})
	fmt.Println(data, err)
	// Output:
	// square: 7 instructions, 3 registers live
	//   line 7 ld:
	//   line 8 mov: int
	//   line 9 mad: int
	//   line 10 ld: load
	//   line 11 mul: int
	//   line 12 st: store
	//   line 13 ret: exit
	// [1 0 0 0 4 0 0 0 9 0 0 0 16 0 0 0] <nil>
}
