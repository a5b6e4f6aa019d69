package workload

// Step is a step of a host program that looks at arrays: it compares one with
// what is expected, or writes it to a file.
type Step struct {
	// At is where the application's author has written it: file:line.
	At string
	// File is the path of the file that is written, "" of a comparison and where
	// a part of the name is known only when the step is reached.
	File string
	// Dump says that the step writes.
	Dump bool
}

// Inspector is told what a host program finds in its arrays.
type Inspector interface {
	// Tenant is the number of the program's tenant.
	Tenant() int
	// Expected: the array of a step, one with that At, is as expected, or differs
	// as an error says.
	Expected(at string, difference error)
	// Dumped: the step writes data to a file. The path is clean; data is only
	// valid during the call. An error ends the run.
	Dumped(at, file string, data []byte) error
}

// Inspectable is a Host that has arrays.
type Inspectable interface {
	Host
	// Inspect has the program carry out its steps that look at arrays; without,
	// it passes them over. It must be called before the first Next.
	Inspect(Inspector)
	// Arrays lists the arrays by name, as they are now.
	Arrays() []Array
}
