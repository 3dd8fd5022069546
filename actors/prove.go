package actors

import (
	"context"
	"errors"
	"fmt"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// Prove opens the source's endpoint, waits until a browser answers
// Browser.getVersion on it, and gives everything back: no task, no page. It
// blocks until its context ends at the most; the error names the cause and the
// way out, and wraps [messages.ErrConnect].
func Prove(ctx context.Context, env *Env, source messages.EndpointSource) (product string, err error) {
	ctx, cancel := env.within(ctx, messages.DialTimeout)
	defer cancel()
	var holder leaseHolder
	defer func() { _ = holder.release(context.WithoutCancel(ctx), env) }() // the proof is what counts
	lease, err := holder.acquire(ctx, source, env.Clock, false)
	if err != nil {
		return "", fmt.Errorf("%w: %w", messages.ErrConnect, err)
	}
	d, err := env.Dial(ctx, lease)
	if err != nil {
		return "", fmt.Errorf("%w: %w", messages.ErrConnect, err)
	}
	answers, ended := make(chan *messages.Reply, 1), make(chan *messages.Cause, 1)
	conn := cdpwire.Open(d.Transport, cdpwire.Options{
		Clock: env.Clock,
		Deliver: func(b *messages.Batch) {
			for _, ev := range b.State {
				if r, ok := ev.Body.(*messages.Reply); ok {
					kept := *r
					select {
					case answers <- &kept:
					default:
					}
				}
			}
		},
		Ended: func(c *messages.Cause) { ended <- c },
	})
	defer func() {
		conn.Close(&messages.Cause{Kind: messages.DisconnectClosed, Text: "the endpoint is proven"})
		if cause := <-ended; cause.Kind == messages.DisconnectPanic {
			env.Log.Error().Str("panic", cause.Text).Msg("the connection panicked")
		}
	}()
	if err := conn.Send("", messages.Ref{Owner: messages.OwnerSupervisor, N: 1}, messages.GetVersion{}); err != nil {
		return "", fmt.Errorf("%w: %w", messages.ErrConnect, err)
	}
	select {
	case r := <-answers:
		if version, ok := r.Body.(*messages.VersionReply); ok && r.Err == nil {
			return version.Product, nil
		}
		return "", fmt.Errorf("%w: the endpoint does not answer Browser.getVersion as a browser does", messages.ErrConnect)
	case c := <-ended:
		ended <- c
		return "", fmt.Errorf("%w: %s", messages.ErrConnect, c.Text)
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return "", fmt.Errorf("%w: the endpoint accepts a WebSocket but did not answer Browser.getVersion within %s", messages.ErrConnect, messages.DialTimeout)
		}
		return "", context.Cause(ctx)
	}
}
