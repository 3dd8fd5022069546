package fakebrowser

// navigationMethods are the commands that navigate. The browser process takes
// them whatever the renderer is doing.
func navigationMethods() map[string]method {
	return map[string]method{
		"Page.navigate":                   inBrowser(pageNavigate),
		"Page.reload":                     ofActivePage(pageReload),
		"Page.navigateToHistoryEntry":     ofActivePage(toHistoryEntry),
		"Page.getNavigationHistory":       ofActivePage(getHistory),
		"Page.resetNavigationHistory":     {on: onPage, browser: func(c *command) { c.reply(nil) }, topOnly: true},
		"Runtime.runIfWaitingForDebugger": {on: onTargets, browser: runIfWaiting},
	}
}

func pageNavigate(c *command) {
	var p struct {
		URL     string `json:"url"`
		FrameID string `json:"frameId"`
	}
	if !c.bind(&p, "url") {
		return
	}
	f := c.s.target.frame
	if p.FrameID != "" {
		if f = c.s.anyFrame(p.FrameID); f == nil {
			c.fail(codeServer, "No frame with given id found")
			return
		}
	}
	url, ok := normalizeURL(p.URL)
	if !ok {
		c.fail(codeServer, "Cannot navigate to invalid URL")
		return
	}
	c.s.conn.b.navigate(&navigation{frame: f, url: url, kind: "differentDocument", cmd: c})
}

// anyFrame finds a frame of the session's page below its target.
func (s *session) anyFrame(id string) *frame {
	var found *frame
	s.target.frame.walk(func(f *frame) {
		if f.id == id {
			found = f
		}
	})
	return found
}

func pageReload(c *command) {
	f := c.s.target.frame
	d := f.doc
	url := d.url
	if d.unreachable != "" {
		url = d.unreachable
	}
	b := c.s.conn.b
	if f.target.crashed {
		if e := f.page.history.current(); e != nil {
			url = e.url
		}
	}
	b.navigate(&navigation{frame: f, url: url, kind: "reload", cmd: c})
}

func getHistory(c *command) {
	h := &c.s.target.page.history
	entries := []object{}
	for _, e := range h.entries {
		title := e.title
		if e.doc != nil {
			title = e.doc.title
		}
		entries = append(entries, object{"id", e.id, "url", e.url, "userTypedURL", e.url, "title", title, "transitionType", e.transition})
	}
	c.reply(object{"currentIndex", h.at, "entries", entries})
}

func toHistoryEntry(c *command) {
	var p struct {
		ID int `json:"entryId"`
	}
	if !c.bind(&p, "entryId") {
		return
	}
	pg := c.s.target.page
	for _, e := range pg.history.entries {
		if e.id == p.ID {
			c.s.conn.b.goTo(pg, e, nil, c)
			return
		}
	}
	c.fail(codeInvalidParams, "No entry with passed id")
}

// runIfWaiting lets a target go on. The reply is the renderer's: of an iframe
// behind the commit that was held, of a page before its load.
func runIfWaiting(c *command) {
	s := c.s
	c.m.renderer = func(c *command) { c.reply(nil) }
	resume := s.resume
	waited := s.waiting
	s.waiting, s.resume = false, nil
	s.target.resumed()
	if !waited {
		resume, s.target.unresumed = s.target.unresumed, nil
	}
	goOn := func() {
		if resume != nil {
			resume()
		}
	}
	if s.target.kind == "iframe" {
		goOn()
		s.toRenderer(c)
		return
	}
	s.toRenderer(c)
	goOn()
}
