package frametree_test

import (
	"testing"

	"cdpsupervisor/messages"
)

func TestSameRenderer(t *testing.T) {
	popup := func(id messages.SessionID, target, opener messages.TargetID, main messages.FrameID, scripts bool, host string) []step {
		return []step{
			on("", &messages.AttachedToTarget{SessionID: id, Info: messages.TargetInfo{
				Type: messages.TargetPage, TargetID: target, OpenerID: opener, CanAccessOpener: scripts,
			}}),
			on(id, navigated(main, "", host)),
		}
	}
	tr := onPage(t,
		on("P", session("B1", "FB1", "M")), on("B1", navigated("FB1", "M", "b.test")),
		on("P", session("B2", "FB2", "M")), on("B2", navigated("FB2", "M", "b.test")),
		on("P", session("C", "FC", "M")), on("C", navigated("FC", "M", "c.test")),
		on("C", session("A2", "FA2", "FC")), on("A2", navigated("FA2", "FC", "a.test")),
		on("P", session("SB", "FSB", "M")), on("SB", &messages.FrameNavigated{Frame: messages.FrameInfo{
			ID: "FSB", ParentID: "M", LoaderID: "x", URL: "https://www.b.test:8443/", Origin: "https://www.b.test:8443", Domain: "b.test",
		}}),
		on("P", session("HB", "FHB", "M")), on("HB", doc("FHB", "M", "http://b.test/", "http://b.test")),
		on("P", withURL("WB", "FWB", "M", "https://w.b.test/")),
		on("P", withURL("W1", "FW1", "M", "https://w.d.test/")), on("P", withURL("W2", "FW2", "M", "https://w.d.test/")),
		on("P", withURL("NB", "FNB", "M", "https://notb.test/")),
		on("P", session("SAME", "FSAME", "M")), on("SAME", navigated("FSAME", "M", "a.test")),
		on("P", withURL("O1", "FO1", "M", "data:,1")), on("P", withURL("O2", "FO2", "M", "data:,1")),
	)
	tr.tell(t, popup("P5", "T5", "T4", "M5", true, "a.test")...) // before its opener
	tr.tell(t, popup("P2", "T2", "T", "M2", true, "a.test")...)
	tr.tell(t, popup("P3", "T3", "T", "M3", false, "a.test")...)
	tr.tell(t, popup("P4", "T4", "T2", "M4", true, "a.test")...)
	tr.tell(t, on("", pageTarget("P6", "T6")))
	tests := []struct {
		a, b messages.SessionID
		want bool
		why  string
	}{
		{"P", "P", true, "itself"},
		{"B1", "B2", true, "two frames of a site"},
		{"B1", "C", false, "two sites"},
		{"P", "A2", true, "a frame of the page's site, inside another"},
		{"P", "SAME", false, "right below: it has a session because it is elsewhere"},
		{"B1", "SB", true, "subdomain and port do not matter"},
		{"B1", "HB", false, "the scheme does"},
		{"B1", "WB", true, "the domain of one is known, the other is below it"},
		{"B1", "NB", false, "ends like the domain, but is another"},
		{"W1", "W2", true, "no domain known, the same host"},
		{"WB", "W1", false, "no domain known, other hosts"},
		{"O1", "O2", false, "opaque origins share nothing"},
		{"P", "P2", true, "a popup that can be scripted"},
		{"A2", "P2", true, "and a frame of the page"},
		{"P", "P3", false, "noopener"},
		{"P", "P4", true, "the popup's popup"},
		{"P", "P5", true, "one that was told before its opener"},
		{"P", "P6", false, "a page that shows nothing yet"},
		{"P", "nobody", false, "no session of ours"},
		{"nobody", "nobody", false, "no session of ours"},
	}
	for _, tt := range tests {
		if got := tr.SameRenderer(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s (%s): %t, want %t", tt.a, tt.b, tt.why, got, tt.want)
		}
		if got := tr.SameRenderer(tt.b, tt.a); got != tt.want {
			t.Errorf("%s and %s (%s): %t, want %t", tt.b, tt.a, tt.why, got, tt.want)
		}
	}
}
