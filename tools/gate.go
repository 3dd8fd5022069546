package tools

import (
	"slices"

	"cdpsupervisor/messages"
)

// List returns the tools that are available now, in a fixed order. It does no
// I/O. browser_dialog and browser_cdp are left out as long as there is no
// endpoint that they could use, and no task; browser_connect and
// browser_disconnect where callers can have no endpoint.
func (b *Toolbox) List() []Tool {
	return slices.DeleteFunc(slices.Clone(b.catalog), func(t Tool) bool { return !b.available(t) })
}

// ListSet is [Toolbox.List] for hosts that mount tools by set: "browser",
// "core", "hermes-acp" and "hermes-api-server" each hold all of them. Any
// other set holds none.
func (b *Toolbox) ListSet(set string) []Tool {
	switch set {
	case "browser", "core", "hermes-acp", "hermes-api-server":
		return b.List()
	default:
		return nil
	}
}

// Known reports whether there is a tool of this name, available or not.
func (b *Toolbox) Known(name string) bool {
	_, ok := b.find(name)
	return ok
}

// Catalog returns all tools, available or not, in a fixed order.
func Catalog() []Tool { return catalog() }

func (b *Toolbox) find(name string) (Tool, bool) {
	for _, t := range b.catalog {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

func (b *Toolbox) available(t Tool) bool {
	switch {
	case t.connects:
		return b.connectable()
	case !t.gated:
		return true
	case b.options.NoCDP != "":
		return false
	default:
		return b.options.Always || b.options.Endpoint != nil || b.bound.everConnected() || b.engine.hasTasks()
	}
}

// connectable reports whether callers can bring an endpoint, or have the
// configured one again.
func (b *Toolbox) connectable() bool { return b.options.Connect != nil || b.options.Endpoint != nil }

// closed says why a tool cannot be called, or nil.
func (b *Toolbox) closed(t Tool) *messages.Failure {
	switch {
	case b.options.NoCDP != "":
		return messages.Fail(messages.CodeNoCDP, "%s", b.options.NoCDP)
	case t.connects && !b.connectable():
		return messages.Fail(messages.CodeDenied, "%s is not to be had: this host chooses the browser of each task itself", t.Name)
	case !b.available(t):
		return b.nothingConfigured()
	default:
		return nil
	}
}
