// Programs in one, which is compiled sooner than each alone: the first argument names the one to run.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <string.h>

namespace arrays {
#include "arrays.cu"
}
namespace cubes {
#include "cubes.cu"
}
namespace errors {
#include "errors.cu"
}
namespace graphs {
#include "graphs.cu"
}
namespace pools {
#include "pools.cu"
}
namespace sides {
#include "sides.cu"
}
namespace surfaces {
#include "surfaces.cu"
}
namespace matrices {
#include "wmma.cu"
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (!strcmp(name, "arrays")) return arrays::main();
  if (!strcmp(name, "cubes")) return cubes::main();
  if (!strcmp(name, "errors")) return errors::main();
  if (!strcmp(name, "graphs")) return graphs::main();
  if (!strcmp(name, "pools")) return pools::main();
  if (!strcmp(name, "sides")) return sides::main();
  if (!strcmp(name, "surfaces")) return surfaces::main();
  if (!strcmp(name, "wmma")) return matrices::main();
  return 2;
}
