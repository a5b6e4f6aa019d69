package programs

// cudaError is an error that a call returns, by CUDA's numbers (CUDA Runtime API, error handling).
type cudaError int32

// The errors that calls return here.
const (
	success              cudaError = 0
	invalidValue         cudaError = 1
	outOfMemory          cudaError = 2
	invalidConfiguration cudaError = 9
	invalidFunction      cudaError = 98
	invalidKernelImage   cudaError = 200
	invalidHandle        cudaError = 400
	symbolNotFound       cudaError = 500
	notReady             cudaError = 600
	outOfResources       cudaError = 701
	launchFailure        cudaError = 719
	notSupported         cudaError = 801
	invalidClusterSize   cudaError = 912
)
