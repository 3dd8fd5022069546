package doctor

import (
	"context"
	"fmt"
	"strings"

	"cdpsupervisor/messages"
)

// envelope is what a message may be longer than what it carries.
const envelope = 64 << 10

// messagesFrom has the page make large results.
func messagesFrom(ctx context.Context, x *examination) (string, error) {
	return x.sizes(func(n int) error {
		at := messages.CallRequest{MaxBytes: n + envelope, Timeout: messages.MaxCallTimeout}
		got, err := evaluate(ctx, x.task, at, fmt.Sprintf(`"x".repeat(%d)`, n))
		if err != nil {
			return err
		}
		if text, ok := got.(string); !ok || len(text) != n {
			return fmt.Errorf("%d bytes came as %d", n, len(text))
		}
		return nil
	})
}

// messagesTo sends large expressions.
func messagesTo(ctx context.Context, x *examination) (string, error) {
	return x.sizes(func(n int) error {
		got, err := evaluate(ctx, x.task, messages.CallRequest{Timeout: messages.MaxCallTimeout}, `"`+strings.Repeat("x", n)+`".length`)
		if err != nil {
			return err
		}
		if got != float64(n) {
			return fmt.Errorf("%d bytes came as %v", n, got)
		}
		return nil
	})
}

// sizes tries one size after the other and says how far it goes.
func (x *examination) sizes(send func(n int) error) (string, error) {
	var passed []string
	for _, n := range x.cfg.Limits.Sizes {
		start := x.cfg.Clock.Now()
		if err := send(n); err != nil {
			if len(passed) == 0 {
				return "", fmt.Errorf("not even %s: %w", inWords(n), err)
			}
			return "", fmt.Errorf("%s; not %s: %w", strings.Join(passed, ", "), inWords(n), err)
		}
		passed = append(passed, fmt.Sprintf("%s in %.0f ms", inWords(n), milliseconds(x.cfg.Clock.Now().Sub(start))))
	}
	return strings.Join(passed, ", "), nil
}

func inWords(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
