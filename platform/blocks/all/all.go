// Package all registers the blocks that can be put at the joints of a GPU, by
// importing their packages, a line for each. None is part of the program:
// docs/adding-a-block.md adds one.
package all
