package demo

import (
	"encoding/json"
	"errors"
	"fmt"
)

// checks collects what does not hold.
type checks struct{ wrong []error }

// equal notes a difference between two values, compared as JSON: that is how
// both pages and agents see them.
func (c *checks) equal(what string, found, expected any) {
	if f, e := compact(found), compact(expected); f != e {
		c.wrong = append(c.wrong, fmt.Errorf("%s: expected %s, found %s", what, e, f))
	}
}

// that notes a sentence that does not hold.
func (c *checks) that(holds bool, format string, args ...any) {
	if !holds {
		c.wrong = append(c.wrong, fmt.Errorf(format, args...))
	}
}

// failed notes an error, if there is one.
func (c *checks) failed(err error) {
	if err != nil {
		c.wrong = append(c.wrong, err)
	}
}

// err is nil when everything holds.
func (c *checks) err() error { return errors.Join(c.wrong...) }

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	return string(text)
}
