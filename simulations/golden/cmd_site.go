package golden

import (
	"strings"

	"cdpsupervisor/simulations/fakebrowser"
)

// serve puts a page on the web.
//
// Example:
//
//	site http://shop.test/
//	<title>Shop</title><iframe src="http://ads.test/"></iframe>
func (s *Story) serve(words []string, input string) string {
	s.site[strings.Join(words, " ")] = fakebrowser.Response{HTML: input}
	return ""
}
