package importers_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/importers"
)

// shown reads a whole trace: one line a message, then the warnings.
func shown(t *testing.T, text string, o importers.Options) (format importers.Format, lines, warnings []string) {
	t.Helper()
	o.Warn = func(w importers.Warning) { warnings = append(warnings, w.String()) }
	trace, err := importers.Read(strings.NewReader(text), o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer trace.Close()
	for {
		m, err := trace.Next()
		if errors.Is(err, io.EOF) {
			return trace.Format(), lines, warnings
		}
		if err != nil {
			t.Fatal(err)
		}
		arrow := map[cdpwire.Direction]string{cdpwire.Sent: "->", cdpwire.Received: "<-"}[m.Dir]
		lines = append(lines, fmt.Sprintf("%gs %s %s", m.T.Seconds(), arrow, m.Msg))
	}
}

// forms is one file of each form, and what is read from it.
func forms() []form {
	return []form{
		{"trace", importers.FormatTrace, `{"trace":1,"start":1650000000,"tool":"x"}
{"t":0.5,"dir":"send","msg":{"id":1,"method":"Page.enable"}}
{"t":0.6,"dir":"recv","msg":{"id":1,
{"t":0.25,"dir":"recv","msg":{"id":1,"result":{}}}
{"t":1,"dir":"recv","msg":{"method":"Page.ena`, []string{
			`0.5s -> {"id":1,"method":"Page.enable"}`,
			`0.5s <- {"id":1,"result":{}}`,
		}, []string{
			"line 3: not a line of a trace: it is not JSON: skipped",
			"the trace ends in the middle of a line, as it does when its recorder was killed",
		}},
		{"Lighthouse", importers.FormatDevtoolsLog, `[
  {"method":"Page.lifecycleEvent","params":{"frameId":"F","timestamp":100.5},"targetType":"page","sessionId":"S"},
  {"method":"Network.requestWillBeSent","params":{"timestamp":101,"wallTime":1650000001,"type":"Document"},"targetType":"page","sessionId":"S"},
  {"method":"Runtime.consoleAPICalled","params":{"timestamp":1650000001500.5},"targetType":"page","sessionId":"S"},
  {"method":"Page.frameDetached","params":{"frameId":"G"},"targetType":"iframe","sessionId":"T"},
  {"method":"Page.lifecycleEvent","params":{"frameId":"F","timestamp":102.25`, []string{
			`0s <- {"method":"Page.lifecycleEvent","params":{"frameId":"F","timestamp":100.5},"sessionId":"S"}`,
			`0.5s <- {"method":"Network.requestWillBeSent","params":{"timestamp":101,"wallTime":1650000001,"type":"Document"},"sessionId":"S"}`,
			`0.5s <- {"method":"Runtime.consoleAPICalled","params":{"timestamp":1650000001500.5},"sessionId":"S"}`,
			`0.5s <- {"method":"Page.frameDetached","params":{"frameId":"G"},"sessionId":"T"}`,
		}, []string{"line 6: the file ends in the middle of a message: skipped"}},
		{"chrome-har, pretty-printed", importers.FormatDevtoolsLog, "[\n  {\n    \"method\": \"Page.frameStartedLoading\",\n    \"params\": {\n      \"frameId\": \"7.1\"\n    },\n    \"source\": {\"tabId\": 4}\n  },\n  nonsense,\n  {\n    \"method\": \"A.b\", \"params\": {}\n  }\n]\n", []string{
			`0s <- {"method":"Page.frameStartedLoading","params":{"frameId":"7.1"}}`,
			`0s <- {"method":"A.b","params":{}}`,
		}, []string{"line 9: not a JSON object: skipped"}},
		{"browser-trace", importers.FormatDevtoolsLog, `{"method":"Page.frameAttached","params":{"frameId":"F","parentFrameId":"M"},"sessionId":"S"}
{"method":"Page.frameDet
{"id":3,"method":"Page.enable","params":{}}
{"id":3,"result":{}}
`, []string{
			`0s <- {"method":"Page.frameAttached","params":{"frameId":"F","parentFrameId":"M"},"sessionId":"S"}`,
			`0s -> {"id":3,"method":"Page.enable","params":{}}`,
			`0s <- {"id":3,"result":{}}`,
		}, []string{"line 2: not JSON, or cut off: skipped"}},
		{"cdt-log-replay", importers.FormatCDTLogReplay, `[
{"____comment":"x","id":1,"method":"Page.enable","params":{},"domain":"Page","sessionId":"","type":"send"},
{"id":1,"result":{},"sessionId":"S","type":"recv"},
{"method":"Page.frameDetached","params":{"frameId":"F"},"type":"evt"},
{"method":"Page.frameDetached","params":{"frameId":"G"},"type":"recv"},
{"method":"Page.x","type":"other"}]`, []string{
			`0s -> {"id":1,"method":"Page.enable","params":{}}`,
			`0s <- {"id":1,"result":{},"sessionId":"S"}`,
			`0s <- {"method":"Page.frameDetached","params":{"frameId":"F"}}`,
			`0s <- {"method":"Page.frameDetached","params":{"frameId":"G"}}`,
		}, []string{`line 6: its "type" is none of send, recv, evt: skipped`}},
		{"Protocol Monitor", importers.FormatProtocolMonitor, `[
{"method":"Page.enable","id":1,"params":{},"result":{},"requestTime":100,"elapsedTime":50.5,"sessionId":"S"},
{"method":"Page.getFrameTree","id":2,"params":{},"error":{"code":-1},"requestTime":110,"elapsedTime":5},
{"method":"Page.loadEventFired","result":{"timestamp":3},"requestTime":120,"target":{}},
{"method":"Page.navigate","id":3,"params":{"url":"x"},"requestTime":200},
{"requestTime":7}]`, []string{
			`0.1s -> {"id":1,"method":"Page.enable","params":{},"sessionId":"S"}`,
			`0.11s -> {"id":2,"method":"Page.getFrameTree","params":{}}`,
			`0.115s <- {"id":2,"error":{"code":-1}}`,
			`0.12s <- {"method":"Page.loadEventFired","params":{"timestamp":3}}`,
			`0.1505s <- {"id":1,"result":{},"sessionId":"S"}`,
			`0.2s -> {"id":3,"method":"Page.navigate","params":{"url":"x"}}`,
		}, []string{"line 6: an object without a method: skipped"}},
		{"chromedriver, lines", importers.FormatChromedriver, `{"level":"INFO","message":"{\"message\":{\"method\":\"Page.loadEventFired\",\"params\":{\"timestamp\":5}},\"webview\":\"T\"}","timestamp":1650000000000}
{"level":"INFO","message":"plain","timestamp":1650000000100}
{"level":"INFO","message":"{\"message\":{\"method\":\"A.b\",\"params\":{}},\"webview\":\"T\"}","timestamp":1650000000250}
`, []string{
			`0s <- {"method":"Page.loadEventFired","params":{"timestamp":5},"sessionId":"T"}`,
			`0.25s <- {"method":"A.b","params":{},"sessionId":"T"}`,
		}, []string{"line 2: an entry without an event: skipped"}},
		{"chromedriver, what the command answers", importers.FormatChromedriver, `{"value": [{"level":"INFO","message":"{\"message\":{\"method\":\"A.b\",\"params\":{}},\"webview\":\"T\"}","timestamp":1650000000000}]}`, []string{
			`0s <- {"method":"A.b","params":{},"sessionId":"T"}`,
		}, []string{}},
		{"Visual Studio Code", importers.FormatJSDebug, `{"tag":"dap.send","timestamp":1597491665000,"metadata":{"message":{"seq":1}}}
{"tag":"cdp.send","timestamp":1597491665540,"metadata":{"connectionId":0,"message":{"id":1,"method":"Page.enable","params":{},"sessionId":null}},"level":0}
{"tag":"cdp.receive","timestamp":1597491665640,"metadata":{"connectionId":0,"message":{"id":1,"result":{},"sessionId":"S"}},"level":0}
{"tag":"cdp.receive","timestamp":1597491665640,"metadata":{"connectionId":1,"message":{"id":1,"result":{}}},"level":0}
`, []string{
			`0s -> {"id":1,"method":"Page.enable","params":{}}`,
			`0.1s <- {"id":1,"result":{},"sessionId":"S"}`,
		}, []string{}},
		{"Playwright, to a file", importers.FormatPlaywright, `2024-05-20T12:34:56.000Z pw:browser <launching> chrome
some other program's line
2024-05-20T12:34:56.789Z pw:protocol SEND ► {"id":1,"method":"Browser.getVersion"}
2024-05-20T12:34:57.000Z pw:protocol ◀ RECV {"id":1,"result":{"product":"x"},"sessionId":"S"}
2024-05-20T12:34:57.100Z pw:protocol ◀ RECV {"method":"Page.screencastFrame","params":{"data":"aaaa <<<<<( LOG TRUNCATED )>>>>> zz"},"sessionId
2024-05-20T12:34:57.200Z pw:protocol ◀ RECV {"method":"Page.frameAttached","params":
{"frameId":"F","parentFr
ameId":"M"}}
2024-05-20T12:34:57.300Z pw:protocol ◀ RECV {"method":"Page.frameDetached","params":
2024-05-20T12:34:57.400Z pw:protocol ◀ RECV {"method":"A.b"}
`, []string{
			`0.789s -> {"id":1,"method":"Browser.getVersion"}`,
			`1s <- {"id":1,"result":{"product":"x"},"sessionId":"S"}`,
			`1.2s <- {"method":"Page.frameAttached","params":{"frameId":"F","parentFrameId":"M"}}`,
			`1.4s <- {"method":"A.b"}`,
		}, []string{
			"line 2: a line of something else: skipped",
			"line 5: Page.screencastFrame: cut off: skipped",
			"line 9: Page.frameDetached: cut off: skipped",
		}},
		{"Playwright, on a terminal", importers.FormatPlaywright, "  \x1b[36;1mpw:protocol \x1b[0mSEND ► {\"id\":1,\"method\":\"A.b\"} \x1b[36m+0ms\x1b[0m\n  pw:protocol ◀ RECV {\"id\":1,\"result\":{}} +1s\n  pw:protocol ◀ RECV {\"method\":\"C.d\"} +20ms\n", []string{
			`0s -> {"id":1,"method":"A.b"}`,
			`1s <- {"id":1,"result":{}}`,
			`1.02s <- {"method":"C.d"}`,
		}, []string{}},
		{"Puppeteer, first generation", importers.FormatPuppeteer, `  puppeteer:session SEND ► {"id":1,"method":"Page.enable","params":{}}
2019-04-10T11:43:49.620Z puppeteer:protocol SEND ► {"id":4,"method":"Target.sendMessageToTarget","params":{"sessionId":"S","message":"{\"id\":1,\"method\":\"Page.enable\",\"params\":{}}"}}
2019-04-10T11:43:49.630Z puppeteer:protocol ◀ RECV {"id":4,"result":{}}
2019-04-10T11:43:49.640Z puppeteer:protocol ◀ RECV {"method":"Target.receivedMessageFromTarget","params":{"sessionId":"S","message":"{\"id\":1,\"result\":{}}","targetId":"T"}}
2019-04-10T11:43:49.650Z puppeteer:protocol ◀ RECV {"method":"Target.receivedMessageFromTarget","params":{"sessionId":"S","message":"{\"method\":\"Page.loadEventFired\",\"params\":{}}","targetId":"T"}}
2019-04-10T11:43:49.660Z puppeteer:protocol ◀ RECV {"method":"Target.receivedMessageFromTarget","params":{"sessionId":"S","message":"{\"meth"}}
`, []string{
			`0s -> {"id":1073741825,"method":"Page.enable","params":{},"sessionId":"S"}`,
			`0.02s <- {"id":1073741825,"result":{},"sessionId":"S"}`,
			`0.03s <- {"method":"Page.loadEventFired","params":{},"sessionId":"S"}`,
		}, []string{"line 6: what Target.receivedMessageFromTarget carries cannot be read: skipped"}},
		{"Puppeteer, strings", importers.FormatPuppeteer, `  puppeteer:protocol:SEND ► {"method":"A.b","id":1,"sessionId":"S"} +0ms
  puppeteer:protocol:RECV ◀ {"id":1,"result":{},"sessionId":"S"} +0ms
  puppeteer:protocol:SEND ► {"method":"C.d","id":2} +10ms
  puppeteer:protocol:RECV ◀{"id":2,"result":{}} +1s
`, []string{
			`0s -> {"method":"A.b","id":1,"sessionId":"S"}`,
			`0s <- {"id":1,"result":{},"sessionId":"S"}`,
			`0.01s -> {"method":"C.d","id":2}`,
			`1s <- {"id":2,"result":{}}`,
		}, []string{}},
		{"Puppeteer, arrays", importers.FormatPuppeteer, `  puppeteer:browsers:launcher Launching /usr/bin/chrome +0ms
  puppeteer:protocol:SEND ► [
  puppeteer:protocol:SEND ►   '{"method":"Runtime.evaluate","params":{"expression":"it\'s \\"a\\""},"id":1}'
  puppeteer:protocol:SEND ► ] +0ms
  puppeteer:protocol:RECV ◀ [ '{"id":1,"result":{}}' ] +0ms
  puppeteer:protocol:RECV ◀ [
[...]
  puppeteer:protocol:RECV ◀   ` + "`{\"method\":\"A.b\",\"params\":{\"t\":\"don't\"}}`" + `
  puppeteer:protocol:RECV ◀ ] +5ms
  puppeteer:protocol:RECV ◀ [ '{"id":2,"result":{"x":"' ... 1234 more characters ] +0ms
`, []string{
			`0s -> {"method":"Runtime.evaluate","params":{"expression":"it's \"a\""},"id":1}`,
			`0s <- {"id":1,"result":{}}`,
			`0s <- {"method":"A.b","params":{"t":"don't"}}`,
		}, []string{
			"line 7: a line of something else: skipped",
			"line 10: a message: not JSON, or cut off: skipped",
		}},
		{"k6, text", importers.FormatK6, `DEBU[0002] connecting  category=Browser:connect elapsed="0 ms" source=browser
DEBU[0002] -> {"id":1,"method":"Browser.getVersion"}  category="cdp:send" elapsed="0 ms" iteration_id=a source=browser
DEBU[0003] <- {"method":"N.r","params":{"headers":{"x":"a
b"}}}  category="cdp:recv" elapsed="3 ms" iteration_id=a source=browser
INFO[0004] hello  source=console
`, []string{
			`2s -> {"id":1,"method":"Browser.getVersion"}`,
			`3s <- {"method":"N.r","params":{"headers":{"x":"a\nb"}}}`,
		}, []string{"line 5: a line of something else: skipped"}},
		{"k6, logfmt and JSON", importers.FormatK6, `time="2024-05-20T12:00:00Z" level=debug msg="-> {\"id\":1,\"method\":\"A.b\"}" category="cdp:send" elapsed="0 ms" source=browser
{"category":"cdp:recv","elapsed":"1 ms","level":"debug","msg":"\u003c- {\"id\":1,\"result\":{\"e\":\"\ud83d\ude00\"}}","source":"browser","time":"2024-05-20T12:00:01Z"}
`, []string{
			`0s -> {"id":1,"method":"A.b"}`,
			`0s <- {"id":1,"result":{"e":"😀"}}`,
		}, []string{}},
		{"chrome-php", importers.FormatChromePHP, `[2023-01-05 09:44:34] DEBUG socket(1): → sending data:{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}
[2023-01-05 09:44:35] DEBUG socket(1): ← receiving data:{"id":1,"result":{}}
[2023-01-05 09:44:35] DEBUG connection: ⇶ dispatching method:Target.attachedToTarget
[2023-01-05 09:44:35] DEBUG socket(1): ← receiving data:{"method":"Target.receivedMessageFromTarget","params":{"sessionId":"S","message":"{\"method\":\"A.b\",\"params\":{}}"}}
Array
`, []string{
			`0s -> {"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`,
			`1s <- {"id":1,"result":{}}`,
			`1s <- {"method":"A.b","params":{},"sessionId":"S"}`,
		}, []string{"line 5: a line of something else: skipped"}},
		{"pyppeteer", importers.FormatPyppeteer, `DEBUG:pyppeteer.connection.Connection:SEND: {"id": 1, "method": "Target.sendMessageToTarget", "params": {"sessionId": "S", "message": "{\"id\": 1, \"method\": \"Page.enable\", \"params\": {}}"}}
DEBUG:pyppeteer.connection.CDPSession:SEND: {"id": 1, "method": "Page.enable", "params": {}}
DEBUG:pyppeteer.connection.Connection:RECV: {"id":1,"result":{}}
`, []string{`0s -> {"id":1073741825,"method":"Page.enable","params":{},"sessionId":"S"}`}, []string{}},
		{"cdp4j", importers.FormatCDP4J, `2020-05-20 12:34:56,100 DEBUG request:46 - {"id":1,"method":"A.b"}
2020-05-20 12:34:56,250 DEBUG response:46 - {"id":1,"result":{}}
`, []string{`0s -> {"id":1,"method":"A.b"}`, `0.15s <- {"id":1,"result":{}}`}, []string{}},
		{"Selenium", importers.FormatSelenium, `23:01:25.906 TRACE DevToolsSession: CDP SND >> {"id":1,"method":"A.b"}
23:01:25.906 TRACE DevToolsSession: CDP RCV << {"method":"N.d","params":{"timestamp":10}}
23:01:25.906 TRACE DevToolsSession: CDP RCV << {"method":"N.d","params":{"timestamp":10.5},"sessionId":"S"}
`, []string{
			`0s -> {"id":1,"method":"A.b"}`,
			`0s <- {"method":"N.d","params":{"timestamp":10}}`,
			`0.5s <- {"method":"N.d","params":{"timestamp":10.5},"sessionId":"S"}`,
		}, []string{}},
		{"rod", importers.FormatRod, `[rod] 2020/11/11 11:11:11 => #1 @00000000 Target.attachToTarget {"targetId":"T","flatten":true}
[rod] 2020/11/11 11:11:12 <- @00000000 Target.attachedToTarget {"sessionId":"1A2B3C4D5E6F","targetInfo":{"targetId":"T","type":"page"}}
[rod] 2020/11/11 11:11:12 <= #1 {"sessionId":"1A2B3C4D5E6F"}
[rod] 2020/11/11 11:11:13 => #2 @1A2B3C4D Page.enable {}
[rod] 2020/11/11 11:11:13 <= #2 error: {"code":-32601,"message":"no"}
[rod] 2020/11/11 11:11:13 <- @1A2B3C4D Page.frameNavigated {"frame":{"id":"F
[rod] open /tmp
`, []string{
			`0s -> {"id":1,"method":"Target.attachToTarget","params":{"targetId":"T","flatten":true}}`,
			`1s <- {"method":"Target.attachedToTarget","params":{"sessionId":"1A2B3C4D5E6F","targetInfo":{"targetId":"T","type":"page"}}}`,
			`1s <- {"id":1,"result":{"sessionId":"1A2B3C4D5E6F"}}`,
			`2s -> {"id":2,"method":"Page.enable","params":{},"sessionId":"1A2B3C4D5E6F"}`,
			`2s <- {"id":2,"error":{"code":-32601,"message":"no"}}`,
		}, []string{"line 6: not JSON, or cut off: skipped", "line 7: a line of something else: skipped"}},
		{"chromedp", importers.FormatChromedp, `2024/05/20 12:34:56.250 -> {"id":1,"sessionId":"S","method":"Page.enable","params":{}}
2024/05/20 12:34:56.500 <- {"id":1,"result":{},"sessionId":"S"}
received ping frame
`, []string{
			`0s -> {"id":1,"sessionId":"S","method":"Page.enable","params":{}}`,
			`0.25s <- {"id":1,"result":{},"sessionId":"S"}`,
		}, []string{"line 3: a line of something else: skipped"}},
	}
}

type form struct {
	name     string
	format   importers.Format
	text     string
	lines    []string
	warnings []string
}

func TestForms(t *testing.T) {
	seen := map[importers.Format]bool{}
	for _, f := range forms() {
		seen[f.format] = true
		t.Run(f.name, func(t *testing.T) {
			for _, how := range []importers.Format{importers.FormatAuto, f.format} {
				format, lines, warnings := shown(t, f.text, importers.Options{Format: how})
				if format != f.format {
					t.Errorf("taken for %s", format)
				}
				if !slices.Equal(lines, f.lines) {
					t.Errorf("messages:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(f.lines, "\n"))
				}
				if !slices.Equal(warnings, f.warnings) {
					t.Errorf("warnings:\n%s\nwant:\n%s", strings.Join(warnings, "\n"), strings.Join(f.warnings, "\n"))
				}
			}
		})
	}
	for _, f := range importers.Formats() {
		if !seen[f] {
			t.Errorf("no file of the form %s is read here", f)
		}
	}
}

func TestPacked(t *testing.T) {
	text := forms()[1].text
	want := forms()[1].lines
	var zipped, packed bytes.Buffer
	g := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(g, text)
	_ = g.Close()
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	wide := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text + "😀")) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, raw := range map[string]string{
		"gzip": zipped.String(), "zstd": packed.String(), "UTF-16": string(wide), "with a byte order mark": "\uFEFF" + text,
		"with CRLF": strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		_, lines, _ := shown(t, raw, importers.Options{})
		if !slices.Equal(lines, want) {
			t.Errorf("%s: %s", name, strings.Join(lines, "\n"))
		}
	}
	// A compressed log that was cut off is read as far as it goes.
	lines := forms()[2:3][0]
	g.Reset(&zipped)
	zipped.Reset()
	_, _ = io.WriteString(g, strings.Repeat(lines.text, 1))
	_ = g.Flush()
	_, got, _ := shown(t, zipped.String(), importers.Options{})
	if !slices.Equal(got, lines.lines) {
		t.Errorf("cut gzip: %q", got)
	}
}

func TestStart(t *testing.T) {
	for name, want := range map[string]float64{
		"trace": 1650000000, "Lighthouse": 1650000000.5, "browser-trace": 0, "Playwright, to a file": 1716208496, "chromedriver, lines": 1650000000,
	} {
		i := slices.IndexFunc(forms(), func(f form) bool { return f.name == name })
		trace, err := importers.Read(strings.NewReader(forms()[i].text), importers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(trace.Header().Start); got != want {
			t.Errorf("%s starts at %f, want %f", name, got, want)
		}
		_ = trace.Close()
	}
}

func TestNoForm(t *testing.T) {
	for _, text := range []string{"", "   \n\n", "<html>", "[1,2,3]", `{"a":1}`, "\x00\x01\x02", "[]", strings.Repeat("a line of prose\n", 50_000)} {
		_, err := importers.Read(strings.NewReader(text), importers.Options{})
		if !errors.Is(err, importers.ErrFormat) {
			t.Errorf("%.20q: %v", text, err)
			continue
		}
		if len(strings.TrimSpace(text)) > 0 {
			for _, f := range importers.Formats() {
				if !strings.Contains(err.Error(), string(f)) {
					t.Errorf("%.20q: the error does not name %s: %v", text, f, err)
				}
			}
		}
	}
	if _, err := importers.Read(strings.NewReader("{}"), importers.Options{Format: "wireshark"}); err == nil || !strings.Contains(err.Error(), "playwright") {
		t.Errorf("an unknown name of a form: %v", err)
	}
	if _, err := importers.Open("/does/not/exist", importers.Options{}); err == nil {
		t.Error("a file that is not there is no error")
	}
}

// endless is a devtools log of a given size that is made as it is read.
type endless struct {
	left int
	rest []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.left <= 0 {
			return 0, io.EOF
		}
		e.rest = fmt.Appendf(nil, "{\"method\":\"Network.dataReceived\",\"params\":{\"timestamp\":%d,\"data\":%q}},\n", e.left, strings.Repeat("x", 2000))
		e.left -= len(e.rest)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestMemory: a large log takes no more memory than a small one.
func TestMemory(t *testing.T) {
	trace, err := importers.Read(io.MultiReader(strings.NewReader("[\n"), &endless{left: 15 << 20}, strings.NewReader("{}]")), importers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	most, n := uint64(0), 0
	for ; ; n++ {
		if _, err := trace.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if n%500 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
		}
	}
	if n < 7_000 || most > 50<<20 {
		t.Errorf("%d messages, %d MB of memory in use", n, most>>20)
	}
}
