package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Pace is how fast a stream is played: so many events, one per write, and then
// nothing until the next tick. The zero Pace is as fast as the client reads, one
// event per write, as a browser writes.
type Pace struct {
	Tick   time.Duration
	Events int // per tick, at least 1
	// Gather makes the events of a tick, or of the whole stream, leave in large
	// pieces. The client is then never the faster one, and a read brings as much
	// as fits.
	Gather bool
}

// Server plays a stream on each connection. It is the browser's end of a
// benchmark, in a process of its own or in the client's.
type Server struct {
	stream *Stream
	pace   Pace
	http   *http.Server
	host   string
	wg     sync.WaitGroup
}

// Serve listens on a loopback port.
func Serve(stream *Stream, pace Pace) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the feed: %w", err)
	}
	s := &Server{stream: stream, pace: pace, host: l.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("/json/version", s.version)
	mux.HandleFunc("/devtools/browser/feed", s.play)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	s.wg.Go(func() { _ = s.http.Serve(gatheringListener{l}) }) // ends with Close
	return s, nil
}

// URL is the browser-level WebSocket endpoint.
func (s *Server) URL() string { return "ws://" + s.host + "/devtools/browser/feed" }

// HTTP is the endpoint for clients that look it up.
func (s *Server) HTTP() string { return "http://" + s.host }

// Close ends the server and its connections.
func (s *Server) Close() error {
	err := s.http.Close()
	s.wg.Wait()
	return err
}

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{
		"Browser": "Feed/1", "Protocol-Version": "1.3", "webSocketDebuggerUrl": s.URL(),
	})
}

func (s *Server) play(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }, WriteBufferSize: 256 << 10}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	conn, _ := ws.NetConn().(*gatheringConn)
	c := &client{Server: s, ws: ws, conn: conn, out: make(chan []byte, 1024), done: make(chan struct{}), roots: s.stream.roots}
	defer func() { _ = ws.Close() }()
	var writing sync.WaitGroup
	writing.Go(c.write)
	c.read()
	close(c.done)
	_ = ws.Close()
	writing.Wait()
}

// client is one connection: replies and the stream go out in one order, by one
// goroutine.
type client struct {
	*Server
	ws       *websocket.Conn
	conn     *gatheringConn
	out      chan []byte
	done     chan struct{}
	attached bool
	roots    map[string]string // root frames of child sessions, shared by all
}

func (c *client) read() {
	for {
		_, msg, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		var h header
		if json.Unmarshal(msg, &h) != nil {
			return
		}
		c.answer(h)
	}
}

// startMark tells the writing goroutine to play.
var startMark = []byte("play") //nolint:gochecknoglobals // a constant that Go has no word for

func (c *client) put(m []byte) {
	select {
	case c.out <- m:
	case <-c.done:
	}
}

func (c *client) write() {
	for {
		select {
		case <-c.done:
			return
		case m := <-c.out:
			if len(m) == len(startMark) && string(m) == string(startMark) {
				if !c.stream1() {
					return
				}
				continue
			}
			if c.ws.WriteMessage(websocket.TextMessage, m) != nil || c.conn.flush() != nil {
				return
			}
		}
	}
}

// stream1 plays the stream once; replies wait behind each message, as in a
// browser's one ordered channel.
func (c *client) stream1() bool {
	if c.pace.Gather && c.conn != nil {
		c.conn.gather()
	}
	var tick *time.Ticker
	if c.pace.Tick > 0 {
		tick = time.NewTicker(c.pace.Tick)
		defer tick.Stop()
	}
	for i, m := range c.stream.Messages {
		if tick != nil && i%max(c.pace.Events, 1) == 0 {
			if c.conn.push() != nil {
				return false
			}
			<-tick.C
		}
		if c.ws.WriteMessage(websocket.TextMessage, m) != nil {
			return false
		}
		for more := true; more; {
			select {
			case reply := <-c.out:
				if c.ws.WriteMessage(websocket.TextMessage, reply) != nil {
					return false
				}
			default:
				more = false
			}
		}
	}
	return c.conn.flush() == nil
}

func (c *client) answer(h header) {
	s := c.stream
	result := "{}"
	switch h.Method {
	case "Browser.getVersion":
		result = `{"protocolVersion":"1.3","product":"Feed/1","revision":"","userAgent":"Feed","jsVersion":"1"}`
	case "Target.getTargets":
		result = fmt.Sprintf(`{"targetInfos":[%s]}`, s.targetInfo)
	case "Target.getTargetInfo":
		result = fmt.Sprintf(`{"targetInfo":%s}`, s.targetInfo)
	case "Target.getBrowserContexts":
		result = `{"browserContextIds":[]}`
	case "Target.createTarget":
		result = fmt.Sprintf(`{"targetId":%q}`, s.Target)
	case "Target.setDiscoverTargets":
		c.put(fmt.Appendf(nil, `{"method":"Target.targetCreated","params":{"targetInfo":%s}}`, s.targetInfo))
	case "Target.setAutoAttach":
		switch {
		case h.SessionID == tabSession, h.SessionID == "" && !excludesPages(h.Params):
			c.attach(h.SessionID)
		case h.SessionID == "":
			c.attachTab()
		}
	case "Target.attachToTarget":
		session := s.Session
		if c.attached {
			session = secondSession
			c.announce(session, string(s.targetInfo), h.SessionID)
		}
		c.attach("")
		result = fmt.Sprintf(`{"sessionId":%q}`, session)
	case "Target.attachToBrowserTarget":
		result = fmt.Sprintf(`{"sessionId":%q}`, browserSession)
	case "Page.getFrameTree":
		if h.SessionID == s.Session {
			result = frameTree(s.Target, "L0", "about:blank")
		} else if frame := c.roots[h.SessionID]; frame != "" {
			result = frameTree(frame, "", "")
		}
	case "Page.addScriptToEvaluateOnNewDocument":
		result = `{"identifier":"1"}`
	case "DOM.getDocument":
		result = `{"root":{"nodeId":1,"backendNodeId":1,"nodeType":9,"nodeName":"#document","localName":"","nodeValue":"","childNodeCount":0,"documentURL":"about:blank","baseURL":"about:blank"}}`
	case "Page.handleJavaScriptDialog":
		c.put(fmt.Appendf(nil, `{"method":"Page.javascriptDialogClosed","params":{"frameId":%q,"result":true,"userInput":""},"sessionId":%q}`, s.Target, h.SessionID))
	case "Runtime.evaluate":
		result = `{"result":{"type":"string","value":"bench-start"}}`
	}
	c.put(c.reply(h, result))
	if h.Method == "Runtime.enable" && h.SessionID == s.Session {
		c.put(fmt.Appendf(nil, `{"method":"Runtime.executionContextCreated","params":{"context":{"id":1,"origin":"://","name":"","uniqueId":"1.1","auxData":{"isDefault":true,"type":"default","frameId":%q}}},"sessionId":%q}`, s.Target, s.Session))
	}
	if h.Method == "Runtime.evaluate" {
		switch expression(h.Params) {
		case StartExpression:
			c.put(startMark)
		case DialogExpression:
			c.put(fmt.Appendf(nil, `{"method":"Page.javascriptDialogOpening","params":{"url":"about:blank","frameId":%q,"message":"?","type":"confirm","hasBrowserHandler":false,"defaultPrompt":""},"sessionId":%q}`, s.Target, h.SessionID))
		}
	}
}

// frameTree is a tree of one frame.
func frameTree(frame, loader, url string) string {
	return fmt.Sprintf(`{"frameTree":{"frame":{"id":%q,"loaderId":%q,"url":%q,"domainAndRegistry":"","securityOrigin":"://","mimeType":"text/html"}}}`, frame, loader, url)
}

func expression(params json.RawMessage) string {
	var p struct{ Expression string }
	_ = json.Unmarshal(params, &p) // then it is none that the feed knows
	return p.Expression
}

func (c *client) reply(h header, result string) []byte {
	if h.SessionID == "" {
		return fmt.Appendf(nil, `{"id":%d,"result":%s}`, h.ID, result)
	}
	return fmt.Appendf(nil, `{"id":%d,"result":%s,"sessionId":%q}`, h.ID, result, h.SessionID)
}

// attach attaches the page, once, on the browser's session or on its tab's.
func (c *client) attach(on string) {
	if c.attached {
		return
	}
	c.attached = true
	c.announce(c.stream.Session, string(c.stream.targetInfo), on)
}

// announce says on a session that another was attached.
func (c *client) announce(session, info, on string) {
	behind := ""
	if on != "" {
		behind = fmt.Sprintf(`,"sessionId":%q`, on)
	}
	c.put(fmt.Appendf(nil, `{"method":"Target.attachedToTarget","params":{"sessionId":%q,"targetInfo":%s,"waitingForDebugger":false}%s}`, session, info, behind))
}

// What some clients attach to besides the page: the tab around it, the browser,
// and the page once more. No event of the stream comes on these sessions.
const (
	tabSession     = "0000000000000000000000000000007A"
	tabTarget      = "0000000000000000000000000000007B"
	browserSession = "0000000000000000000000000000007C"
	secondSession  = "0000000000000000000000000000007D"
)

func (c *client) attachTab() {
	c.announce(tabSession, fmt.Sprintf(`{"targetId":%q,"type":"tab","title":"","url":"about:blank","attached":true,"canAccessOpener":false}`, tabTarget), "")
}

// excludesPages reports whether a filter leaves pages out, as that of a client
// does that attaches to tabs.
func excludesPages(params json.RawMessage) bool {
	var p struct {
		Filter []struct {
			Type    string `json:"type"`
			Exclude bool   `json:"exclude"`
		} `json:"filter"`
	}
	if json.Unmarshal(params, &p) != nil {
		return false
	}
	for _, f := range p.Filter {
		if f.Type == "page" {
			return f.Exclude
		}
	}
	return false
}
