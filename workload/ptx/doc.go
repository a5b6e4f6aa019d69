// Package ptx reads PTX assembly.
//
// Parse turns text into a Module: kernels and functions as lists of Inst over
// numbered registers, with branch targets resolved. A function that the emulator
// cannot run has a Fault with file and line, and Features lists the features that
// lead to one. A Fault keeps kernels that can reach the function from being
// compiled, so it never becomes a wrong result.
//
// # The tool chain
//
// Four packages read, analyse, run and lower PTX. They import package workload
// for instructions and errors, and nothing else of the simulator, so other
// programs can use them alone:
//
//	ptx        m, err := ptx.Parse(name, text)            a Module and its Funcs
//	ptx/flow   flow.MaxLive(f), flow.Reconvergence(f)     facts about a function
//	ptx/sass   sass.Lower(f, sass.Options{}).At(i)        machine instructions of f.Insts[i]
//	ptx/exec   p, err := exec.Compile(m, kernel)          a Program; exec.Run runs a launch
//
// The example parses a kernel, lowers it and runs it.
package ptx
