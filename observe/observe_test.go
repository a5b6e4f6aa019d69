package observe

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
)

func TestEveryMechanismHasAName(t *testing.T) {
	names := map[string]bool{}
	for _, m := range []policy.Mechanism{policy.Switch, policy.Ideal, policy.Drain, policy.Flush} {
		assert.NotContains(t, MechanismName(m), "mechanism")
		names[MechanismName(m)] = true
	}
	assert.Len(t, names, 4)
}

// recorder notes the names of the functions that are called.
func recorder(name string, calls *[]string) dispatcher.Listener {
	var l dispatcher.Listener
	v := reflect.ValueOf(&l).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		v.Field(i).Set(reflect.MakeFunc(field.Type, func([]reflect.Value) []reflect.Value {
			*calls = append(*calls, name+"."+field.Name)
			return nil
		}))
	}
	return l
}

func TestJoinTellsEachListenerOfEveryKindOfEventInOrder(t *testing.T) {
	var calls, want []string
	joined := Join(recorder("first", &calls), dispatcher.Listener{}, recorder("second", &calls))
	v := reflect.ValueOf(joined)
	for i := range v.NumField() {
		var args []reflect.Value
		for j := range v.Field(i).Type().NumIn() {
			args = append(args, reflect.Zero(v.Field(i).Type().In(j)))
		}
		v.Field(i).Call(args)
		name := v.Type().Field(i).Name
		want = append(want, "first."+name, "second."+name)
	}
	assert.Equal(t, want, calls)
	assert.Equal(t, dispatcher.Listener{}, Join(), "nobody listens: nobody is called")
}
