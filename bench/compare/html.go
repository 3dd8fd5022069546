package compare

import "errors"

// HTML is the report as one page that needs nothing else.
func (r *Report) HTML() ([]byte, error) { return nil, errors.ErrUnsupported }
