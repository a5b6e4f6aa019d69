package kernels

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

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
	// graph says that a turn's launches are a CUDA graph, launched that the turn has had one.
	graph, launched bool
}

// stepKinds are the keys of steps.
var stepKinds = func() (kinds []string) {
	for f := range reflect.TypeFor[Step]().Fields() {
		if key := keyOf(f); key != "" && key != "stream" {
			kinds = append(kinds, key)
		}
	}
	return kinds
}()

// advance carries out the next step of the innermost list, or leaves it.
func (i *Instance) advance() (err error) {
	defer caught(&err)
	f := &i.frames[len(i.frames)-1]
	if f.next == len(f.steps) {
		if i.underWay && f.repeat != nil && f.repeat.While.given() {
			i.wait()
		} else {
			i.turn(f)
		}
		return nil
	}
	step, path := &f.steps[f.next], fmt.Sprintf("%s[%d]", f.path, f.next)
	if i.underWay && step.looks() {
		i.wait()
		return nil
	}
	f.next++
	i.stream = step.Stream
	i.run(path+"."+step.kind, step)
	return nil
}

// wait has the program wait for all that is under way.
func (i *Instance) wait() {
	i.pending = append(i.pending, Operation{Sync: true})
	i.underWay = false
}

// looks reports whether a step needs what launches before have written, or changes
// what they may read.
func (s *Step) looks() bool {
	return slices.Contains([]string{"sync", "copy", "fill", "set", "prefix_sum", "dump", "expect"}, s.kind)
}

// run carries out a step.
func (i *Instance) run(path string, s *Step) {
	switch s.kind {
	case "launch":
		i.idle = 0
		if launch := i.launch(path, s.Launch); launch.Config.Grid.Count() > 0 {
			launch.Priority = i.m.priority(s.Stream)
			i.pending = append(i.pending, Operation{Launch: &launch, Stream: s.Stream})
			i.underWay = s.Stream > 0
		}
	case "cpu":
		i.pending = append(i.pending, Operation{CPU: i.duration(path, s.CPU)})
	case "upload":
		i.transfer(path, s.Upload, false)
	case "download":
		i.transfer(path, s.Download, true)
	case "copy":
		i.copy(path, s.Copy)
	case "fill":
		i.fillPart(path, s.Fill)
	case "set":
		i.set(path, s.Set)
	case "prefix_sum":
		i.prefixSum(path, s.PrefixSum)
	case "swap":
		i.swap(path, s.Swap[0], s.Swap[1])
	case "let":
		i.let(s.Let)
	case "dump":
		i.dump(path, s.Dump)
	case "expect":
		i.expect(path, s.Expect)
	case "repeat":
		r := s.Repeat
		i.frames = append(i.frames, frame{steps: r.Steps, path: path + ".steps", next: len(r.Steps),
			repeat: r, turn: -1, turns: i.wholeOr(&r.Times, 0, maxTurns, maxTurns), graph: i.wholeOr(&r.Graph, 0, 1, 0) == 1})
	}
}

// graphWaits notes a launch, and reports whether it waits for another launch of its CUDA graph. A graph in
// a graph is part of it.
func (i *Instance) graphWaits() (waits bool) {
	for at := range i.frames {
		if f := &i.frames[at]; f.graph {
			waits, f.launched = f.launched, true
			return waits
		}
	}
	return false
}

// priority is that of a stream.
func (m *Manifest) priority(stream int) int {
	for _, s := range m.Streams {
		if s.Stream == stream {
			return s.Priority
		}
	}
	return 0
}

func (i *Instance) swap(path, first, second string) {
	a, b := i.arrays[first], i.arrays[second]
	if a == nil || b == nil || a.typ != b.typ || a.stride+b.stride > 0 {
		i.m.fail(path, "is %s and %s; valid: two arrays of one type", first, second)
	}
	i.arrays[first], i.arrays[second] = b, a
	for _, m := range a.members {
		a, b := join(first, m.name), join(second, m.name)
		i.arrays[a], i.arrays[b] = i.arrays[b], i.arrays[a]
	}
}

func (i *Instance) let(s *LetStep) {
	v := i.eval(&s.Value)
	if v.kind == address || i.arrays[s.Name] != nil {
		i.m.fail(s.Value.path, "%q is an address, or %s an array; valid: a number with a name of its own", s.Value.text, s.Name)
	}
	if !i.early { // else it is evaluated again
		i.numbers[s.Name] = v
	}
}

// turn ends a turn of a repetition and starts the next, or leaves it.
func (i *Instance) turn(f *frame) {
	more := false
	if r := f.repeat; r != nil {
		if i.idle++; i.idle > maxTurns {
			i.m.fail(strings.TrimSuffix(f.path, ".steps"), "makes %d turns without a launch; it should end before", maxTurns)
		}
		f.turn++
		f.launched = false
		more = f.turn < f.turns
		if r.Index != "" && more {
			i.numbers[r.Index] = wholeOf(f.turn)
		}
		if r.While.given() {
			if !more {
				i.m.fail(r.While.path, "still holds after %d turns; it should end before", maxTurns)
			}
			more = i.eval(&r.While).isTrue()
		}
	}
	if more {
		f.next = 0
	} else {
		i.frames = i.frames[:len(i.frames)-1]
	}
}
