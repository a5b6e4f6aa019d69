// Thrust includes this header, for cudaOccupancyMaxActiveBlocksPerMultiprocessor at most.
#pragma once
#include "cuda_runtime.h"
