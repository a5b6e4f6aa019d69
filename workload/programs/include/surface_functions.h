// Included for programs that name it: cuda_runtime.h has all of it.
#pragma once

#include "cuda_runtime.h"
