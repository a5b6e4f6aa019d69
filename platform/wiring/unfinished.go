package wiring

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnfinished is the error of a run that GiveUp ended.
var ErrUnfinished = errors.New("not done")

// GiveUp has Run end with ErrUnfinished at a core cycle, if some process has not
// completed its runs by then. It must be called before Run.
func (p *Platform) GiveUp(cycle uint64) { p.giveUp = cycle }

// appName names a tenant's application.
func (p *Platform) appName(tenant int) string { return p.Host.Processes()[tenant].App.Name }

// unfinished names the processes that have not completed their runs, and how far
// they are.
func (p *Platform) unfinished() string {
	var list []string
	for i, process := range p.Host.Processes() {
		if p.Host.Satisfied(i) {
			continue
		}
		text := fmt.Sprintf("tenant %d (%s): ", i, process.App.Name)
		if process.Runs > 1 {
			text += fmt.Sprintf("run %d of %d, ", p.Host.Stats(0).Processes[i].Completions+1, process.Runs)
		}
		var kernels []string
		for _, k := range p.Driver.Active(i) {
			kernels = append(kernels, fmt.Sprintf("kernel %s, %d of %d thread blocks done", k.Shape.Name, k.Done, k.Shape.TBs()))
		}
		if kernels == nil {
			kernels = []string{"no kernel is active"}
		}
		list = append(list, text+strings.Join(kernels, ", "))
	}
	return strings.Join(list, "; ")
}
