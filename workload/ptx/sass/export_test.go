package sass

// SpareRegisters is how many registers programs take above the least.
var SpareRegisters = &spareRegisters
