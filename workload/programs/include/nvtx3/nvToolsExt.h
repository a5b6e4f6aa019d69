// The same in version 3.
#pragma once

#include "../nvToolsExt.h"
