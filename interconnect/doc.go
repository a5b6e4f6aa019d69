// Package interconnect joins SMs and L2 slices: one crossbar carries requests,
// another one replies.
//
// Packets are cut into flits. The header of a packet takes a flit of its own, or shares it
// with the beginning of the payload, as the Spec says. A packet holds its input and its
// output of the crossbar for one cycle per flit. Inputs are first-in first-out buffers, so
// a packet that waits for its output holds up the packets behind it: with random traffic
// that limits the crossbar to about 60 % of its peak. In a hierarchical crossbar packets also
// share links, by groups of ports (Tier).
package interconnect
