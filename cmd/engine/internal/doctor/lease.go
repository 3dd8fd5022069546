package doctor

import (
	"context"
	"errors"
	"sync"

	"cdpsupervisor/messages"
)

// sharedLease lets several tasks use one lease: another would be another
// browser, or another session of a service. The lease ends with close, not with
// a task.
type sharedLease struct {
	inner messages.EndpointSource

	mu    sync.Mutex
	lease *messages.Lease
}

// Identity is the inner source's.
func (s *sharedLease) Identity() string { return s.inner.Identity() }

// Open opens the inner source the first time.
func (s *sharedLease) Open(ctx context.Context) (*messages.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease == nil {
		lease, err := s.inner.Open(ctx)
		if err != nil {
			return nil, err
		}
		if lease == nil {
			return nil, errors.New("the endpoint source gave no endpoint")
		}
		s.lease = lease
	}
	return s.lent(), nil
}

// Renew renews the inner source's lease for everybody.
func (s *sharedLease) Renew(ctx context.Context, _ *messages.Lease) (*messages.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lease, err := s.inner.Renew(ctx, s.lease)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, errors.New("the endpoint source gave no endpoint")
	}
	s.lease = lease
	return s.lent(), nil
}

func (s *sharedLease) lent() *messages.Lease {
	lent := *s.lease
	lent.Close = nil
	return &lent
}

// shown is the endpoint without its secrets, "" before there is one.
func (s *sharedLease) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease == nil {
		return ""
	}
	return s.lease.Endpoint.String()
}

func (s *sharedLease) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease == nil || s.lease.Close == nil {
		return nil
	}
	return s.lease.Close(ctx)
}
