package actors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cdpsupervisor/messages"
)

// leaseHolder keeps a task's lease across connections. It is used by the
// dialling goroutines only, never by an actor.
type leaseHolder struct {
	mu     sync.Mutex
	lease  *messages.Lease
	closed bool
}

// acquire opens the lease, or renews it when asked to or when it has expired.
func (h *leaseHolder) acquire(ctx context.Context, source messages.EndpointSource, clock messages.Clock, renew bool) (lease *messages.Lease, err error) {
	// A source is host code: it may panic, and must not take us along.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the endpoint source panicked: %s", PanicText(r))
		}
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errors.New("the task is stopping")
	}
	expired := h.lease != nil && !h.lease.ExpiresAt.IsZero() && !clock.Now().Before(h.lease.ExpiresAt)
	switch {
	case h.lease == nil:
		lease, err = source.Open(ctx)
	case renew || expired:
		lease, err = source.Renew(ctx, h.lease)
	default:
		return h.lease, nil
	}
	if err != nil {
		return nil, err
	}
	if lease == nil || lease.Endpoint == "" {
		return nil, errors.New("the endpoint source gave no endpoint")
	}
	h.lease = lease
	return lease, nil
}

// release gives the lease back, once.
func (h *leaseHolder) release(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the endpoint source panicked: %s", PanicText(r))
		}
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	if h.lease == nil || h.lease.Close == nil {
		return nil
	}
	return h.lease.Close(ctx)
}
