package replay_test

import (
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/replay"
)

// TestForeign replays recordings by Lighthouse and chrome-har: events only, of
// real sites.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		file                      string
		events                    int
		url                       string
		frames, sessions, dialogs int
		started                   bool
	}{
		{"lighthouse-cnn.devtoolslog.json.zst", 7280, "https://www.cnn.com/", 101, 79, 0, true},
		{"lighthouse-dialog.devtoolslog.json.zst", 1326, "http://localhost:10200/dobetterweb/dbw_tester.html", 1, 1, 1, true},
		{"lighthouse-progressive-app.devtoolslog.json.zst", 201, "https://squoosh.app/", 1, 1, 0, true},
		{"lighthouse-redirect.devtoolslog.json.zst", 935, "https://m.vk.com/", 1, 1, 0, true},
		{"lighthouse-video-embed.devtoolslog.json.zst", 356, "http://localhost:49432/video-embed.html", 3, 3, 0, true},
		{"chrome-har-iframe-not-attached.json.zst", 143, "https://qduej.csb.app/", 2, 1, 0, true},
		{"chrome-har-zdnet.json.zst", 2065, "http://www.zdnet.com/", 31, 1, 0, true},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			r := run(t, replay.Options{Path: foreign(t, c.file)})
			s := r.Stats
			if s.Events != c.events || s.Messages != c.events || s.Frames != c.frames || s.Sessions != c.sessions || s.Dialogs != c.dialogs {
				t.Errorf("%+v", s)
			}
			if s.Malformed != 0 || s.Dropped != 0 || r.Skipped != 0 || r.Snapshot.Supervisor != nil {
				t.Errorf("%+v, supervisor %+v", s, r.Snapshot.Supervisor)
			}
			if top := r.Snapshot.FrameTree.Top; !strings.HasPrefix(top.URL, c.url) || string(top.FrameID) != string(r.Snapshot.PageTargetID) {
				t.Errorf("the page is %+v, target %s", top, r.Snapshot.PageTargetID)
			}
			if (r.Header.Start > 1e9) != c.started {
				t.Errorf("started at %f", float64(r.Header.Start))
			}
			for _, d := range r.Dialogs {
				if d.Ended == nil || d.Ended.ClosedBy != messages.ClosedByRemote {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}
