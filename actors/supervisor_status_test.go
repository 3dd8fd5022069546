package actors

import (
	"reflect"
	"testing"

	"cdpsupervisor/messages"
)

// Every field of a state counts: a change of any one is published.
func TestSameStateLooksAtEveryField(t *testing.T) {
	make := func() *messages.SupervisorState {
		return &messages.SupervisorState{
			Status: "s", Reason: "r", Since: 1, WaysOut: []string{"w"}, Bridge: &messages.BridgeState{Mode: "on"},
			Capabilities: map[string]string{"c": "x"}, Dropped: map[string]uint64{"d": 1},
		}
	}
	if !sameState(make(), make()) || !sameState(nil, nil) || sameState(make(), nil) || sameState(nil, make()) {
		t.Error("equal states differ, or none is equal to one")
	}
	for i := range reflect.TypeFor[messages.SupervisorState]().NumField() {
		other := make()
		field := reflect.ValueOf(other).Elem().Field(i)
		field.SetZero()
		if sameState(make(), other) {
			t.Errorf("%s is not looked at", reflect.TypeFor[messages.SupervisorState]().Field(i).Name)
		}
	}
	for i := range reflect.TypeFor[messages.BridgeState]().NumField() {
		other := make()
		reflect.ValueOf(other.Bridge).Elem().Field(i).SetString("changed")
		if sameState(make(), other) {
			t.Errorf("Bridge.%s is not looked at", reflect.TypeFor[messages.BridgeState]().Field(i).Name)
		}
	}
}
