package config

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cdpsupervisor/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// written puts a file into a folder of its own and returns its path.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestDefaults(t *testing.T) {
	t.Chdir(t.TempDir()) // no config.yaml here
	c, err := Load(Input{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Backend != Local || c.CDPURL != "" || c.DialogPolicy != messages.PolicyMustRespond || c.DialogTimeout != 300*time.Second ||
		c.Bridge != messages.BridgeAuto || c.Scope != messages.ScopePage || c.OnStop != messages.OnStopDismiss ||
		c.BridgeTransport != messages.TransportAuto || !c.BypassCSP {
		t.Errorf("got %+v", c)
	}
	if o := c.Origin("bridge"); o.Kind != FromDefault {
		t.Errorf("bridge came from %s", o)
	}
}

const whole = `# a comment
browser:
  backend: local              # browserbase | camofox
  cdp_url: "ws://127.0.0.1:9222/devtools/browser/x?token=hunter2"
  dialog_policy: auto_dismiss
  dialog_timeout_s: 12.5
  bridge: on
  scope: browser
  on_stop: leave
  bridge_transport: xhr
  bypass_csp: false
`

func TestFile(t *testing.T) {
	path := written(t, whole)
	c, err := Load(Input{File: path})
	if err != nil {
		t.Fatal(err)
	}
	if c.CDPURL.Reveal() != "ws://127.0.0.1:9222/devtools/browser/x?token=hunter2" || c.DialogPolicy != messages.PolicyAutoDismiss ||
		c.DialogTimeout != 12500*time.Millisecond || c.Bridge != messages.BridgeOn || c.Scope != messages.ScopeBrowser ||
		c.OnStop != messages.OnStopLeave || c.BridgeTransport != messages.TransportXHR || c.BypassCSP {
		t.Errorf("got %+v", c)
	}
	if o := c.Origin("dialog_timeout_s"); o.Kind != FromFile || o.Where != path+":6:21" {
		t.Errorf("dialog_timeout_s came from %s", o)
	}
}

func TestTheDefaultFileIsReadWhenItIsThere(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile(DefaultFile, []byte("browser: {scope: browser}"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Input{})
	if err != nil || c.Scope != messages.ScopeBrowser || c.Origin("scope").String() != "file config.yaml:1:18" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Load(Input{File: "elsewhere.yaml"}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "elsewhere.yaml") {
		t.Errorf("a file that was named must be there, got %v", err)
	}
}

func TestFlagsOverEnvironmentOverFile(t *testing.T) {
	path := written(t, "browser:\n  scope: browser\n  bridge: off\n  dialog_policy: auto_accept\n")
	c, err := Load(Input{
		File:  path,
		Env:   env("BROWSER_BRIDGE", "on", "BROWSER_DIALOG_POLICY", "auto_dismiss", "BROWSER_CDP_URL", "", "BROWSER_DIALOG_TIMEOUT_S", "5m"),
		Flags: map[string]Flag{"dialog_policy": {"--dialog-policy", "must_respond"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Kind{
		"scope": FromFile, "bridge": FromEnv, "dialog_policy": FromFlag, "cdp_url": FromDefault, "dialog_timeout_s": FromEnv, "on_stop": FromDefault,
	}
	for key, kind := range want {
		if got := c.Origin(key).Kind; got != kind {
			t.Errorf("%s came from %s, want %s", key, got, kind)
		}
	}
	if c.Scope != messages.ScopeBrowser || c.Bridge != messages.BridgeOn || c.DialogPolicy != messages.PolicyMustRespond || c.DialogTimeout != 5*time.Minute {
		t.Errorf("got %+v", c)
	}
}

func TestBridgeIsTheWordOrABoolean(t *testing.T) {
	for text, want := range map[string]messages.BridgeMode{
		"on": messages.BridgeOn, "off": messages.BridgeOff, "auto": messages.BridgeAuto, "true": messages.BridgeOn, "false": messages.BridgeOff,
		`"on"`: messages.BridgeOn, `'off'`: messages.BridgeOff,
	} {
		c, err := Load(Input{File: written(t, "browser:\n  bridge: "+text+"\n")})
		if err != nil || c.Bridge != want {
			t.Errorf("bridge: %s gave %v, %v", text, c, err)
		}
	}
}

func TestNumbersAreDecimal(t *testing.T) {
	for text, want := range map[string]time.Duration{"010": 10 * time.Second, "300": 300 * time.Second, "0x10": 16 * time.Second, "1.5": 1500 * time.Millisecond} {
		c, err := Load(Input{File: written(t, "browser:\n  dialog_timeout_s: "+text+"\n")})
		if err != nil || c.DialogTimeout != want {
			t.Errorf("dialog_timeout_s: %s gave %v, %v", text, c, err)
		}
	}
}

func TestFilesThatSayNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "browser:\n", "browser: {}\n", "---\n", "null\n", "---\nbrowser: {}\n---\n", "# a\n---\nbrowser: {}\n...\n",
		"%YAML 1.2\n---\nbrowser: {}\n", "\ufeffbrowser:\n  scope: page\n", "browser:\r\n  scope: page\r\n"} {
		if _, err := Load(Input{File: written(t, text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	for _, tc := range []struct{ text, place, says, excerpt string }{
		{"browser:\n  dialog_policy: auto-dismiss\n", ":2:18: browser.dialog_policy: ", `found "auto-dismiss"; allowed: must_respond, auto_dismiss, auto_accept (did you mean auto_dismiss?)`,
			"  2 |   dialog_policy: auto-dismiss\n    |                  ^"},
		{"browser:\n  dialogPolicy: auto_dismiss\n", ":2:3: browser: ", `found the unknown key "dialogPolicy"`, "did you mean dialog_policy?"},
		{"browsr:\n  scope: page\n", ":1:1: ", `found the unknown key "browsr"; allowed: browser`, "  1 | browsr:\n    | ^"},
		{"browser:\n  dialog_timeout_s: 0\n", ":2:21: ", "found 0; allowed is a number of seconds, more than 0", "^"},
		{"browser:\n  dialog_timeout_s: -5\n", ":2:21: ", "found -5", "^"},
		{"browser:\n  dialog_timeout_s: 86401\n", ":2:21: ", "at most 86400", "^"},
		{"browser:\n  dialog_timeout_s: .inf\n", ":2:21: ", "found .inf; allowed: a number of seconds", "^"},
		{"browser:\n  dialog_timeout_s: .nan\n", ":2:21: ", "found .nan", "^"},
		{"browser:\n  dialog_timeout_s: \"300\"\n", ":2:21: ", `found the text "300"; allowed: a number of seconds`, "^"},
		{"browser:\n  dialog_timeout_s: 5m\n", ":2:21: ", `found the text "5m"; allowed: a number of seconds`, "^"},
		{"browser:\n  dialog_timeout_s:\n", ":2:3: ", "found no value", "^"},
		{"browser:\n  bypass_csp: yes\n", ":2:15: ", `found the text "yes"; allowed: true or false`, "^"},
		{"browser:\n  scope: true\n", ":2:10: ", "found true; allowed: page, browser", "^"},
		{"browser:\n  scope: [page]\n", ":2:10: ", "found a list; allowed: page, browser", "^"},
		{"browser:\n  scope: {a: b}\n", ":2:10: ", "found a mapping", "^"},
		{"browser:\n  scope: &x page\n", ":2:", "found an alias or an anchor", "^"},
		{"browser:\n  cdp_url: ftp://host/\n", ":2:12: browser.cdp_url: ", "not a CDP endpoint", "^"},
		{"browser:\n  scope: page\n  scope: browser\n", ":3:3: ", "not valid YAML: mapping key \"scope\" already defined", "^"},
		{"browser:\n\tscope: page\n", ":2:", "not valid YAML", ""},
		{"browser: [\n", ":1:", "not valid YAML", ""},
		{"browser: page\n", ":1:10: browser: ", `found the text "page"; allowed are keys with values`, "^"},
		{"- browser\n", ":1:1: ", "found a list; allowed is the section \"browser:\"", "^"},
		{"browser: {}\n---\nbrowser: {}\n", ":3:", "a second document", "^"},
		// The parser drops what follows an empty document, with or without a comment.
		{"---\n---\nbrowser:\n  bridge: on\n", ":3:1: ", "a second document", "^"},
		{"browser: {}\n---\n# nothing\n---\nbrowser: {bridge: off}\n", ":5:1: ", "a second document", "^"},
		{"# a\n---\n# b\n---\nbrowser: {}\n", ":5:1: ", "a second document", "^"},
		{"browser: {}\n...\nbrowser: {}\n", ":3:1: ", "a second document", "^"},
		{"browser:\n  scope: |\n    page\n", ":2:10: ", "found a block of text; allowed: page, browser", "^"},
		{"browser:\n\tscope: page\n", ":2:1: ", `found character '\t' that cannot start any token`, "^"},
		{"browser:\n  cdp_url: ftp://host/\n", ":2:12: ", "write ws://, wss://, http:// or https:// with a host", "^"},
		{"browser:\n  cdp_url: 9222\n", ":2:12: ", "found 9222; allowed: ws://, wss://, http://, https://, host:port", "^"},
	} {
		path := written(t, tc.text)
		_, err := Load(Input{File: path})
		if err == nil {
			t.Errorf("%q was taken", tc.text)
			continue
		}
		for _, part := range []string{path + tc.place, tc.says, tc.excerpt} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q:\n%v\nlacks %q", tc.text, err, part)
			}
		}
	}
}

func TestAllProblemsAreNamed(t *testing.T) {
	_, err := Load(Input{
		File:  written(t, "browser:\n  scope: tab\n  nonsense: 1\n"),
		Env:   env("BROWSER_BRIDGE", "maybe"),
		Flags: map[string]Flag{"dialog_timeout_s": {"--dialog-timeout", "soon"}},
	})
	for _, part := range []string{`found "tab"`, `"nonsense"`, `BROWSER_BRIDGE: found "maybe"`, `--dialog-timeout: found "soon"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v\nlacks %q", err, part)
		}
	}
}

func TestConflicts(t *testing.T) {
	for _, backend := range []string{"browserbase", "camofox"} {
		_, err := Load(Input{
			File: written(t, "browser:\n  backend: "+backend+"\n"),
			Env:  env("BROWSER_CDP_URL", "ws://h:1/?token=hunter2"),
		})
		if err == nil || !strings.Contains(err.Error(), "exclude each other") || !strings.Contains(err.Error(), "env BROWSER_CDP_URL") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", backend, err)
		}
	}
	if _, err := Load(Input{
		File:  written(t, "browser:\n  cdp_url: ws://h:1/\n"),
		Flags: map[string]Flag{"cdp_url": {"--cdp-url", ""}, "backend": {"--backend", "browserbase"}},
	}); err != nil {
		t.Errorf("an empty flag takes the file's URL away: %v", err)
	}
}

func TestNothingShowsTheEndpointsSecret(t *testing.T) {
	for _, text := range []string{
		"browser:\n  cdp_url: wss://user:hunter2@host:1/?token=hunter2 : x\n",
		"browser:\n  cdp_url: [wss://host/hunter2]\n",
		"browser:\n  cdp_url: {url: \"wss://host/hunter2\"}\n",
		"browser:\n  cdp_url: ftp://user:hunter2@host/\n",
		"browser:\n  cdp_url: host-without-port-hunter2\n",
		"browser:\n  cdpUrl: wss://host/hunter2\n",
		"browser:\n  scope: wss://host/hunter2\n",
		"browser: {cdp_url: \"wss://host/hunter2\", scope: tab}\n",
		"browser:\n  cdp_url: \"wss://host/hunter2\n",
	} {
		_, err := Load(Input{File: written(t, text)})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, in := range []Input{
		{Env: env("BROWSER_CDP_URL", "ftp://u:hunter2@h/")},
		{Flags: map[string]Flag{"cdp_url": {"--cdp-url", "hunter2"}}},
	} {
		in.File = written(t, "")
		if _, err := Load(in); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
	c, err := Load(Input{File: written(t, whole)})
	if err != nil {
		t.Fatal(err)
	}
	if shown := c.Show(true); strings.Contains(shown, "hunter2") {
		t.Error(shown)
	}
}

func TestShow(t *testing.T) {
	path := written(t, "browser:\n  scope: browser\n")
	c, err := Load(Input{File: path, Env: env("BROWSER_CDP_URL", "wss://h:1/x?token=y")})
	if err != nil {
		t.Fatal(err)
	}
	shown := c.Show(true)
	for _, line := range []string{
		"browser:\n", "  backend: local                   # default\n", "  cdp_url: \"wss://h:1\"             # env BROWSER_CDP_URL\n",
		"  scope: browser                   # file " + path + ":2:10\n", "  dialog_timeout_s: 300            # default\n",
	} {
		if !strings.Contains(shown, line) {
			t.Errorf("lacks %q:\n%s", line, shown)
		}
	}
	if plain := c.Show(false); strings.Contains(plain, "#") {
		t.Error(plain)
	}
	again, err := Load(Input{File: written(t, c.Show(true))})
	if err != nil || again.Scope != c.Scope || again.DialogTimeout != c.DialogTimeout {
		t.Errorf("what is shown must be a configuration: %v, %+v", err, again)
	}
}

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"300": 300 * time.Second, "300s": 300 * time.Second, "5m": 5 * time.Minute, "0.5": 500 * time.Millisecond, "1h30m": 90 * time.Minute, "-1": -time.Second,
	} {
		if got, err := ParseSeconds(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "soon", "5 m", "NaN", "inf", "-Inf", "1e300", "1e-300", "5minutes"} {
		if got, err := ParseSeconds(text); err == nil {
			t.Errorf("%q was taken for %v", text, got)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("browser: {scope: tab, a: [1, {b: c}]}\n"))
	f.Add([]byte("browser:\n  dialog_timeout_s: 0x7fffffffffffffff\n"))
	f.Add([]byte("browser: &a\n  <<: *a\n"))
	f.Add([]byte("? browser\n: scope: page\n"))
	f.Add([]byte("%YAML 1.1\n---\nbrowser:\n  bridge: on\n...\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := &Config{origins: map[string]Origin{}}
		for _, s := range settings() {
			if err := s.set(c, s.defaults); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.parse("f.yaml", text); err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f.yaml") && !strings.HasPrefix(line, "  ") {
					t.Fatalf("%q: a line that names no place: %q", text, line)
				}
			}
			return
		}
		if c.DialogTimeout <= 0 || c.DialogTimeout > messages.MaxDialogTimeout || math.IsNaN(c.DialogTimeout.Seconds()) || !c.DialogPolicy.Valid() || c.Bridge == "" {
			t.Fatalf("%q gave %+v", text, c)
		}
	})
}
