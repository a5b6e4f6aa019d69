// The parts of the CUDA samples' helper_functions.h that programs use without images.
#pragma once

#include "helper_string.h"
#include "helper_timer.h"
