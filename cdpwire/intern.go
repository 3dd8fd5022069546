package cdpwire

import "strings"

const (
	// internEntries is how many strings each half of an interner remembers.
	internEntries = 2_048
	// internBlock is how many bytes of ids share one allocation, at most; a quiet
	// connection begins with internFirst. An id that is kept for long keeps its
	// whole block, so blocks are small.
	internBlock = 1 << 10
	internFirst = 1 << 7
)

// interner gives the same string for the same bytes, without an allocation when
// they come again. It remembers in two halves: when the young one is full, the
// old one is forgotten and the young one becomes old. So it is bounded, and what
// is in use stays.
type interner struct {
	young, old map[string]string
	blocks     packer
}

// get returns b as a string.
func (t *interner) get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := t.young[string(b)]; ok {
		return s
	}
	s, ok := t.old[string(b)]
	if !ok {
		s = t.blocks.pack(b)
	}
	switch {
	case t.young == nil:
		t.young = make(map[string]string)
	case len(t.young) >= internEntries && t.old == nil:
		t.young, t.old = make(map[string]string), t.young
	case len(t.young) >= internEntries:
		t.young, t.old = t.old, t.young
		clear(t.young) // and keep its room
	}
	t.young[s] = s
	return s
}

// packer makes short strings that share allocations. A string once made never
// changes: the block is only ever appended to, within its capacity.
type packer struct {
	block strings.Builder
	size  int // of the block
}

func (p *packer) pack(b []byte) string {
	if len(b) > internBlock/4 {
		return string(b)
	}
	if p.block.Cap()-p.block.Len() < len(b) {
		p.size = max(len(b), min(max(internFirst, 2*p.size), internBlock))
		p.block = strings.Builder{}
		p.block.Grow(p.size)
	}
	start := p.block.Len()
	p.block.Write(b)
	return p.block.String()[start:]
}
