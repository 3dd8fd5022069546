package fakebrowser

import (
	"slices"
	"strconv"
)

// pixel is a PNG of one transparent pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

// pageMethods is the Page domain but for navigation.
func pageMethods() map[string]method {
	return map[string]method{
		"Page.enable":                              {on: onTargets, first: pageEnable, renderer: func(c *command) { c.reply(nil) }},
		"Page.disable":                             {on: onTargets, first: pageDisable, renderer: func(c *command) { c.reply(nil) }},
		"Page.getFrameTree":                        inRenderer(getFrameTree),
		"Page.handleJavaScriptDialog":              ofActivePage(handleDialog),
		"Page.addScriptToEvaluateOnNewDocument":    inRenderer(addScript),
		"Page.removeScriptToEvaluateOnNewDocument": inRenderer(removeScript),
		"Page.createIsolatedWorld":                 inRenderer(createIsolatedWorld),
		"Page.setBypassCSP":                        inRenderer(setBypassCSP),
		"Page.setLifecycleEventsEnabled":           inRenderer(setLifecycle),
		"Page.getLayoutMetrics":                    inRenderer(getLayoutMetrics),
		"Page.captureScreenshot":                   {on: onPage, renderer: captureScreenshot, topOnly: true},
		"Page.printToPDF":                          {on: onPage, renderer: func(c *command) { c.reply(object{"data", ""}) }},
		"Page.bringToFront":                        {on: onPage, browser: func(c *command) { c.reply(nil) }, topOnly: true},
		"Page.stopLoading":                         ofActivePage(stopLoading),
		"Page.close":                               ofActivePage(pageClose),
		"Page.crash":                               {on: onTargets, first: crashPage, renderer: func(*command) {}},
		"Accessibility.getFullAXTree":              inRenderer(getFullAXTree),
		"Accessibility.enable":                     inRenderer(func(c *command) { c.reply(nil) }),
		"DOM.getDocument":                          inRenderer(getDocument),
		"Log.enable":                               inRenderer(func(c *command) { c.s.logOn = true; c.reply(nil) }),
		"Log.disable":                              inRenderer(func(c *command) { c.s.logOn = false; c.reply(nil) }),
	}
}

// pageEnable counts as soon as it arrives; the reply waits for the renderer.
func pageEnable(c *command) bool {
	c.s.pageOn = true
	return true
}

func pageDisable(c *command) bool {
	c.s.pageDisabled()
	return true
}

func getFrameTree(c *command) {
	t := c.s.target
	c.reply(object{"frameTree", t.frame.tree(t)})
}

// localFrame is the frame of the id that the session's target covers; ""
// means its root.
func (s *session) localFrame(id string) *frame {
	if id == "" {
		return s.target.frame
	}
	var found *frame
	s.target.frame.walkLocal(func(f *frame) {
		if f.id == id {
			found = f
		}
	})
	return found
}

func addScript(c *command) {
	var p struct {
		Source string `json:"source"`
		World  string `json:"worldName"`
		Now    bool   `json:"runImmediately"`
	}
	if !c.bind(&p, "source") {
		return
	}
	s := c.s
	s.scriptSeq++
	x := newDocScript{id: strconv.Itoa(s.scriptSeq), source: p.Source, world: p.World}
	s.scripts = append(s.scripts, x)
	if p.Now && s.target.next == nil {
		s.target.frame.walkLocal(func(f *frame) {
			if !f.doc.initial || f.parent == nil {
				f.doc.runInjected(x)
			}
		})
	}
	c.reply(object{"identifier", x.id})
}

func removeScript(c *command) {
	var p struct {
		ID string `json:"identifier"`
	}
	if !c.bind(&p, "identifier") {
		return
	}
	n := len(c.s.scripts)
	c.s.scripts = slices.DeleteFunc(c.s.scripts, func(x newDocScript) bool { return x.id == p.ID })
	if len(c.s.scripts) == n {
		c.fail(codeServer, "Script not found")
		return
	}
	c.reply(nil)
}

func createIsolatedWorld(c *command) {
	var p struct {
		FrameID string `json:"frameId"`
		World   string `json:"worldName"`
	}
	if !c.bind(&p, "frameId") {
		return
	}
	f := c.s.localFrame(p.FrameID)
	if f == nil || c.s.target.next != nil {
		c.fail(codeInvalidParams, "No frame for given id found")
		return
	}
	c.reply(object{"executionContextId", f.doc.worldNamed(p.World).id})
}

func setBypassCSP(c *command) {
	var p struct {
		Enabled bool `json:"enabled"`
	}
	if c.bind(&p, "enabled") {
		c.s.bypassCSP = p.Enabled
		c.reply(nil)
	}
}

func setLifecycle(c *command) {
	var p struct {
		Enabled bool `json:"enabled"`
	}
	if !c.bind(&p, "enabled") {
		return
	}
	if p.Enabled && !c.s.lifecycle {
		c.s.target.frame.walkLocal(func(f *frame) {
			if f.doc.loaded {
				c.s.tellLifecycle(f.doc, "commit", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle")
			}
		})
	}
	c.s.lifecycle = p.Enabled
	c.reply(nil)
}

func getLayoutMetrics(c *command) {
	view := object{"pageX", 0, "pageY", 0, "clientWidth", 780, "clientHeight", 493}
	size := object{"x", 0, "y", 0, "width", 780, "height", 493}
	c.reply(object{"layoutViewport", view, "visualViewport", view, "contentSize", size,
		"cssLayoutViewport", view, "cssVisualViewport", view, "cssContentSize", size})
}

func captureScreenshot(c *command) { c.reply(object{"data", pixel}) }

func stopLoading(c *command) {
	c.s.target.frame.walk(func(f *frame) { f.abortNavigation() })
	c.reply(nil)
}

// pageClose answers at once; beforeunload handlers may still object.
func pageClose(c *command) {
	p := c.s.target.page
	if p.dialog != nil {
		b := c.s.conn.b
		c.reply(nil)
		b.post(func() { p.close(nil) })
		return
	}
	c.reply(nil)
	p.b.post(p.closeAsking)
}

func getDocument(c *command) {
	d := c.s.target.frame.doc
	b := d.b
	c.reply(object{"root", object{"nodeId", 1, "backendNodeId", b.nodeID(d.root), "nodeType", 9, "nodeName", "#document",
		"localName", "", "nodeValue", "", "childNodeCount", len(d.root.kids), "documentURL", d.url}})
}
