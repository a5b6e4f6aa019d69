package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"cotenant/workload/programs/cc"
)

func newCCCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cc [OPTIONS] FILES -o PROGRAM",
		Short: "Compile a CUDA program that the simulator can run",
		Long: "cc compiles and links CUDA programs by clang (version 16 or later; Debian: clang-16), without NVIDIA's toolkit. " +
			"It takes nvcc's options, so that make NVCC='cotenant cc' builds projects as they are.\n\n" +
			"  -o FILE -c -dc -dlink -ptx -fatbin -cuda -E -M -MD -MF FILE -shared\n" +
			"                                                          what to make\n" +
			"  -I DIR -D NAME -U NAME -include FILE -std=STD           preprocessor and language\n" +
			"  -O0 to -O3, -g, -w, -x cu|c|c++                         host code; device code is always optimized\n" +
			"  -arch sm_NN, -gencode arch=compute_NN,code=...          architecture of device code; default sm_70\n" +
			"  -use_fast_math, -fmad=false                             arithmetic of device code\n" +
			"  -mllvm OPTION                                           of LLVM, for device code, such as -unroll-threshold=2000\n" +
			"  -Xcompiler LIST, -Xlinker LIST, -l LIB, -L DIR          for the host's compiler and the linker\n" +
			"  -v, -dryrun                                             show clang's command lines\n\n" +
			"cc --toolkit FOLDER makes a folder with bin/nvcc, include and lib64/libcudart.a, for makefiles that name the " +
			"parts of NVIDIA's toolkit by path: make CUDA_DIR=FOLDER, or whatever the makefile calls it.\n\n" +
			"Options that change nothing here, such as -G, -lineinfo, -Xptxas and -maxrregcount, are taken and left out. " +
			"CLANG in the environment names another clang.",
		Example: "  cotenant cc vectoradd.cu -o vectoradd\n" +
			"  cotenant cc -O3 -arch=sm_70 main.cu kernels.cu util.cpp -o app -lm\n" +
			"  cotenant cc --toolkit cuda && make CUDA_DIR=$PWD/cuda",
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			for _, arg := range args {
				if arg == "--help" || arg == "-h" {
					return c.Help()
				}
			}
			if len(args) > 0 && args[0] == "--toolkit" {
				if len(args) != 2 {
					return usagef("cc: --toolkit takes a folder alone; valid: cotenant cc --toolkit FOLDER")
				}
				return cc.Toolkit(args[1])
			}
			err := cc.Run(c.Context(), args, c.OutOrStdout(), c.ErrOrStderr())
			if wrong := (cc.UsageError{}); errors.As(err, &wrong) {
				return usagef("cc: %w", wrong)
			}
			return err
		},
	}
}
