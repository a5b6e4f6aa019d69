// Package headers tests the CUDA headers of workload/programs/include: clang compiles small CUDA
// sources with them, and the emulator runs the PTX.
package headers
