// Package stock lets memory components of stock Akita v3 serve this simulator's
// memory requests. A Translator turns a request into messages of
// github.com/sarchlab/akita/v3/mem/mem, one for each run of neighbouring
// sectors, and sends the request back when all of them have been answered.
//
//	L2 slice DRAM <--> Up  Translator  Down <--> Top  Akita's memory
//	crossbar ------> Up  Translator  Down <--> Top  Akita's memory
//	crossbar <------ Reply
//
// Akita's messages carry data, and this simulator's do not: zeros are written,
// and what is read is dropped. Atomics, which Akita does not know, are reads.
package stock
