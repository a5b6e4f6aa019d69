// The types of CUDA's surfaces (CUDA Runtime API, surface object management).
#pragma once

#include "driver_types.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

// What a surface object's handle points to, in the device's memory.
struct cotenant_surface {
  unsigned long long data, pitch, plane; // address, bytes from row to row and from plane to plane
  int width, height, depth;              // bytes of a row, rows, planes
  int unused;
};
