// Package interconnect joins SMs and L2 slices: one crossbar carries requests,
// another one replies.
//
// Packets are cut into flits. A packet is a header flit and as many data flits
// as its payload needs, and it holds its input and its output of the crossbar
// for one cycle per flit. Inputs are first-in first-out buffers, so a packet
// whose output is busy also holds up those behind it: with random traffic that
// limits the crossbar to about 60 % of its peak.
package interconnect
