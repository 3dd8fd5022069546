package tools

import (
	"encoding/json"
	"strings"

	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
)

// guardParams asks the guard for all places that a raw command names in its
// params, and refuses the commands that reach places without naming them. It
// returns the params to send, with each key once: a reader that takes another
// of two equal keys would use what nobody was asked about. Which frames the
// command reaches is for guardReach.
func (b *Toolbox) guardParams(method string, params json.RawMessage) (json.RawMessage, error) {
	if b.options.Guard == nil {
		return params, nil
	}
	keys, err := rawKeys(method, params)
	if err != nil {
		return nil, err
	}
	if why := unasked(method, keys); why != "" {
		return nil, messages.Fail(messages.CodeDenied, "%s is refused under the host's guard: %s", method, why)
	}
	if err := b.guardKeys(method, keys); err != nil {
		return nil, err
	}
	if len(params) == 0 {
		return params, nil
	}
	sent, err := json.Marshal(keys)
	if err != nil {
		return nil, invalid("params of %s: %v", method, err)
	}
	return sent, nil
}

// rawKeys are the params by key. It is a map, because a struct would take
// "URL" for "url", and a browser does not.
func rawKeys(method string, params json.RawMessage) (map[string]json.RawMessage, error) {
	keys := map[string]json.RawMessage{}
	if len(params) == 0 {
		return keys, nil
	}
	if err := json.Unmarshal(params, &keys); err != nil {
		return nil, invalid("params of %s: %v", method, err)
	}
	return keys, nil
}

// given reports whether a parameter is there and says more than its default.
func given(value json.RawMessage) bool {
	switch strings.TrimSpace(string(value)) {
	case "", "null", "false", "[]", `""`:
		return false
	default:
		return true
	}
}

// unasked says why a command reaches what no guard can be asked about when it
// is sent, and what leads to the same end, or "".
func unasked(method string, keys map[string]json.RawMessage) string {
	const (
		later = "the script would run in documents that the guard has not seen yet; use Runtime.evaluate once the page is there"
		jar   = "it is about the cookies of all sites; name one: urls of Network.getCookies, url of Network.deleteCookies"
		body  = "it tells what came from any place, also where the page itself may not read it; use browser_snapshot, or fetch in Runtime.evaluate"
	)
	switch method {
	case "Page.addScriptToEvaluateOnNewDocument", "Page.addScriptToEvaluateOnLoad":
		return later
	case "Page.reload":
		if given(keys["scriptToEvaluateOnLoad"]) {
			return later
		}
	case "Network.getAllCookies", "Network.clearBrowserCookies", "Storage.getCookies", "Storage.clearCookies":
		return jar
	case "Network.getResponseBody", "Network.getResponseBodyForInterception", "Network.searchInResponseBody", "Network.streamResourceContent",
		"Network.takeResponseBodyForInterceptionAsStream", "Audits.getEncodedResponse", "Page.captureSnapshot", "Page.getResourceContent", "Page.searchInResource":
		return body
	case "Network.loadNetworkResource":
		return "a redirect would lead on to what the guard has not seen; use browser_navigate"
	case "Page.createIsolatedWorld":
		if given(keys["grantUniveralAccess"]) || given(keys["grantUniversalAccess"]) {
			return "a world with universal access reads every frame; leave grantUniveralAccess out"
		}
	case "Target.createBrowserContext":
		if given(keys["originsWithUniversalNetworkAccess"]) {
			return "pages of such origins would read every site; leave originsWithUniversalNetworkAccess out"
		}
	}
	switch domain, _, _ := strings.Cut(method, "."); domain {
	case "Extensions":
		return "an extension reaches every page"
	case "Tracing":
		return "a trace tells of every page of the browser"
	default:
		return ""
	}
}

// guardKeys asks for the places among params, and writes those that are opened
// as they were asked about.
func (b *Toolbox) guardKeys(method string, keys map[string]json.RawMessage) error {
	if method == "Network.setBlockedURLs" {
		return nil // what is never loaded needs no leave
	}
	for _, key := range sortedKeys(keys) {
		var err error
		switch {
		case named(key, "cookies", "storageId", "storageBucket", "bucket", "scripts"):
			keys[key], err = b.guardInside(method, keys[key])
		case named(key, "domain"):
			err = b.guardDomain(method, keys)
		case named(key, "url", "urls", "origin", "origins", "securityOrigin", "ownerOrigin", "issuerOrigin", "embeddedOrigin",
			"storageKey", "scopeURL", "manifestId", "installUrlOrBundleUrl", "firstPartyUrl", "thirdPartyUrls"):
			keys[key], err = b.guardPlace(method, key, keys[key])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// named reports whether a key is one of these for any reader: some take a key
// in another case for it.
func named(key string, names ...string) bool {
	for _, name := range names {
		if strings.EqualFold(key, name) {
			return true
		}
	}
	return false
}

// guardInside asks for the places in an object, or in a list of them.
func (b *Toolbox) guardInside(method string, value json.RawMessage) (json.RawMessage, error) {
	var list []map[string]json.RawMessage
	single := json.Unmarshal(value, &list) != nil
	if single {
		list = make([]map[string]json.RawMessage, 1)
		if json.Unmarshal(value, &list[0]) != nil {
			return value, nil // no object: the browser refuses it
		}
	}
	for _, keys := range list {
		if err := b.guardKeys(method, keys); err != nil {
			return nil, err
		}
	}
	if single {
		return json.Marshal(list[0])
	}
	return json.Marshal(list)
}

// guardPlace asks for one URL or origin, or for a list of them.
func (b *Toolbox) guardPlace(method, key string, value json.RawMessage) (json.RawMessage, error) {
	var list []string
	var one string
	if json.Unmarshal(value, &one) == nil {
		list = []string{one}
	} else if json.Unmarshal(value, &list) != nil {
		return nil, invalid("params.%s of %s must be a string", key, method)
	}
	for _, place := range list {
		if named(key, "storageKey") {
			place, _, _ = strings.Cut(place, "^") // behind it stands under which top page
		}
		if place == "" {
			continue // the browser refuses it, or opens about:blank
		}
		read, err := b.guardOpens(place)
		if err != nil {
			return nil, err
		}
		one = read
	}
	if opens(method) && key == "url" && len(list) == 1 {
		return json.Marshal(one)
	}
	return value, nil
}

// opens reports whether a command goes to its url, which may be any.
func opens(method string) bool {
	return method == "Page.navigate" || method == "Target.createTarget" || method == "PWA.launch"
}

// guardDomain asks for the host that a cookie is for: under the scheme of its
// URL, where it has one, else under both.
func (b *Toolbox) guardDomain(method string, keys map[string]json.RawMessage) error {
	schemes := []string{"https", "http"}
	var domain, url string
	for key, value := range keys {
		switch {
		case named(key, "domain") && json.Unmarshal(value, &domain) != nil:
			return invalid("params.%s of %s must be a string", key, method)
		case key == "url" && json.Unmarshal(value, &url) == nil:
			if scheme, _, ok := pageurl.CutScheme(url); ok && pageurl.HasHost(scheme) {
				schemes = []string{scheme}
			}
		}
	}
	if domain == "" {
		return nil
	}
	for _, scheme := range schemes {
		if _, err := b.guardOpens(scheme + "://" + strings.TrimPrefix(domain, ".")); err != nil {
			return err
		}
	}
	return nil
}
