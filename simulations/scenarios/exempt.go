package scenarios

// Exempt are the rules that no scenario shows, with the reason.
func Exempt() map[string]string {
	return map[string]string{
		"wire.restart": "takes a second process behind the first one's port; the reconnect tests of e2e start one, and the fake's rules restart it",
	}
}
