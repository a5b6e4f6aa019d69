// The functions that CUDA declares here are part of cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
