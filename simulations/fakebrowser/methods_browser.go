package fakebrowser

import "slices"

// The version that the fake passes itself off as.
const (
	product   = "Chrome/156.0.8078.108"
	userAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36"
	revision  = "@730482a940ce25ae7cf051320d8340e793acf8b9"
	jsVersion = "15.6.75.63"
)

// browserMethods is what the browser process answers on every session.
func browserMethods() map[string]method {
	return map[string]method{
		"Browser.getVersion":         {on: onAll, browser: getVersion},
		"Browser.close":              {on: onAll, browser: closeBrowser},
		"Browser.crash":              {on: onAll, browser: crashBrowser},
		"Browser.getWindowForTarget": {on: onAll, browser: getWindow},
		"Schema.getDomains":          {on: onTargets, browser: getDomains},
		"Storage.getCookies":         {on: onAll, browser: noCookies},
		"SystemInfo.getProcessInfo":  {on: onBrowser, browser: getProcessInfo},
	}
}

func getVersion(c *command) {
	c.reply(object{"protocolVersion", "1.3", "product", product, "revision", revision,
		"userAgent", userAgent, "jsVersion", jsVersion})
}

// closeBrowser answers, and then ends the process in order.
func closeBrowser(c *command) {
	c.reply(nil)
	c.s.conn.b.post(c.s.conn.b.quit)
}

// quit ends the process in order: every page goes as if it was closed, then
// the sockets drop. A subframe's open dialog kills the process on the way.
func (b *Browser) quit() {
	for len(b.pages) > 0 && !b.gone() {
		p := b.pages[len(b.pages)-1]
		p.close(nil)
		b.pages = slices.DeleteFunc(b.pages, func(o *page) bool { return o == p })
	}
	if !b.gone() {
		b.end(ErrClosed)
	}
}

func crashBrowser(c *command) { c.s.conn.b.die("Browser.crash") }

func getWindow(c *command) {
	c.reply(object{"windowId", 1, "bounds", object{"left", 10, "top", 10, "width", 780, "height", 580, "windowState", "normal"}})
}

func getDomains(c *command) {
	domains := []object{}
	for _, d := range []string{"Inspector", "Page", "Runtime", "Target", "Fetch", "Input", "Accessibility", "Log", "Browser"} {
		domains = append(domains, object{"name", d, "version", "1.2"})
	}
	c.reply(object{"domains", domains})
}

func noCookies(c *command) { c.reply(object{"cookies", []object{}}) }

func getProcessInfo(c *command) {
	infos := []object{{"type", "browser", "id", 1, "cpuTime", 0.1}}
	for _, r := range c.s.conn.b.procs {
		infos = append(infos, object{"type", "renderer", "id", r.id, "cpuTime", 0.1})
	}
	c.reply(object{"processInfo", infos})
}

// silentMethods are methods that clients send as they set up and whose effect
// nobody here sees. They take their turn on the renderer like the real ones.
func silentMethods() map[string]method {
	all := map[string]method{}
	for _, name := range []string{
		"Network.enable", "Network.disable", "Network.setExtraHTTPHeaders", "Network.setUserAgentOverride",
		"Network.setCacheDisabled", "DOM.enable", "DOM.disable", "CSS.enable", "Overlay.enable",
		"Performance.enable", "Security.enable", "Inspector.enable", "Profiler.enable", "Preload.enable",
		"Emulation.setTimezoneOverride", "Emulation.setFocusEmulationEnabled", "Emulation.setEmulatedMedia",
		"Page.setInterceptFileChooserDialog", "ServiceWorker.enable", "Audits.enable", "Animation.enable",
	} {
		all[name] = inRenderer(func(c *command) { c.reply(nil) })
	}
	all["Emulation.setDeviceMetricsOverride"] = method{on: onPage, renderer: func(c *command) { c.reply(nil) }, topOnly: true}
	all["Network.getCookies"] = inBrowser(noCookies)
	all["Performance.getMetrics"] = inRenderer(func(c *command) { c.reply(object{"metrics", []object{}}) })
	return all
}
