package messages

import "strings"

// Strings gives the same copy for equal strings. Whoever has held short strings
// for long copies them with it: what a page says comes in blocks that many
// strings share, and one of them keeps a block alive.
type Strings map[string]string

// Kept returns a copy of a string, the same for all equal ones.
func Kept[S ~string](in Strings, s S) S {
	kept, known := in[string(s)]
	if !known {
		kept = strings.Clone(string(s))
		in[kept] = kept
	}
	return S(kept)
}
