package replay

import (
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/jsonscan"
)

// Bounds of what is the same moment.
const (
	// soon is how much later the recording client may have asked the same.
	soon = time.Second
	// patience is how long the engine is made to wait for an answer to what the
	// recording client asked later: less than the time after which a page is shown
	// as blocked.
	patience = messages.BlockedAfter - time.Second
	// ignored: what was not answered for as long was not going to be.
	ignored = messages.BlockedAfter
)

// serve answers everything that the engine has asked.
func (b *browser) serve() error {
	for {
		raw := b.wire.take()
		if raw == nil {
			return nil
		}
		cmd, err := jsonscan.ReadMessage(raw)
		if err != nil {
			return err // the engine writes JSON
		}
		if err := b.command(&cmd); err != nil {
			return err
		}
	}
}

func (b *browser) command(cmd *jsonscan.Message) error {
	if s := b.sessions[cmd.Session]; cmd.Session != "" && (s == nil || s.fate == fateOver || s.fate == fateLeft) {
		return b.refuse(cmd, "", -32001, "Session with given id not found.")
	}
	switch cmd.Method {
	case messages.HandleDialog{}.Method():
		return b.handleDialog(cmd)
	case messages.DetachFromTarget{}.Method():
		return b.detach(cmd)
	case messages.AttachToTarget{}.Method():
		return b.attach(cmd)
	case messages.GetVersion{}.Method(), messages.SetDiscoverTargets{}.Method(), messages.GetTargets{}.Method(), messages.GetTargetInfo{}.Method():
		return b.atOnce(cmd)
	case messages.SetAutoAttach{}.Method():
		if cmd.Session == "" && b.plan.layout == layoutBrowser {
			return b.atOnce(cmd)
		}
	case messages.CreateTarget{}.Method():
		b.silent++
		return nil // a trace has no tabs to give
	}
	return b.inTime(cmd)
}

// atOnce answers what belongs to the connection rather than to a moment of it.
func (b *browser) atOnce(cmd *jsonscan.Message) error {
	r := b.plan.replies.next(key{cmd.Session, cmd.Method}, func(r *recorded) bool { return b.serves(cmd, r) })
	if r == nil {
		return b.invent(cmd)
	}
	r.used = true
	return b.answer(cmd.ID, cmd.Session, r)
}

// serves reports whether a recorded reply says what the engine has to know.
func (b *browser) serves(cmd *jsonscan.Message, r *recorded) bool {
	if !r.replied {
		return false
	}
	switch cmd.Method {
	case messages.GetTargets{}.Method():
		found := false
		_ = jsonscan.Array(jsonscan.Field(r.result, "targetInfos"), func(info []byte) error {
			found = found || jsonscan.String(jsonscan.Field(info, "targetId")) == b.plan.page.target &&
				jsonscan.String(jsonscan.Field(info, "type")) == string(messages.TargetPage)
			return nil
		})
		return found
	case messages.GetTargetInfo{}.Method():
		return jsonscan.String(jsonscan.Field(r.result, "targetInfo", "targetId")) == b.asked(cmd)
	case messages.GetVersion{}.Method():
		return jsonscan.Field(r.result, "product") != nil
	}
	return true
}

// asked is the target that a command is about; without one it is the page.
func (b *browser) asked(cmd *jsonscan.Message) string {
	if id := jsonscan.String(jsonscan.Field(cmd.Params, "targetId")); id != "" {
		return id
	}
	return b.plan.page.target
}

// inTime answers what the recording client may have asked as well.
func (b *browser) inTime(cmd *jsonscan.Message) error {
	stale := cmd.Method == messages.GetFrameTree{}.Method() // it shows a moment that is over
	r := b.plan.replies.next(key{cmd.Session, cmd.Method}, func(r *recorded) bool { return !stale || !r.passed })
	if r == nil {
		return b.invent(cmd)
	}
	r.used = true
	same := r.sentAt <= b.now+soon
	switch {
	case r.passed, r.replied && !same && r.repliedAt > b.now+patience:
		return b.answer(cmd.ID, cmd.Session, r)
	case r.replied:
		r.waiter = &waiter{id: cmd.ID, session: cmd.Session}
		return nil
	case same && b.plan.end-r.sentAt >= ignored:
		b.silent++
		return nil
	}
	return b.invent(cmd)
}

// invent answers with the least that an answer must hold.
func (b *browser) invent(cmd *jsonscan.Message) error {
	switch cmd.Method {
	case messages.GetVersion{}.Method():
		product := "replay"
		if b.plan.header.Browser != "" {
			product = b.plan.header.Browser
		}
		return b.result(cmd, `{"protocolVersion":"1.3","product":`+string(jsonscan.Quote(product))+`,"revision":"","userAgent":"","jsVersion":""}`)
	case messages.GetTargets{}.Method():
		return b.result(cmd, `{"targetInfos":[`+string(b.plan.page.info)+`]}`)
	case messages.GetTargetInfo{}.Method():
		return b.result(cmd, `{"targetInfo":`+b.info(b.asked(cmd))+`}`)
	case messages.GetFrameTree{}.Method():
		return b.result(cmd, b.frameTree(cmd.Session))
	case messages.AddScript{}.Method():
		return b.result(cmd, `{"identifier":"1"}`)
	case messages.Navigate{}.Method():
		return b.result(cmd, `{"frameId":`+string(jsonscan.Quote(b.rootFrame(cmd.Session)))+`}`)
	}
	return b.result(cmd, "{}")
}

func (b *browser) info(target string) string {
	if target == b.plan.page.target {
		return string(b.plan.page.info)
	}
	for i := range b.plan.attaches {
		if a := &b.plan.attaches[i]; a.target == target {
			return string(a.info)
		}
	}
	return `{"targetId":` + string(jsonscan.Quote(target)) + `,"type":"other","title":"","url":"","attached":true,"canAccessOpener":false}`
}

// rootFrame is the frame at the root of a session: an iframe's is its target's, a
// page's is what the trace shows.
func (b *browser) rootFrame(id string) string {
	s := b.sessions[id]
	if s == nil {
		return b.plan.root(id)
	}
	if s.kind == string(messages.TargetIframe) {
		return s.target
	}
	if main := b.plan.root(id); main != "" {
		return main
	}
	return s.target
}

// frameTree is a tree of one frame. What is below it the trace tells later.
func (b *browser) frameTree(id string) string {
	url := ""
	if s := b.sessions[id]; s != nil {
		url = s.url
	}
	return `{"frameTree":{"frame":{"id":` + string(jsonscan.Quote(b.rootFrame(id))) + `,"loaderId":"","url":` + string(jsonscan.Quote(url)) +
		`,"domainAndRegistry":"","securityOrigin":` + string(jsonscan.Quote(messages.OriginOf(url))) + `,"mimeType":""}}}`
}

// attach answers with the session that the trace has for the target.
func (b *browser) attach(cmd *jsonscan.Message) error {
	target := b.asked(cmd)
	if target == b.plan.page.target && b.plan.layout == layoutBrowser {
		return b.result(cmd, `{"sessionId":`+string(jsonscan.Quote(b.plan.page.session))+`}`)
	}
	for i := range b.plan.attaches {
		if a := &b.plan.attaches[i]; a.target == target {
			return b.result(cmd, `{"sessionId":`+string(jsonscan.Quote(a.session))+`}`)
		}
	}
	return b.refuse(cmd, cmd.Session, -32602, "No target with given id found")
}

// detach lets a session go that the engine does not want.
func (b *browser) detach(cmd *jsonscan.Message) error {
	id := jsonscan.String(jsonscan.Field(cmd.Params, "sessionId"))
	s := b.sessions[id]
	if s == nil || s.fate != fateLive {
		return b.refuse(cmd, cmd.Session, -32602, "No session with given id")
	}
	b.end(s, fateLeft)
	if err := b.detached(cmd.Session, s); err != nil {
		return err
	}
	return b.result(cmd, "{}")
}

// handleDialog closes the open dialog as the engine says.
func (b *browser) handleDialog(cmd *jsonscan.Message) error {
	s := b.sessions[cmd.Session]
	if s == nil || s.dialog == nil || s.dialog.ours {
		return b.refuse(cmd, cmd.Session, -32602, "No dialog is showing")
	}
	s.dialog.ours = true
	accept := "false"
	input := []byte(`""`)
	if string(jsonscan.Field(cmd.Params, "accept")) == "true" {
		accept = "true"
		if text := jsonscan.Field(cmd.Params, "promptText"); text != nil && s.dialog.prompt {
			input = text
		}
	}
	var params []byte
	if len(s.dialog.frame) > 0 {
		params = append(append([]byte(`{"frameId":`), s.dialog.frame...), ',')
	} else {
		params = []byte("{")
	}
	params = append(append(params, `"result":`+accept+`,"userInput":`...), input...)
	event := jsonscan.Message{Method: "Page.javascriptDialogClosed", Params: append(params, '}'), Session: cmd.Session}
	if err := b.pass(&event); err != nil {
		return err
	}
	return b.result(cmd, "{}")
}
