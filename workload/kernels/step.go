package kernels

import "fmt"

// frame is a list of steps that the host program is in.
type frame struct {
	steps []Step
	path  string
	next  int
	// repeat is the step that this is the body of, nil for the program itself; turn
	// counts from 0 and ends at turns, unless a condition ends it.
	repeat *RepeatStep
	turn   int64
	turns  int64
}

// advance carries out the next step of the innermost list, or leaves it.
func (i *Instance) advance() error {
	f := &i.frames[len(i.frames)-1]
	if f.next == len(f.steps) {
		if i.underWay && f.repeat != nil && f.repeat.While.given() {
			i.wait()
			return nil
		}
		return i.turn(f)
	}
	step, path := &f.steps[f.next], fmt.Sprintf("%s[%d]", f.path, f.next)
	if i.underWay && step.looks() {
		i.wait()
		return nil
	}
	f.next++
	i.stream = step.Stream
	if step.Launch == nil {
		return i.run(path, step)
	}
	i.idle = 0
	launch, err := i.launch(path+".launch", step.Launch)
	if err == nil && launch.Config.Grid.Count() > 0 {
		i.pending = append(i.pending, Operation{Launch: &launch, Stream: step.Stream})
		i.underWay = step.Stream > 0
	}
	return err
}

// wait has the program wait for all that is under way.
func (i *Instance) wait() {
	i.pending = append(i.pending, Operation{Sync: true})
	i.underWay = false
}

// looks reports whether a step needs what launches before have written, or changes
// what they may read.
func (s *Step) looks() bool {
	return s.Sync || s.Copy != nil || s.Fill != nil || s.Set != nil || s.PrefixSum != nil || s.Dump != nil || s.Expect != nil
}

// run carries out a step that is no launch.
func (i *Instance) run(path string, s *Step) error {
	switch {
	case s.CPU != nil:
		d, err := s.CPU.eval(i)
		if err != nil {
			return i.m.errorf(path+".cpu", "%v", err)
		}
		i.pending = append(i.pending, Operation{CPU: d})
	case s.Upload != nil:
		return i.transfer(path+".upload", s.Upload, false)
	case s.Download != nil:
		return i.transfer(path+".download", s.Download, true)
	case s.Copy != nil:
		return i.copy(path+".copy", s.Copy)
	case s.Fill != nil:
		return i.fill(path+".fill", s.Fill)
	case s.Set != nil:
		return i.set(path+".set", s.Set)
	case s.PrefixSum != nil:
		return i.prefixSum(path+".prefix_sum", s.PrefixSum)
	case s.Swap != nil:
		a, b := i.arrays[s.Swap[0]], i.arrays[s.Swap[1]]
		if a == nil || b == nil || a.typ != b.typ || a.stride+b.stride > 0 {
			return i.m.errorf(path+".swap", "is %s and %s; valid: two arrays of one type", s.Swap[0], s.Swap[1])
		}
		i.arrays[s.Swap[0]], i.arrays[s.Swap[1]] = b, a
		for _, m := range a.members {
			a, b := join(s.Swap[0], m.name), join(s.Swap[1], m.name)
			i.arrays[a], i.arrays[b] = i.arrays[b], i.arrays[a]
		}
	case s.Let != nil:
		v, err := s.Let.Value.eval(i)
		if err == nil && (v.kind == address || i.arrays[s.Let.Name] != nil) {
			err = fmt.Errorf("%q is an address, or %s an array; valid: a number with a name of its own", s.Let.Value.text, s.Let.Name)
		}
		if err != nil {
			return i.m.errorf(path+".let.value", "%v", err)
		}
		if !i.early { // else it is evaluated again
			i.numbers[s.Let.Name] = v
		}
	case s.Dump != nil:
		return i.dump(path+".dump", s.Dump)
	case s.Expect != nil:
		return i.expect(path+".expect", s.Expect)
	case s.Repeat != nil:
		turns := int64(maxTurns)
		if s.Repeat.Times.given() {
			var err error
			if turns, err = s.Repeat.Times.whole(i, 0, maxTurns); err != nil {
				return i.m.errorf(path+".repeat.times", "%v", err)
			}
		}
		i.frames = append(i.frames, frame{steps: s.Repeat.Steps, path: path + ".repeat.steps", next: len(s.Repeat.Steps),
			repeat: s.Repeat, turn: -1, turns: turns})
	}
	return nil
}

// turn ends a turn of a repetition and starts the next, or leaves it.
func (i *Instance) turn(f *frame) error {
	more := false
	if r := f.repeat; r != nil {
		path := f.path[:len(f.path)-len(".steps")]
		if i.idle++; i.idle > maxTurns {
			return i.m.errorf(path, "makes %d turns without a launch; it should end before", maxTurns)
		}
		f.turn++
		more = f.turn < f.turns
		if r.Index != "" && more {
			i.numbers[r.Index] = wholeOf(f.turn)
		}
		if r.While.given() {
			if !more {
				return i.m.errorf(path+".while", "still holds after %d turns; it should end before", maxTurns)
			}
			v, err := r.While.eval(i)
			if err != nil {
				return i.m.errorf(path+".while", "%v", err)
			}
			more = v.isTrue()
		}
	}
	if more {
		f.next = 0
	} else {
		i.frames = i.frames[:len(i.frames)-1]
	}
	return nil
}
