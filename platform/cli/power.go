package cli

import (
	"io"
	"sync"

	"cotenant/experiment"
	"cotenant/observe/power"
)

// checkPower finds a --power that cannot be carried out.
func (f *runFlags) checkPower() error {
	if f.power.given() && !f.power.standard() && f.powerForm() == nil {
		return usagef("--power: %s ends neither in .json nor in .csv; valid: one of them, or - to print each tenant's energy", f.power.path)
	}
	return nil
}

// powerForm is the form of --power's file, nil if its name does not tell.
func (f *runFlags) powerForm() func(*power.Report, io.Writer) error {
	if f.power.standard() {
		return (*power.Report).WriteTable
	}
	return formOf(f.power.path, (*power.Report).WriteCSV)
}

// addPower writes the energy of the co-run for --power. The function that it returns makes the
// report of the result; it is nil without --power.
func (f *runFlags) addPower(r *experiment.Run, o *runOutputs, recorder recorded) func(*experiment.Result) (*power.Report, error) {
	if !f.power.given() {
		return nil
	}
	var once sync.Once
	var report *power.Report
	var err error
	made := func(result *experiment.Result) (*power.Report, error) {
		once.Do(func() { report, err = power.New(result, r.GPU, r.TenantNames(), recorder().Samples(result.End())) })
		return report, err
	}
	form := f.powerForm()
	write := func(result *experiment.Result, w io.Writer) error {
		energy, err := made(result)
		if err != nil {
			return err
		}
		return form(energy, w)
	}
	if f.power.standard() {
		o.alsoPrint(write)
	} else {
		o.to(&f.power, write)
	}
	return made
}
