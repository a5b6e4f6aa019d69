// Package spool has the runs of a sweep made by other processes, on this machine or
// on many, which meet the sweep in a folder that all can reach: the spool.
//
// The Executor divides the runs that the store lacks into tasks of some minutes,
// writes each as a file, and submits them to a Queue: package slurm's job arrays, or
// package shell's command lines. A task is carried out by the program's own task
// command, from a copy of the program in the spool, so that what starts later is the
// same. It makes one run after the other and writes each result as a file of its own,
// whole, on the disk, and then renamed. Nothing but the process that waits, or
// that collects later, touches the store: SQLite is not to be written over a
// network.
//
// # What is in the spool
//
//	lock                      locked while a sweep enters or leaves
//	program-HASH              the program
//	results/KEY               a result, by the key of its run; of all sweeps
//	sweeps/ID/record.json     the runs that a sweep wants, and what has been submitted (record.go)
//	sweeps/ID/lock            locked by the process that waits for it
//	sweeps/ID/failed/KEY      what a run that failed complained of
//	sweeps/ID/JOB/N.json      a task
//	sweeps/ID/JOB/N.log       what it wrote
//
// ID is a hash of the sweep's runs and its store, so the same command finds what
// it, or one that was killed, has begun. A task's file has its runs, what their
// applications achieve alone as far as that is known when it is submitted, and for the
// others the keys of the results to read it from. A sweep that is done removes its
// folder, and the results that no other sweep's record names (share.go). The last one
// removes the rest.
//
// # What can go wrong
//
// Who waits may be killed: tasks go on, and the same command waits for them again.
// The record is written before and after each submission; of one that is not
// known to have succeeded, the queue is asked by its name. A task may end before
// all its runs are made, by a time limit, a kill or a fault of its machine: those
// without a result are submitted again, each as a task of its own. Whoever makes a run
// looks first whether its result is there, so that a task that is begun twice, as
// Slurm does when a node fails, makes nothing twice. A task that cannot write
// a result, as on a full disk, holds it until it can. A run that fails with the same
// words twice is not tried a third time, nor is one whose task somebody cancelled.
package spool
