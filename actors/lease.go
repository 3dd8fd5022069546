package actors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cdpsupervisor/messages"
)

// leaseHolder keeps a task's lease across connections. It is used by goroutines
// that dial or give back only, never by an actor.
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

// GiveBack gives the task's lease back, once, however often it is called, and
// calls then. Host code may block: a goroutine does it. The supervisor does so in
// its order, and the registry when the supervisor is gone, which may have been
// ended before it came to that.
func (r *Record) GiveBack(env *Env, then func()) {
	go func() {
		if err := r.lease.release(context.Background(), env); err != nil {
			env.Log.Warn().Str("task", string(r.ID)).Err(err).Msg("the endpoint could not be given back")
		}
		then()
	}()
}

// release gives the lease back, once. A source that is about to lend it is waited
// for: only then the time runs.
func (h *leaseHolder) release(ctx context.Context, env *Env) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the endpoint source panicked: %s", PanicText(r))
		}
	}()
	lease := h.last()
	if lease == nil || lease.Close == nil {
		return nil
	}
	ctx, cancel := env.within(ctx, messages.LeaseTimeout)
	defer cancel()
	return lease.Close(ctx)
}

// last takes the lease out for good, or nil if there is none any more.
func (h *leaseHolder) last() *messages.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	lease := h.lease
	h.lease, h.closed = nil, true
	return lease
}
