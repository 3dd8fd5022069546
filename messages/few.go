package messages

import (
	"iter"
	"slices"
)

// fewMost is how many entries a [Few] keeps in a list. Looking through eight
// costs what hashing one key does.
const fewMost = 8

// Few is a map for places where there are mostly few entries, and many maps: a
// task has two dozen of them, and an empty Go map with one entry in it takes a
// quarter of a KiB. Up to eight entries lie in a list; more become a map, which
// [Few.Compact] makes a list again. Its zero value is ready. It is not for use by
// several goroutines, and must not be copied once it was used.
type Few[K comparable, V any] struct {
	list []fewEntry[K, V]
	many map[K]V // nil while there are few
}

type fewEntry[K comparable, V any] struct {
	key   K
	value V
}

// Len is the number of entries.
func (f *Few[K, V]) Len() int {
	if f.many != nil {
		return len(f.many)
	}
	return len(f.list)
}

// Get returns the value of a key, or the zero value.
func (f *Few[K, V]) Get(key K) V {
	v, _ := f.Lookup(key)
	return v
}

// Lookup returns the value of a key, and whether there is one.
func (f *Few[K, V]) Lookup(key K) (V, bool) {
	if f.many != nil {
		v, ok := f.many[key]
		return v, ok
	}
	for i := range f.list {
		if f.list[i].key == key {
			return f.list[i].value, true
		}
	}
	var none V
	return none, false
}

// Has reports whether there is an entry for a key.
func (f *Few[K, V]) Has(key K) bool {
	_, ok := f.Lookup(key)
	return ok
}

// Set gives a key its value.
func (f *Few[K, V]) Set(key K, value V) {
	if f.many != nil {
		f.many[key] = value
		return
	}
	for i := range f.list {
		if f.list[i].key == key {
			f.list[i].value = value
			return
		}
	}
	if len(f.list) < fewMost {
		f.list = append(f.list, fewEntry[K, V]{key, value})
		return
	}
	f.many = make(map[K]V, 2*fewMost)
	for _, e := range f.list {
		f.many[e.key] = e.value
	}
	f.many[key] = value
	f.list = nil
}

// Delete removes an entry, if there is one.
func (f *Few[K, V]) Delete(key K) {
	if f.many != nil {
		delete(f.many, key)
		return
	}
	for i := range f.list {
		if f.list[i].key == key {
			last := len(f.list) - 1
			copy(f.list[i:], f.list[i+1:])
			f.list[last] = fewEntry[K, V]{}
			f.list = f.list[:last]
			return
		}
	}
}

// Clear removes all entries and keeps their room.
func (f *Few[K, V]) Clear() {
	clear(f.many)
	clear(f.list)
	f.list = f.list[:0]
}

// Compact gives back the memory of entries that are gone; neither a list nor a
// Go map does that by itself.
func (f *Few[K, V]) Compact() {
	if f.Len() == 0 {
		*f = Few[K, V]{}
		return
	}
	if f.many == nil {
		f.list = slices.Clip(slices.Clone(f.list))
		return
	}
	old := f.many
	f.list, f.many = make([]fewEntry[K, V], 0, min(len(old), fewMost)), nil
	for k, v := range old {
		f.Set(k, v)
	}
}

// All goes through the entries, in no particular order. The entry at hand may be
// deleted meanwhile, and no other may be deleted or set.
func (f *Few[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range f.many {
			if !yield(k, v) {
				return
			}
		}
		// From the end, so that deleting the entry at hand moves none that is
		// still to come.
		for i := len(f.list) - 1; i >= 0; i-- {
			if !yield(f.list[i].key, f.list[i].value) {
				return
			}
		}
	}
}
