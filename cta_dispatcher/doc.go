// Package dispatcher models the SM driver, also called CTA dispatcher. It activates the
// kernels that the host launches, asks the sharing policy where thread blocks go, sends
// them to the SMs and follows them until they finish (thesis 5.2, Figure 5.3).
//
// The driver keeps the state of the thesis' scheduling framework: the active queue of
// kernels in order of arrival, the kernel status table (KSRT) with an entry for each
// active kernel, the SM status table (SMST), and for each kernel a queue of preempted
// thread blocks (PTBQ), which go before new ones. Package tbtable follows each thread
// block.
package dispatcher
