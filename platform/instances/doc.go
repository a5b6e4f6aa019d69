// Package instances divides a GPU as NVIDIA's Multi-Instance GPU does (MIG user guide): each
// instance has SMs of its own, and memory slices of its own: a part of the L2 slices, of the DRAM
// channels and of the crossbar's ports to them.
//
// A GPU describes its profiles, as `nvidia-smi mig -lgip` lists them, and the places where an
// instance of each can start, as `nvidia-smi mig -lgipp` does. The user asks for instances by
// profile, and says which tenants run in each.
package instances
