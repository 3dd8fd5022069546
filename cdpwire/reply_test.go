package cdpwire

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// answer sends a command into nowhere and feeds its reply.
func answer(t *testing.T, c *Conn, cmd messages.Command, reply string) *messages.Reply {
	t.Helper()
	id := c.pending.add(pendingCall{ref: messages.Ref{Owner: messages.OwnerAsk, N: 5}, session: "S", cmd: cmd})
	event := feed(c, []byte(strings.ReplaceAll(reply, "ID", fmt.Sprint(id))))
	if event == nil {
		t.Fatalf("no reply to %s, counts %+v", cmd.Method(), c.seen)
	}
	r, ok := event.Body.(*messages.Reply)
	if !ok || r.Ref != (messages.Ref{Owner: messages.OwnerAsk, N: 5}) || r.Method != cmd.Method() {
		t.Fatalf("reply %+v", event.Body)
	}
	return r
}

func TestReplies(t *testing.T) {
	tests := []struct {
		cmd    messages.Command
		result string
		want   messages.ReplyBody
	}{
		{messages.GetVersion{}, `{"protocolVersion":"1.3","product":"Chrome/156","revision":"@1","userAgent":"u\ud800","jsVersion":"15"}`,
			&messages.VersionReply{Product: "Chrome/156", Protocol: "1.3"}},
		{messages.GetTargets{}, `{"targetInfos":[{"targetId":"A","type":"page"},{"type":"nameless"},{"targetId":"B","type":"iframe","parentFrameId":"F"}]}`,
			&messages.TargetsReply{Targets: []messages.TargetInfo{{TargetID: "A", Type: "page"}, {TargetID: "B", Type: "iframe", ParentFrameID: "F"}}}},
		{messages.GetTargetInfo{}, `{"targetInfo":{"targetId":"A","type":"page"}}`, &messages.TargetInfoReply{Info: messages.TargetInfo{TargetID: "A", Type: "page"}}},
		{messages.CreateTarget{}, `{"targetId":"A"}`, &messages.CreatedReply{TargetID: "A"}},
		{messages.AttachToTarget{}, `{"sessionId":"X"}`, &messages.AttachedReply{SessionID: "X"}},
		{messages.GetFrameTree{}, `{"frameTree":{"frame":{"id":"A","url":"u"},"childFrames":[{"frame":{"id":"B","parentId":"A"},"childFrames":[{"frame":{"id":"C"}}]},{"frame":{"id":"D"}},{"frame":{}}]}}`,
			&messages.FrameTreeReply{Root: messages.FrameNode{Frame: messages.FrameInfo{ID: "A", URL: "u"}, Children: []messages.FrameNode{
				{Frame: messages.FrameInfo{ID: "B", ParentID: "A"}, Children: []messages.FrameNode{{Frame: messages.FrameInfo{ID: "C"}}}},
				{Frame: messages.FrameInfo{ID: "D"}}}}}},
		{messages.Navigate{}, `{"frameId":"F","loaderId":"L","isDownload":false}`, &messages.NavigateReply{FrameID: "F", LoaderID: "L"}},
		{messages.Navigate{}, `{"frameId":"F","errorText":"net::ERR_ABORTED","isDownload":true}`,
			&messages.NavigateReply{FrameID: "F", ErrorText: "net::ERR_ABORTED", IsDownload: true}},
		{messages.AddScript{}, `{"identifier":"1"}`, &messages.ScriptReply{Identifier: "1"}},
		{messages.Evaluate{}, `{"result":{"type":"string","value":"a\ud800\n"}}`, &messages.EvaluateReply{Value: "a\ufffd\n"}},
		{messages.Evaluate{}, `{"result":{"type":"number","value":5,"description":"5"}}`, &messages.EvaluateReply{Value: "5"}},
		{messages.Evaluate{}, `{"result":{"type":"undefined"}}`, &messages.EvaluateReply{}},
		{messages.EvaluateOnCallFrame{}, `{"exceptionDetails":{"text":"x"},"result":{"type":"object"}}`, &messages.EvaluateReply{Exception: true}},
		{messages.PageEnable{}, `{}`, nil},
		{messages.SetBypassCSP{}, `{"anything":[1]}`, nil},
	}
	for _, tt := range tests {
		for _, layout := range []string{`{"id":ID,"result":RESULT,"sessionId":"S"}`, `{ "result" : RESULT, "id":ID }`} {
			c := bench()
			r := answer(t, c, tt.cmd, strings.ReplaceAll(layout, "RESULT", tt.result))
			if !reflect.DeepEqual(r.Body, tt.want) || r.Err != nil || r.Result != nil {
				t.Errorf("%s: reply %+v body %+v, want %+v", tt.cmd.Method(), r, r.Body, tt.want)
			}
		}
	}
}

func TestRawRepliesAreCopied(t *testing.T) {
	c := bench()
	msg := []byte(`{"id":1,"result":{"a":[1, 2]},"sessionId":"S"}`)
	c.pending.add(pendingCall{ref: messages.Ref{N: 1}, cmd: messages.Raw{Name: "A.b"}})
	r := feed(c, msg).Body.(*messages.Reply)
	clear(msg)
	if string(r.Result) != `{"a":[1, 2]}` || r.Body != nil || r.Err != nil {
		t.Fatalf("reply %+v with %s", r, r.Result)
	}
}

// Whoever waits behind a command is answered, however odd the answer.
func TestRefusalsAndUnreadableReplies(t *testing.T) {
	tests := []struct {
		reply string
		want  messages.ProtocolError
	}{
		{`{"id":ID,"error":{"code":-32001,"message":"Session with given id not found."}}`,
			messages.ProtocolError{Code: -32001, Message: "Session with given id not found."}},
		{`{"id":ID,"error":{"code":-32602,"message":"Invalid parameters","data":"Failed to\ud800"},"sessionId":"S"}`,
			messages.ProtocolError{Code: -32602, Message: "Invalid parameters", Data: "Failed to\ufffd"}},
		{`{"id":ID,"error":{"data":{"a":1}}}`, messages.ProtocolError{Data: `{"a":1}`}},
		{`{"id":ID,"error":{"code":"odd"}}`, messages.ProtocolError{Code: codeUnreadable}},
		{`{"id":ID,"error":"odd"}`, messages.ProtocolError{Code: codeUnreadable}},
		{`{"id":ID,"result":{"targetId":5}}`, messages.ProtocolError{Code: codeUnreadable}},
		{`{"id":ID,"result":{}}`, messages.ProtocolError{Code: codeUnreadable}},
		{`{"id":ID,"result":{"targetId":"A"]}}`, messages.ProtocolError{Code: codeUnreadable}},
		{`{"id":ID}`, messages.ProtocolError{Code: codeUnreadable}},
	}
	for _, tt := range tests {
		c := bench()
		r := answer(t, c, messages.CreateTarget{}, tt.reply)
		if r.Err == nil || r.Err.Code != tt.want.Code || tt.want.Code != codeUnreadable && *r.Err != tt.want || r.Body != nil {
			t.Errorf("%s: reply %+v, %v", tt.reply, r, r.Err)
		}
	}
}

func TestFrameTreesAreCapped(t *testing.T) {
	deep := strings.Repeat(`{"frame":{"id":"A"},"childFrames":[`, 400) + `{"frame":{"id":"A"}}` + strings.Repeat(`]}`, 400)
	r := answer(t, bench(), messages.GetFrameTree{}, `{"id":ID,"result":{"frameTree":`+deep+`}}`)
	depth := 0
	for nodes := []messages.FrameNode{r.Body.(*messages.FrameTreeReply).Root}; len(nodes) > 0; nodes = nodes[0].Children {
		depth++
	}
	if depth != messages.MaxFrameDepth {
		t.Errorf("depth %d", depth)
	}
	wide := `{"frame":{"id":"A"},"childFrames":[` + strings.Repeat(`{"frame":{"id":"B"}},`, messages.MaxFrames+10) + `{"frame":{"id":"C"}}]}`
	r = answer(t, bench(), messages.GetFrameTree{}, `{"id":ID,"result":{"frameTree":`+wide+`}}`)
	if n := len(r.Body.(*messages.FrameTreeReply).Root.Children); n != messages.MaxFrames-1 {
		t.Errorf("%d children", n)
	}
}

func TestRepliesAreMatchedByIDAlone(t *testing.T) {
	c := bench()
	ref := messages.Ref{N: 1}
	first := c.pending.add(pendingCall{ref: ref, session: "A", cmd: messages.PageEnable{}})
	gone := c.pending.add(pendingCall{ref: ref, session: "gone", cmd: messages.PageEnable{}})
	silent := c.pending.add(pendingCall{session: "A", cmd: messages.PageEnable{}})
	c.pending.forget("gone")
	reply := func(id int64) *messages.Event { return feed(c, fmt.Appendf(nil, `{"id":%d,"result":{}}`, id)) }

	if reply(first) == nil {
		t.Error("the reply came without its session and was not matched")
	}
	if reply(first) != nil || c.seen.Duplicates != 1 {
		t.Errorf("a second reply: counts %+v", c.seen)
	}
	if reply(gone) != nil || c.seen.Orphans != 1 {
		t.Errorf("a reply to a forgotten call: counts %+v", c.seen)
	}
	if reply(silent) != nil || c.seen.Orphans != 1 || c.seen.Duplicates != 1 {
		t.Errorf("a reply that nobody waits for: counts %+v", c.seen)
	}
	if reply(99) != nil || reply(-1) != nil || c.seen.Orphans != 3 {
		t.Errorf("replies to nothing: counts %+v", c.seen)
	}
	if feed(c, []byte(`{"error":{"code":-32700,"message":"x"}}`)) != nil || c.seen.Orphans != 4 {
		t.Errorf("a refusal without an id: counts %+v", c.seen)
	}
}

func TestIDsWrapBelow31BitsAndLeaveOutWhatIsPending(t *testing.T) {
	var p pendingCalls
	one := p.add(pendingCall{cmd: messages.PageEnable{}})
	p.last = messages.MaxCommandID - 2
	if id := p.add(pendingCall{}); id != messages.MaxCommandID-1 {
		t.Fatalf("id %d", id)
	}
	if id := p.add(pendingCall{}); id != 2 {
		t.Fatalf("after the wrap comes id %d; %d is pending", id, one)
	}
	if _, lot := p.settle(messages.MaxCommandID - 1); lot != replyMatched {
		t.Fatalf("lot %d", lot)
	}
	if _, lot := p.settle(messages.MaxCommandID - 1); lot != replyDuplicate {
		t.Fatalf("after the wrap an old id is %d", lot)
	}
}

// A late reply to a forgotten call is told from a second reply, once, and for as
// long as its id is one of the last.
func TestForgottenCallsAreRememberedForAWhile(t *testing.T) {
	var p pendingCalls
	var first, last int64
	for i := range 5 * maxForgotten {
		last = p.add(pendingCall{session: "S", cmd: messages.PageEnable{}})
		if i == 0 {
			first = last
		}
		p.forget("S")
	}
	if p.calls.Len() > 0 {
		t.Fatalf("%d pending", p.calls.Len())
	}
	for _, tt := range []struct {
		id   int64
		want lot
	}{
		{last, replyOrphan}, {last, replyDuplicate}, {last - maxForgotten + 1, replyOrphan},
		{last - maxForgotten, replyDuplicate}, {first, replyDuplicate}, {last + 1, replyOrphan}, {0, replyOrphan}, {-last, replyOrphan},
	} {
		if _, got := p.settle(tt.id); got != tt.want {
			t.Errorf("a reply to %d of %d is %d, want %d", tt.id, last, got, tt.want)
		}
	}
	// The place of a forgotten id goes to one that is answered twice. The first
	// of these has that of an id whose late reply has come.
	p.add(pendingCall{})
	id := p.add(pendingCall{})
	p.settle(id)
	if _, got := p.settle(id); got != replyDuplicate {
		t.Errorf("a second reply is %d", got)
	}
}
