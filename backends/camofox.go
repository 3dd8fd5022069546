package backends

import (
	"context"
	"errors"

	"cdpsupervisor/messages"
)

// ErrNoCDP says that a backend has no CDP endpoint at all.
var ErrNoCDP = errors.New("this backend has no CDP endpoint")

// CamofoxReason tells an agent why it has no dialog tools with Camofox.
const CamofoxReason = "the camofox backend speaks REST only and has no CDP endpoint: use its own tools, " +
	"or set browser.backend to local or browserbase"

// Camofox is the backend that has no endpoint. It exists so that choosing it
// has one clear answer. Hosts gate their tools off instead of asking it.
type Camofox struct{}

// Identity is the same for all.
func (Camofox) Identity() string { return "camofox" }

// Open fails with [ErrNoCDP].
func (Camofox) Open(context.Context) (*messages.Lease, error) {
	return nil, messages.Fail(messages.CodeNoCDP, CamofoxReason).Because(ErrNoCDP)
}

// Renew fails as Open does.
func (c Camofox) Renew(ctx context.Context, _ *messages.Lease) (*messages.Lease, error) {
	return c.Open(ctx)
}
