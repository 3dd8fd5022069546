package fakebrowser

import "testing"

func cacheRules() map[string]func(*testing.T)   { return nil }
func targetRules() map[string]func(*testing.T)  { return nil }
func popupRules() map[string]func(*testing.T)   { return nil }
func runtimeRules() map[string]func(*testing.T) { return nil }
func fetchRules() map[string]func(*testing.T)   { return nil }
func tabRules() map[string]func(*testing.T)     { return nil }
func wireRules() map[string]func(*testing.T)    { return nil }
