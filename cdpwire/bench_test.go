package cdpwire

import (
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// mix is what an ad-heavy page sends, in the proportions that were counted: a
// quarter console, a third frames, the rest loading, targets and contexts.
func mix(b testing.TB) [][]byte {
	b.Helper()
	weights := map[string]int{
		`"type":"debug"`: 10, `"type":"log"`: 6, `"type":"error"`: 1, `"type":"warning"`: 2,
		"Page.frameStartedLoading": 10, "Page.frameStartedNavigating": 10, "Page.frameRequestedNavigation": 9, "Page.frameStoppedLoading": 8,
		"Page.frameAttached": 8, "Page.frameDetached": 6, "Page.frameNavigated": 5, "Page.frameSubtreeWillBeDetached": 3,
		"Runtime.executionContextCreated": 8, "Runtime.executionContextsCleared": 4, "Target.attachedToTarget": 5, "Target.targetInfoChanged": 4,
		"Page.domContentEventFired": 4, "Page.loadEventFired": 3, "Target.detachedFromTarget": 2, "Runtime.exceptionThrown": 1,
	}
	var list [][]byte
	for _, msg := range recorded(b) {
		for what, weight := range weights {
			if strings.Contains(string(msg), what) && !strings.HasPrefix(string(msg), `{"id"`) {
				for range weight {
					list = append(list, msg)
				}
			}
		}
	}
	return list
}

func size(list [][]byte) (n int64) {
	for _, msg := range list {
		n += int64(len(msg))
	}
	return n / int64(len(list))
}

// BenchmarkEnvelope finds id, method, session and params of one message.
func BenchmarkEnvelope(b *testing.B) {
	list := mix(b)
	for name, scan := range map[string]func([]byte) (envelope, bool){"head": scanHead, "whole": scanWhole} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size(list))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, ok := scan(list[i%len(list)]); !ok {
					b.Fatal("not read")
				}
			}
		})
	}
}

// BenchmarkDecode takes one message to an event in a batch.
func BenchmarkDecode(b *testing.B) {
	list := mix(b)
	c := bench()
	b.SetBytes(size(list))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if c.batch().Len() == messages.BatchEvents {
			c.batch().reset()
		}
		c.take(list[i%len(list)])
	}
	if c.seen.Malformed > 0 {
		b.Fatalf("counts %+v", c.seen)
	}
}

// churnLayouts is a frame that comes, navigates and goes, in the events that a
// page sends for it; %032X is the frame's number.
func churnLayouts() [4]string {
	return [4]string{
		`{"method":"Page.frameAttached","params":{"frameId":"%032X","parentFrameId":"99B073A64A31C1D6B7E8896E713975EE"},"sessionId":"53777BC1A1A8433DBC1D752EC187E3BC"}`,
		`{"method":"Page.frameStartedNavigating","params":{"frameId":"%032X","url":"https://ads.example.net/slot","loaderId":"B799DC4DDFCF6DDAB3A4193203AE368A","navigationType":"differentDocument"},"sessionId":"53777BC1A1A8433DBC1D752EC187E3BC"}`,
		`{"method":"Page.frameNavigated","params":{"frame":{"id":"%032X","parentId":"99B073A64A31C1D6B7E8896E713975EE","loaderId":"B799DC4DDFCF6DDAB3A4193203AE368A","name":"slot0","url":"https://ads.example.net/slot","domainAndRegistry":"example.net","securityOrigin":"https://ads.example.net","mimeType":"text/html","gatedAPIFeatures":[]},"type":"Navigation"},"sessionId":"53777BC1A1A8433DBC1D752EC187E3BC"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"%032X","reason":"remove"},"sessionId":"53777BC1A1A8433DBC1D752EC187E3BC"}`,
	}
}
