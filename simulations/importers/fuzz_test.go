package importers_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/jsonscan"
)

// readAll reads whatever the bytes are in one form and checks what must hold of
// every message.
func readAll(t *testing.T, data []byte, format importers.Format) {
	trace, err := importers.Read(bytes.NewReader(data), importers.Options{Format: format, Warn: func(w importers.Warning) { _ = w.String() }})
	if err != nil {
		return
	}
	defer trace.Close()
	var last importers.Message
	for n := 0; ; n++ {
		m, err := trace.Next()
		if err != nil {
			if _, again := trace.Next(); !errors.Is(err, io.EOF) && again == nil {
				t.Fatalf("%s: goes on after %v", format, err)
			}
			return
		}
		switch {
		case n > len(data):
			t.Fatalf("%s: more messages than bytes", format)
		case m.T < last.T:
			t.Fatalf("%s: time goes back from %s to %s", format, last.T, m.T)
		case m.Dir != cdpwire.Sent && m.Dir != cdpwire.Received:
			t.Fatalf("%s: no direction", format)
		}
		last = m
		if trace.Format() == importers.FormatTrace {
			continue // it hands on what the wire showed, JSON or not
		}
		if !json.Valid(m.Msg) || bytes.ContainsAny(m.Msg, "\n\r") {
			t.Fatalf("%s: not JSON on one line: %q", format, m.Msg)
		}
		if _, err := jsonscan.ReadMessage(m.Msg); err != nil {
			t.Fatalf("%s: no message: %q", format, m.Msg)
		}
	}
}

func fuzz(f *testing.F, formats ...importers.Format) {
	for _, form := range forms() {
		if slices.Contains(formats, form.format) || slices.Contains(formats, importers.FormatAuto) {
			f.Add([]byte(form.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range formats {
			readAll(t, data, format)
		}
	})
}

func FuzzAuto(f *testing.F) { fuzz(f, importers.FormatAuto) }

func FuzzTrace(f *testing.F) { fuzz(f, importers.FormatTrace) }

func FuzzObjects(f *testing.F) {
	fuzz(f, importers.FormatDevtoolsLog, importers.FormatCDTLogReplay, importers.FormatProtocolMonitor, importers.FormatChromedriver, importers.FormatJSDebug)
}

func FuzzLines(f *testing.F) {
	fuzz(f, importers.FormatPlaywright, importers.FormatK6, importers.FormatCDP4J, importers.FormatSelenium, importers.FormatChromedp)
}

func FuzzNested(f *testing.F) {
	fuzz(f, importers.FormatPuppeteer, importers.FormatChromePHP, importers.FormatPyppeteer)
}

func FuzzRod(f *testing.F) { fuzz(f, importers.FormatRod) }
