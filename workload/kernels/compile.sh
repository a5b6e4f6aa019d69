#!/bin/sh
# Compiles the CUDA sources to PTX: cuda/NAME.cu to OUT/NAME.ptx.
#
#     compile.sh [OUT [NAME...]]     default: all, to ptx/ beside this script
#     compile.sh --one FILE.cu FILE.ptx     one file, of any folder
#
# The compiler is Debian's clang 16 (version 14 moves a shared load of bfs above
# a barrier). The target is sm_52, and sm_80 with PTX 7.5 for sources that include half.h. It works inside the folder of the source, so that no path of the
# machine can end up in the output. CLANG names another binary.
set -eu
compile() {
	target=--cuda-gpu-arch=sm_52
	if grep -q '^#include "half.h"' "$1"; then
		target='--cuda-gpu-arch=sm_80 --cuda-feature=+ptx75'
	fi
	# shellcheck disable=SC2086 # one or two options
	"${CLANG:-clang++-16}" -x cuda --cuda-device-only $target -nocudainc -nocudalib \
		-Wall -Wextra -Werror -Wno-unknown-cuda-version -O3 -S -I "$headers" -o "$2" "$1"
}
if [ "${1-}" = --one ]; then
	headers=$(dirname "$0")/cuda
	compile "$2" "$3"
	exit
fi
cd "$(dirname "$0")"
out=${1:-ptx}
[ $# -gt 0 ] && shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd cuda
headers=.
[ $# -gt 0 ] || set -- $(for f in *.cu; do basename "$f" .cu; done)
for name; do
	compile "$name.cu" "$out/$name.ptx"
done
