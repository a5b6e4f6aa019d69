// All mathematical functions in namespace __ct, without CUDA's names.
#pragma once

#include "math_erf.h"
#include "math_exact.h"
#include "math_exp.h"
#include "math_special.h"
#include "math_trig.h"
