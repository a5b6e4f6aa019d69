package ptx

// findCycles numbers the groups of functions that call each other, by what each function calls (Tarjan's
// strongly connected components).
func (l *linker) findCycles(calls map[*Func][]*Func) {
	var (
		stack  []*Func
		order  = map[*Func]int{} // in which functions have been come to, from 1 on
		lowest = map[*Func]int{} // order of the first function of the stack that a function leads to
		placed = map[*Func]bool{}
		cycles int
		visit  func(f *Func)
	)
	visit = func(f *Func) {
		order[f] = len(order) + 1
		lowest[f] = order[f]
		stack = append(stack, f)
		itself := false
		for _, to := range calls[f] {
			itself = itself || to == f
			if order[to] == 0 {
				visit(to)
			}
			if !placed[to] {
				lowest[f] = min(lowest[f], lowest[to])
			}
		}
		if lowest[f] != order[f] {
			return
		}
		first := len(stack) - 1
		for stack[first] != f {
			first--
		}
		group := stack[first:]
		stack = stack[:first]
		if len(group) > 1 || itself {
			cycles++
		}
		for _, g := range group {
			placed[g] = true
			if len(group) > 1 || itself {
				g.Cycle = cycles
			}
		}
	}
	for _, f := range l.module.Funcs {
		if order[f] == 0 {
			visit(f)
		}
	}
}
