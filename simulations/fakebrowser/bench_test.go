package fakebrowser

import "testing"

func BenchmarkWindow(b *testing.B) {
	br := New(Options{Pages: pages(nil), SiteIsolation: true})
	defer br.Close()
	br.do(func() {
		d := br.pages[2].main.doc
		for b.Loop() {
			d.newRealm("", false).up().retire()
		}
	})
}
