package fakebrowser

import (
	"fmt"
	"strings"
	"testing"
)

func runtimeRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"runtime.enable-reports": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe src="/plain"></iframe><script>console.error('early');throw new Error('x')</script>`})
			target, s := c.page("http://a.test/top", true)
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			late := c.session(target)
			_ = s
			c.mark()
			c.ok(late, "Runtime.enable", "")
			c.expect(`
				S2 executionContextCreated 3 F2
				S2 executionContextCreated 2 F1
				S2 consoleAPICalled
				S2 exceptionThrown
				S2 reply Runtime.enable`)
			c.ok(late, "Runtime.enable", "")
			c.expect("S2 reply Runtime.enable")
			c.ok(late, "Runtime.disable", "")
			c.ok(late, "Runtime.enable", "")
			c.expect(`
				S2 reply Runtime.disable
				S2 executionContextCreated 3 F2
				S2 executionContextCreated 2 F1
				S2 consoleAPICalled
				S2 exceptionThrown
				S2 reply Runtime.enable`)
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
			c.ok(late, "Runtime.disable", "")
			c.mark()
			c.ok(late, "Runtime.enable", "")
			c.expect("S2 executionContextCreated 4 F1\nS2 reply Runtime.enable")
		},
		"runtime.held-during-navigation": func(t *testing.T) {
			b, c := start(t, nil, slowly("slow"))
			_, s := c.page("http://a.test/plain", true)
			nav := c.send(s, "Page.navigate", `{"url":"http://a.test/plain?slow"}`)
			id := c.evalID(s, "location.search")
			if _, ok := c.reply(id); ok {
				t.Error("answered by the old document")
			}
			b.Advance(1_000_000_000)
			c.pump()
			if _, ok := c.reply(nav); !ok || c.value(id) != `"?slow"` {
				t.Errorf("got %q", c.value(id))
			}
		},
		"ax.tree": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/form": `<title>Form</title><h1>Head</h1><p>Some <b>bold</b></p><a href="/x">link</a><button>Press</button>
				<label for=i>Name</label><input id=i value=v><input type=checkbox checked><div hidden>no</div><img alt=pic><iframe title=fr></iframe>`})
			_, s := c.page("http://a.test/form", true)
			var r struct {
				Nodes []struct {
					Role struct{ Value string } `json:"role"`
					Name struct{ Value string } `json:"name"`
				} `json:"nodes"`
			}
			c.decode(c.ok(s, "Accessibility.getFullAXTree", ""), &r)
			var got []string
			for _, n := range r.Nodes {
				got = append(got, n.Role.Value+" "+n.Name.Value)
			}
			want := "RootWebArea Form, heading Head, StaticText Head, paragraph , StaticText Some, StaticText bold, link link, StaticText link, button Press, StaticText Press, LabelText , StaticText Name, textbox Name, checkbox , image pic, Iframe fr"
			if strings.Join(got, ", ") != want {
				t.Errorf("got %s", strings.Join(got, ", "))
			}
		},
	}
}

// slowly delays every URL that contains the word by a second.
func slowly(word string) func(*Options) {
	return func(o *Options) {
		in := o.Pages
		o.Pages = func(u string) (Response, bool) {
			r, ok := in(u)
			if strings.Contains(u, word) {
				r.Delay = 1_000_000_000
			}
			return r, ok
		}
	}
}
