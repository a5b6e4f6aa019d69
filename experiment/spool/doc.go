// Package spool makes the runs of a sweep in other processes, on this machine or on many.
// They share a folder with the sweep: the spool.
//
// The Executor divides the runs that the store lacks into tasks of some minutes, writes
// each as a file, and submits them to a Queue: package slurm's job arrays, or package
// shell's command lines. The program's task command carries out a task, from a copy of
// the program in the spool, so that late tasks run the same program. A task makes one run
// after the other, from its JSON, and writes each result as a file of its own: whole, on
// the disk, and then renamed. Only the process that waits or collects touches the store:
// SQLite is not to be written over a network.
//
// # What is in the spool
//
//	lock                      locked while a sweep enters or leaves
//	program-HASH              the program
//	results/KEY               a result of any sweep, by the key of its run
//	sweeps/ID/record.json     the runs that a sweep wants, and its submissions (record.go)
//	sweeps/ID/lock            locked by the process that waits for it
//	sweeps/ID/failed/KEY      the complaint of a failed run
//	sweeps/ID/JOB/N.json      a task
//	sweeps/ID/JOB/N.log       its log
//
// ID is a hash of the sweep's runs and its store, so a repeated command finds the tasks
// that it has begun. A task's file has its runs, the known figures of their applications
// alone, and for unknown figures the keys of the results to read. A finished sweep removes
// its folder, and the results that no other sweep's record names (share.go). The last
// sweep removes the rest.
//
// # What can go wrong
//
// The waiting process may be killed: tasks go on, and the same command waits for them
// again. The record is written before and after each submission; if a submission may have
// been lost, the queue is asked for the job's name. A task may end before all its runs are
// made, by a time limit, a kill or a fault of its machine: runs without a result are
// submitted again, each as a task of its own. A task looks for a result before it makes a
// run, so a task that begins twice, as under Slurm when a node fails, makes nothing twice.
// A task that cannot write a result, as on a full disk, holds it until it can. A run that
// fails with the same words twice is not tried a third time, nor is a run of a cancelled
// task.
package spool
