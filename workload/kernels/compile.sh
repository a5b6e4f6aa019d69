#!/bin/sh
# Compiles the CUDA sources to PTX: cuda/NAME.cu to OUT/NAME.ptx.
#
#     compile.sh [OUT [NAME...]]     default: all, to ptx/ beside this script
#
# The compiler is Debian's clang 16 (version 14 moves a shared load of bfs above
# a barrier). It works inside cuda/, so that no path of the machine can end up
# in the output. CLANG names another binary.
set -eu
cd "$(dirname "$0")"
out=${1:-ptx}
[ $# -gt 0 ] && shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd cuda
[ $# -gt 0 ] || set -- $(for f in *.cu; do basename "$f" .cu; done)
for name; do
	"${CLANG:-clang++-16}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_52 -nocudainc -nocudalib \
		-Wall -Wextra -Werror -Wno-unknown-cuda-version -O3 -S -o "$out/$name.ptx" "$name.cu"
done
