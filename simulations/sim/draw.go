package sim

import "math/rand/v2"

// draw is the choices of one action.
type draw struct {
	n  [6]uint32
	at int
}

// of is a choice out of n, 0 if there is none.
func (d *draw) of(n int) int {
	if n <= 0 {
		return 0
	}
	v := d.n[d.at%len(d.n)]
	if d.at >= len(d.n) {
		v = v*2654435761 + uint32(d.at)
	}
	d.at++
	return int(v % uint32(n))
}

func pick[T any](d *draw, from []T) T {
	var none T
	if len(from) == 0 {
		return none
	}
	return from[d.of(len(from))]
}

// schedule is the source of the order in which things happen during one action.
func (a *Action) schedule(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed^uint64(a.N[0])<<32^uint64(a.N[1]), uint64(a.N[2])<<32|uint64(a.N[3])))
}
