package cdpwire

import (
	"errors"
	"testing"

	"cdpsupervisor/messages"
)

// TestRawInContext: a call in the name of a frame runs in that frame's own
// context, and never in one that its params name.
func TestRawInContext(t *testing.T) {
	got, err := appendParams(nil, messages.Raw{Name: "Runtime.evaluate", Params: []byte(`{"expression":"1"}`), Context: "u\"1"})
	if err != nil || string(got) != `{"expression":"1","uniqueContextId":"u\"1"}` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err = appendParams(nil, messages.Raw{Name: "Runtime.evaluate", Context: "u1"}); err != nil || string(got) != `{"uniqueContextId":"u1"}` {
		t.Errorf("without params: got %s, %v", got, err)
	}
	for _, params := range []string{`{"contextId":3}`, `{"uniqueContextId":"x"}`, `{"objectId":"x"}`, `{"executionContextId":1}`} {
		if _, err := appendParams(nil, messages.Raw{Name: "Runtime.callFunctionOn", Params: []byte(params), Context: "u1"}); !errors.Is(err, messages.ErrInvalid) {
			t.Errorf("%s is taken: %v", params, err)
		}
	}
}
