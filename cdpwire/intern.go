package cdpwire

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

const (
	// internFewest and internMost bound how many strings an interner remembers.
	internFewest = 1 << 3
	internMost   = 1 << 12
	// internBlock is how many bytes of ids share one allocation, at most; a quiet
	// connection begins with internFirst. An id that is kept for long keeps its
	// whole block, so blocks are small.
	internBlock = 1 << 9
	internFirst = 1 << 7
)

// interner gives the same string for the same bytes, mostly, and without an
// allocation when they come again soon. Each string has two places where it can
// be; of those that want the same places the last two are remembered. It is no
// map because it need not be exact, and is twice as fast for it. It grows while
// strings push each other out.
type interner struct {
	slots  []string // pairs, the one that was used last in front
	pushed int      // out, since it grew
	blocks packer
}

// get returns b as a string.
func (t *interner) get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if t.slots == nil {
		t.slots = make([]string, internFewest)
	}
	pair := t.pair(b)
	switch {
	case pair[0] == string(b):
	case pair[1] == string(b):
		pair[0], pair[1] = pair[1], pair[0]
	default:
		if pair[1] != "" {
			t.pushed++
		}
		pair[0], pair[1] = t.blocks.pack(b), pair[0]
		if t.pushed > len(t.slots)/2 && len(t.slots) < internMost {
			t.grow()
			return t.get(b)
		}
	}
	return pair[0]
}

// pair is where b can be. Ids and URLs differ at their ends or in the middle.
func (t *interner) pair(b []byte) *[2]string {
	var x uint64
	if n := len(b); n >= 8 {
		x = binary.LittleEndian.Uint64(b) ^
			bits.RotateLeft64(binary.LittleEndian.Uint64(b[n/2-4:]), 21) ^
			bits.RotateLeft64(binary.LittleEndian.Uint64(b[n-8:]), 42)
	} else {
		for _, c := range b {
			x = x<<8 | uint64(c)
		}
	}
	x = (x ^ uint64(len(b))) * 0x9E3779B97F4A7C15 // 2⁶⁴ by the golden ratio: its high bits are well mixed
	at := x >> (65 - bits.Len(uint(len(t.slots)))) &^ 1
	return (*[2]string)(t.slots[at:])
}

// grow doubles the room.
func (t *interner) grow() {
	old := t.slots
	t.slots, t.pushed = make([]string, 2*len(old)), 0
	for i := len(old) - 1; i >= 0; i-- { // the front of a pair last, so that it is in front again
		if s := old[i]; s != "" {
			pair := t.pair([]byte(s))
			pair[0], pair[1] = s, pair[0]
		}
	}
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
