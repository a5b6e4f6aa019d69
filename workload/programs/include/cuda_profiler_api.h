// What CUDA declares here is part of cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
