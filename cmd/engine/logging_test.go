package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

func TestLogTimesHaveMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := logFlags{Log: "text", LogLevel: "default"}.logger(&out, zerolog.InfoLevel)
		for _, wait := range []time.Duration{0, 1234 * time.Millisecond, 7 * time.Millisecond} {
			time.Sleep(wait) // of the bubble's clock
			out.Reset()
			log.Info().Msg("said")
			if want := time.Now().Format("15:04:05.000") + " INF said\n"; out.String() != want {
				t.Errorf("%q, want %q", out.String(), want)
			}
		}
		if !strings.Contains(out.String(), ".241 ") {
			t.Errorf("%q has not the milliseconds of the clock", out.String())
		}
	})
}
