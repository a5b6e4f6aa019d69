// Package dispatcher is the SM driver, also called CTA dispatcher: it makes the
// kernels active that the host launches, asks the sharing policy where thread
// blocks go, sends them to the SMs and follows them until they finish (thesis 5.2,
// Figure 5.3).
//
// Its state is that of the thesis' scheduling framework: the active queue of
// kernels in order of arrival, the kernel status table (KSRT) with one entry
// for each active kernel, the SM status table (SMST), and for each kernel a
// queue of preempted thread blocks (PTBQ), which go before new ones.
package dispatcher
