package tools

import (
	"strings"
	"sync"

	"cdpsupervisor/messages"
)

// bindings remember where each task's browser comes from. The zero value is
// ready.
type bindings struct {
	mu    sync.Mutex // guards all below; nothing blocks while it is held
	tasks map[messages.TaskID]binding
	given uint64 // counts the bindings, to tell their age
	ever  bool   // some task was once connected
}

type binding struct {
	source       messages.EndpointSource
	secret       messages.Endpoint // the cdp_url of browser_connect, kept to scrub it from errors
	disconnected bool
	n            uint64 // its number among those that were given
}

func (b *bindings) of(id messages.TaskID) (binding, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, ok := b.tasks[id]
	return found, ok
}

func (b *bindings) set(id messages.TaskID, to binding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put(id, to)
}

// setFirst binds unless a concurrent call has done so, and returns what holds.
func (b *bindings) setFirst(id messages.TaskID, to binding) binding {
	b.mu.Lock()
	defer b.mu.Unlock()
	if found, ok := b.tasks[id]; ok {
		return found
	}
	b.put(id, to)
	return to
}

// put binds a task. The lock is held.
func (b *bindings) put(id messages.TaskID, to binding) {
	if b.tasks == nil {
		b.tasks = make(map[messages.TaskID]binding)
	}
	b.given++
	to.n = b.given
	b.tasks[id] = to
}

func (b *bindings) forget(id messages.TaskID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tasks, id)
}

// connected notes that an endpoint was brought, and reports whether it was the
// first one.
func (b *bindings) connected() (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = !b.ever
	b.ever = true
	return first
}

func (b *bindings) everConnected() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ever
}

// source is where the task's browser comes from, nil if nobody has said so, or
// why there must be none.
func (b *Toolbox) source(id messages.TaskID) (messages.EndpointSource, *messages.Failure) {
	if b.options.NoCDP != "" {
		return nil, messages.Fail(messages.CodeNoCDP, "%s", b.options.NoCDP)
	}
	bound, ok := b.bound.of(id)
	if bound.disconnected {
		return nil, b.disconnectedFailure()
	}
	if !ok && b.options.Endpoint != nil {
		if source := b.options.Endpoint(id); source != nil {
			bound = b.bound.setFirst(id, binding{source: source})
		}
	}
	if bound.disconnected { // in between
		return nil, b.disconnectedFailure()
	}
	return bound.source, nil
}

func (b *Toolbox) disconnectedFailure() *messages.Failure {
	return messages.Fail(messages.CodeNoCDP,
		"the task was disconnected from its browser; call browser_connect with a cdp_url to connect it again")
}

func (b *Toolbox) nothingConfigured() *messages.Failure {
	way := b.options.HowToConfigure
	if way == "" {
		way = "set Options.Endpoint of the toolbox, or start the task in its registry"
	}
	if b.options.Connect != nil {
		way = "call browser_connect with a cdp_url, or " + way
	}
	return messages.Fail(messages.CodeNoCDP, "no browser is configured: %s", way)
}

// withoutSecrets scrubs the endpoint that the task was given from the error
// of a source that quotes it.
func (b *Toolbox) withoutSecrets(id messages.TaskID, err error) error {
	bound, _ := b.bound.of(id)
	if bound.source != nil {
		err = scrub(err, messages.Endpoint(bound.source.Identity()))
	}
	return scrub(err, bound.secret)
}

// scrub replaces a secret endpoint in an error's text by its redacted form.
// What has no scheme is a name rather than a secret.
func scrub(err error, secret messages.Endpoint) error {
	raw := secret.Reveal()
	if err == nil || !strings.Contains(raw, "://") || !strings.Contains(err.Error(), raw) {
		return err
	}
	f := *failureOf(err)
	f.Message = strings.ReplaceAll(f.Message, raw, secret.String())
	return &f
}
