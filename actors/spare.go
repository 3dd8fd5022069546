package actors

import "sync/atomic"

// spare keeps one message that was handled, whose lists are filled again, so
// that what is sent for every batch of a busy page costs no allocation. Its zero
// value is ready. Any goroutine may use it.
type spare[T any] struct{ kept atomic.Pointer[T] }

// take returns the message that is kept, which is the caller's from now on, or a
// new one.
func (s *spare[T]) take() *T {
	if m := s.kept.Swap(nil); m != nil {
		return m
	}
	return new(T)
}

// TakeBack keeps a message, in place of the one that is kept. The caller has
// emptied it, and nobody else has it.
func (s *spare[T]) TakeBack(m *T) { s.kept.Store(m) }

// drop lets go of the message that is kept.
func (s *spare[T]) drop() { s.kept.Store(nil) }
