package importers

import (
	"bytes"

	"cdpsupervisor/cdpwire"
)

// way reads SEND and RECV; the arrows beside them do not survive every terminal.
func way(text []byte) cdpwire.Direction {
	send, recv := bytes.Index(text, []byte("SEND")), bytes.Index(text, []byte("RECV"))
	switch {
	case send >= 0 && (recv < 0 || send < recv):
		return cdpwire.Sent
	case recv >= 0:
		return cdpwire.Received
	}
	return 0
}

// afterWord is where the text begins that follows a word, or -1.
func afterWord(line []byte, word string) int {
	at := bytes.Index(line, []byte(word))
	if at < 0 {
		return -1
	}
	return at + len(word)
}

// findPlaywright reads logs of DEBUG=pw:protocol:
//
//	2024-05-20T12:34:56.789Z pw:protocol SEND ► {"id":1,…}
//	  pw:protocol ◀ RECV {"id":1,…} +12ms
func findPlaywright(line []byte) (hit, bool) {
	at := afterWord(line, "pw:protocol")
	if at < 0 {
		if other := bytes.Index(line, []byte("pw:")); other >= 0 && other < 40 {
			return noise() // pw:api, pw:browser, …
		}
		return hit{}, false
	}
	brace := bytes.IndexByte(line[at:], '{')
	if brace < 0 {
		return noise()
	}
	dir := way(line[at : at+brace])
	if dir == 0 {
		return noise()
	}
	return hit{dir: dir, json: at + brace, lane: "pw"}, true
}

// findPuppeteer reads logs of DEBUG=puppeteer:*, of its three generations:
//
//	puppeteer:protocol SEND ► {"method":…} +0ms
//	puppeteer:protocol:SEND ► {"method":…} +12ms
//	puppeteer:protocol:RECV ◀ [
//	puppeteer:protocol:RECV ◀   '{"method":…}'
//	puppeteer:protocol:RECV ◀ ] +0ms
//	puppeteer:protocol:RECV ◀ [ '{"id":2,"result":{}}' ] +0ms
//
// Lines of puppeteer:session say again what a line of puppeteer:protocol said.
// The oldest ones carry messages of sessions inside others.
func findPuppeteer(line []byte) (hit, bool) {
	at := afterWord(line, "puppeteer:protocol")
	if at < 0 {
		if bytes.Contains(line, []byte("puppeteer:")) {
			return noise()
		}
		return hit{}, false
	}
	rest := line[at:]
	begin := bytes.IndexAny(rest, "{'\"`[]")
	if begin < 0 || way(rest[:begin]) == 0 {
		return noise()
	}
	if bytes.HasPrefix(rest[begin:], []byte("[ ")) && len(rest) > begin+2 {
		begin += 2
	}
	h := hit{dir: way(rest[:begin]), json: at + begin}
	h.lane = h.dir.String()
	switch c := rest[begin]; c {
	case '{':
		return h, true
	case '[', ']':
		h.json = -1
		return h, true
	default:
		if !bytes.HasPrefix(rest[begin+1:], []byte("{")) {
			return noise()
		}
		h.quote = c
		if c == '"' {
			// Only a message without a double quote would stand in double
			// quotes, and there is none.
			return noise()
		}
		return h, true
	}
}

// findChromedp reads what chromedp's WithDebugf prints, behind whatever prefix
// the logger has:
//
//	2024/05/20 12:34:56 -> {"id":1,…}
//	2024/05/20 12:34:56 <- {"id":1,…}
func findChromedp(line []byte) (hit, bool) {
	for _, arrow := range []struct {
		text string
		dir  cdpwire.Direction
	}{{"-> {", cdpwire.Sent}, {"<- {", cdpwire.Received}} {
		at := bytes.Index(line, []byte(arrow.text))
		if at < 0 || at > 100 || bytes.IndexByte(line[:at], '{') >= 0 {
			continue
		}
		return hit{dir: arrow.dir, json: at + len(arrow.text) - 1}, true
	}
	return hit{}, false
}

// findK6 reads debug logs of k6's browser, as text, logfmt or JSON:
//
//	DEBU[0003] -> {"id":1,…}  category="cdp:send" elapsed="1 ms" …
//	time="2024-05-20T12:34:56Z" level=debug msg="-> {\"id\":1,…}" category="cdp:send" …
//	{"category":"cdp:send","msg":"-> {\"id\":1,…}","time":"…"}
//
// Text may have the ends of lines inside strings as they are.
func findK6(line []byte) (hit, bool) {
	var dir cdpwire.Direction
	switch {
	case bytes.Contains(line, []byte("cdp:send")):
		dir = cdpwire.Sent
	case bytes.Contains(line, []byte("cdp:recv")):
		dir = cdpwire.Received
	case bytes.Contains(line, []byte("source=browser")), bytes.Contains(line, []byte(`"source":"browser"`)):
		return noise()
	case bytes.HasPrefix(line, []byte("DEBU[")) || bytes.HasPrefix(line, []byte("TRAC[")):
		// The fields stand on a later line if a string has a newline in it.
		if h, ok := findChromedp(line); ok {
			h.newline = `\n`
			return h, true
		}
		return hit{}, false
	default:
		return hit{}, false
	}
	for _, msg := range []string{`msg="`, `"msg":"`} {
		if at := afterWord(line, msg); at >= 0 {
			return hit{dir: dir, json: at - 1, quote: '"', newline: `\n`}, true
		}
	}
	h, ok := findChromedp(line)
	if !ok {
		return noise()
	}
	h.dir, h.newline = dir, `\n`
	return h, true
}

// findCDP4J reads logs of cdp4j:
//
//	2020-05-20 12:34:56 DEBUG request:46 - {"id":1,…}
//	2020-05-20 12:34:56 DEBUG response:46 - {"id":1,…}
func findCDP4J(line []byte) (hit, bool) {
	for _, word := range []struct {
		text string
		dir  cdpwire.Direction
	}{{"request:", cdpwire.Sent}, {"response:", cdpwire.Received}} {
		at := afterWord(line, word.text)
		if at < 0 {
			continue
		}
		end := at
		for end < len(line) && line[end] >= '0' && line[end] <= '9' {
			end++
		}
		if end > at && bytes.HasPrefix(line[end:], []byte(" - {")) {
			return hit{dir: word.dir, json: end + len(" - ")}, true
		}
	}
	return hit{}, false
}

// findChromePHP reads logs of chrome-php:
//
//	[2024-05-20 12:34:56] DEBUG socket(1): → sending data:{"id":1,…}
//	[2024-05-20 12:34:56] DEBUG socket(1): ← receiving data:{"id":1,…}
func findChromePHP(line []byte) (hit, bool) {
	if at := afterWord(line, "sending data:"); at >= 0 && bytes.HasPrefix(line[at:], []byte("{")) {
		return hit{dir: cdpwire.Sent, json: at}, true
	}
	if at := afterWord(line, "receiving data:"); at >= 0 && bytes.HasPrefix(line[at:], []byte("{")) {
		return hit{dir: cdpwire.Received, json: at}, true
	}
	if bytes.Contains(line, []byte("DEBUG socket(")) || bytes.Contains(line, []byte("dispatching")) {
		return noise()
	}
	return hit{}, false
}

// findPyppeteer reads logs of pyppeteer:
//
//	DEBUG:pyppeteer.connection.Connection:SEND: {"id": 1, …}
//	DEBUG:pyppeteer.connection.Connection:RECV: {"id": 1, …}
//
// Lines of CDPSession say again what a line of Connection said.
func findPyppeteer(line []byte) (hit, bool) {
	at := afterWord(line, "pyppeteer.connection")
	if at < 0 {
		if bytes.Contains(line, []byte("pyppeteer")) {
			return noise()
		}
		return hit{}, false
	}
	brace := bytes.IndexByte(line[at:], '{')
	if brace < 0 || bytes.Contains(line[at:at+brace], []byte("CDPSession")) {
		return noise()
	}
	dir := way(line[at : at+brace])
	if dir == 0 {
		return noise()
	}
	return hit{dir: dir, json: at + brace}, true
}

// findSelenium reads what the .NET client of Selenium logs at its level Trace:
//
//	23:01:25.906 TRACE DevToolsSession: CDP SND >> {"id":1,…}
//	23:01:25.906 TRACE DevToolsSession: CDP RCV << {"method":…}
func findSelenium(line []byte) (hit, bool) {
	if at := afterWord(line, "CDP SND >> "); at >= 0 && bytes.HasPrefix(line[at:], []byte("{")) {
		return hit{dir: cdpwire.Sent, json: at}, true
	}
	if at := afterWord(line, "CDP RCV << "); at >= 0 && bytes.HasPrefix(line[at:], []byte("{")) {
		return hit{dir: cdpwire.Received, json: at}, true
	}
	return hit{}, false
}
