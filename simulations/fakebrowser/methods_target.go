package fakebrowser

import "slices"

// targetMethods is the Target domain.
func targetMethods() map[string]method {
	return map[string]method{
		"Target.setDiscoverTargets":    {on: onAll, browser: setDiscoverTargets},
		"Target.setAutoAttach":         {on: onAll, first: setAutoAttach, renderer: func(c *command) { c.reply(nil) }},
		"Target.getTargets":            {on: onAll, browser: getTargets},
		"Target.getTargetInfo":         {on: onAll, browser: getTargetInfo},
		"Target.createTarget":          {on: onAll, browser: createTarget},
		"Target.closeTarget":           {on: onAll, browser: closeTargetByID},
		"Target.activateTarget":        {on: onAll, browser: activateTarget},
		"Target.attachToTarget":        {on: onAll, browser: attachToTarget},
		"Target.detachFromTarget":      {on: onAll, browser: detachFromTarget},
		"Target.createBrowserContext":  {on: onAll, browser: createBrowserContext},
		"Target.getBrowserContexts":    {on: onAll, browser: getBrowserContexts},
		"Target.disposeBrowserContext": {on: onAll, browser: disposeBrowserContext},
	}
}

func setDiscoverTargets(c *command) {
	var p struct {
		Discover bool         `json:"discover"`
		Filter   targetFilter `json:"filter"`
	}
	if !c.bind(&p, "discover") {
		return
	}
	b := c.s.conn.b
	was := c.s.discover
	c.s.discover, c.s.filter = p.Discover, p.Filter
	if p.Discover && !was {
		for _, t := range b.targets {
			if p.Filter.takes(t.kind) {
				c.s.event("Target.targetCreated", object{"targetInfo", t.info()})
			}
		}
	}
	c.reply(nil)
}

type autoAttachParams struct {
	AutoAttach bool         `json:"autoAttach"`
	Wait       bool         `json:"waitForDebuggerOnStart"`
	Flatten    bool         `json:"flatten"`
	Filter     targetFilter `json:"filter"`
}

func (p autoAttachParams) asked() *autoAttach {
	if !p.AutoAttach {
		return nil
	}
	return &autoAttach{wait: p.Wait, filter: p.Filter}
}

// setAutoAttach attaches what exists at once. On a target's session the reply
// is the renderer's, and hangs with it.
func setAutoAttach(c *command) bool {
	var p autoAttachParams
	if !c.bind(&p, "autoAttach", "waitForDebuggerOnStart") {
		return false
	}
	if c.s.target == nil && !p.Flatten {
		c.fail(codeInvalidParams, "Only flatten protocol is supported with browser level auto-attach")
		return false
	}
	c.s.conn.b.setAutoAttach(c.s, p.asked())
	if c.s.target == nil || c.s.target.crashed {
		c.reply(nil)
		return false
	}
	return true
}

func getTargets(c *command) {
	var p struct {
		Filter targetFilter `json:"filter"`
	}
	if !c.bind(&p) {
		return
	}
	infos := []object{}
	for _, t := range c.s.conn.b.targets {
		if p.Filter.takes(t.kind) {
			infos = append(infos, t.info())
		}
	}
	c.reply(object{"targetInfos", infos})
}

type targetIDParams struct {
	TargetID  string `json:"targetId"`
	SessionID string `json:"sessionId"`
}

// noTarget answers a command that names a target which is not there.
func (c *command) noTarget() { c.fail(codeInvalidParams, "No target with given id found") }

func getTargetInfo(c *command) {
	var p targetIDParams
	if !c.bind(&p) {
		return
	}
	b, t := c.s.conn.b, c.s.target
	if p.TargetID != "" {
		if t = b.target(p.TargetID); t == nil {
			c.noTarget()
			return
		}
	}
	if t == nil {
		c.reply(object{"targetInfo", object{"targetId", b.guid, "type", "browser", "title", "", "url", "",
			"attached", true, "canAccessOpener", false}})
		return
	}
	c.reply(object{"targetInfo", t.info()})
}

func createTarget(c *command) {
	var p struct {
		URL        string `json:"url"`
		Background bool   `json:"background"`
		Context    string `json:"browserContextId"`
	}
	if !c.bind(&p, "url") {
		return
	}
	b := c.s.conn.b
	if p.Context != "" && p.Context != b.context && !slices.Contains(b.contexts, p.Context) {
		c.fail(codeInvalidParams, "Failed to find browser context with id %s", p.Context)
		return
	}
	if !b.maySpawn() {
		c.fail(codeServer, "Failed to open a new tab")
		return
	}
	url, ok := normalizeURL(p.URL)
	if !ok {
		url = "about:blank"
	}
	pg := b.newPage(pageSeed{kind: "page", url: url, context: p.Context})
	// Such a page is told to wait for the debugger and does not wait.
	b.attachPage(pg.target, func() {})
	c.reply(object{"targetId", pg.target.id})
	if url == "about:blank" {
		b.startBlank(pg)
		return
	}
	b.navigate(&navigation{frame: pg.main, url: url, kind: "differentDocument", replace: true, first: true})
}

func closeTargetByID(c *command) {
	var p targetIDParams
	if !c.bind(&p, "targetId") {
		return
	}
	t := c.s.conn.b.target(p.TargetID)
	if t == nil || t.kind == "browser_ui" {
		c.noTarget()
		return
	}
	done := func() { c.reply(object{"success", true}) }
	if t.page.dialog != nil {
		t.page.close(done)
		return
	}
	done()
	t.page.close(nil)
}

func activateTarget(c *command) {
	var p targetIDParams
	if !c.bind(&p, "targetId") {
		return
	}
	if c.s.conn.b.target(p.TargetID) == nil {
		c.noTarget()
		return
	}
	c.reply(nil)
}

func attachToTarget(c *command) {
	var p struct {
		TargetID string `json:"targetId"`
		Flatten  bool   `json:"flatten"`
	}
	if !c.bind(&p, "targetId") {
		return
	}
	b := c.s.conn.b
	t := b.target(p.TargetID)
	if t == nil {
		c.noTarget()
		return
	}
	s := b.attach(c.s, t, false, false)
	c.reply(object{"sessionId", s.id})
}

// detachFromTarget finds the session among the children of the one that the
// command came on; the browser's session does not know an iframe's.
func detachFromTarget(c *command) {
	var p targetIDParams
	if !c.bind(&p) {
		return
	}
	if p.SessionID == "" && p.TargetID == "" {
		c.fail(codeInvalidParams, "Session id must be specified")
		return
	}
	for _, child := range c.s.children {
		if child.id == p.SessionID || p.SessionID == "" && child.target.id == p.TargetID {
			child.detach(closeDetach)
			c.reply(nil)
			return
		}
	}
	c.fail(codeInvalidParams, "No session with given id")
}

func createBrowserContext(c *command) {
	b := c.s.conn.b
	id := b.ids.hex32()
	b.contexts = append(b.contexts, id)
	c.reply(object{"browserContextId", id})
}

func getBrowserContexts(c *command) {
	c.reply(object{"browserContextIds", append([]string{}, c.s.conn.b.contexts...)})
}

// disposeBrowserContext closes the context's pages without asking.
func disposeBrowserContext(c *command) {
	var p struct {
		ID string `json:"browserContextId"`
	}
	if !c.bind(&p, "browserContextId") {
		return
	}
	b := c.s.conn.b
	if !slices.Contains(b.contexts, p.ID) {
		c.fail(codeInvalidParams, "Failed to find context with id %s", p.ID)
		return
	}
	b.contexts = slices.DeleteFunc(b.contexts, func(o string) bool { return o == p.ID })
	for _, pg := range slices.Clone(b.pages) {
		if pg.context == p.ID {
			pg.close(nil)
		}
	}
	c.reply(nil)
}
