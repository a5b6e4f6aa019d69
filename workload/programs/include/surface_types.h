// The types of CUDA's surfaces (CUDA Runtime API, surface object management).
#pragma once

#include "driver_types.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2

struct surfaceReference {
  struct cudaChannelFormatDesc channelDesc;
};

// What a surface object's handle points to, in the device's memory.
struct cotenant_surface {
  unsigned long long data, pitch, plane; // address, bytes from row to row and from plane to plane
  int width, height, depth;              // bytes of a row, rows, planes
  int unused;
};
