package messages

import "strings"

// MethodClass says how the engine treats one raw CDP method. Engine, tools and
// fake browser share it.
type MethodClass struct {
	// Root: the method belongs on the browser's session. It never needs a
	// renderer, so no dialog blocks it.
	Root bool
	// Free: the browser process answers the method, also on the session of a
	// renderer that a dialog blocks.
	Free bool
	// Cancels: the method ends a dialog that is open in its page by itself
	// (a navigation), and waits for the answer to a beforeunload dialog.
	Cancels bool
	// Opens: the method's own effect can open a dialog, and its reply is then
	// withheld until the dialog is over (input events).
	Opens bool
	// Input: the method does what a person does with mouse, keyboard or fingers.
	Input bool
	// Refused: why the engine does not send the method for an agent, or "".
	Refused string
	// Rewrite: what the engine does in the place of the method.
	Rewrite Rewrite
}

// Blocked reports whether a dialog in the renderer keeps the method from being
// answered.
func (c MethodClass) Blocked() bool { return !c.Root && !c.Free && !c.Cancels }

// HeldBy reports whether a call of the method that is in flight when a dialog
// of type t opens in its renderer stays without reply until the dialog is over.
func (c MethodClass) HeldBy(t DialogType) bool {
	return c.Blocked() || c.Opens || c.Cancels && t == DialogBeforeUnload
}

// Rewrite is what the engine does instead of sending a raw method.
type Rewrite uint8

// The rewrites.
const (
	// RewriteNone: the method is sent as it is.
	RewriteNone Rewrite = iota
	// RewriteAnswer: answer the page's dialog.
	RewriteAnswer
	// RewriteClose: dismiss what is open in the page first, then close it.
	RewriteClose
	// RewriteCloseBrowser: dismiss everything first, then close the browser.
	RewriteCloseBrowser
	// RewriteNavigate: end what the bridge holds and go through the
	// supervisor, which knows of beforeunload.
	RewriteNavigate
)

// Why methods are refused.
const (
	refuseFetch     = "the engine owns the Fetch domain of its sessions, and an agent cannot receive requestPaused: requests would hang for ever"
	refuseDisable   = "it would blind the supervisor to dialogs and frames on this page"
	refuseDebugger  = "a paused debugger freezes the page, and an agent cannot receive Debugger.paused"
	refuseDebugging = "the engine owns the Debugger domain of its sessions: the dialog bridge may ask through it"
	refuseAttach    = "the engine attaches to targets itself; new targets would wait for a debugger that never resumes them"
	refuseDetach    = "it would close a session that the engine lives on; an open dialog would be orphaned"
	refuseContext   = "with a dialog open in it, closing a context kills the browser; close its targets with Target.closeTarget first"
	refuseCrash     = "it kills the browser process on purpose"
	refuseSession   = "messages to other sessions go through frame_id or target_id"
)

// Class returns the class of a raw method. A method that nobody has heard of
// is an ordinary one: blocked by a dialog, sent as it is.
func Class(method string) MethodClass {
	domain, name, _ := strings.Cut(method, ".")
	switch domain {
	case "Browser", "SystemInfo", "Tethering", "Extensions", "PWA":
		return rootClass(method)
	case "Storage":
		return MethodClass{Root: true}
	case "Target":
		return targetClass(name)
	case "Fetch":
		return MethodClass{Free: true, Refused: refuseFetch}
	case "Debugger":
		// The dialog bridge may ask through it, which all that stops, resumes or
		// skips would take from it. Nothing is lost: without an enable nothing stops.
		switch name {
		case "enable", "pause":
			return MethodClass{Refused: refuseDebugger}
		case "getScriptSource", "getStackTrace", "getPossibleBreakpoints", "searchInContent":
		default:
			return MethodClass{Refused: refuseDebugging}
		}
	case "Page":
		return pageClass(name)
	case "Runtime":
		switch name {
		case "disable":
			return MethodClass{Refused: refuseDisable}
		case "runIfWaitingForDebugger":
			return MethodClass{Free: true}
		}
	case "Network":
		switch name {
		case "getCookies", "getAllCookies", "setCookie", "setCookies", "deleteCookies",
			"clearBrowserCookies", "clearBrowserCache":
			return MethodClass{Free: true}
		case "enable", "setExtraHTTPHeaders", "setUserAgentOverride":
			return MethodClass{}
		}
	case "Input":
		switch name {
		case "dispatchMouseEvent", "dispatchKeyEvent":
			return MethodClass{Free: true, Opens: true, Input: true}
		}
		return MethodClass{Input: true}
	case "Schema":
		return MethodClass{Free: true}
	}
	return MethodClass{}
}

func rootClass(method string) MethodClass {
	switch method {
	case "Browser.close":
		return MethodClass{Root: true, Rewrite: RewriteCloseBrowser}
	case "Browser.crash", "Browser.crashGpuProcess":
		return MethodClass{Root: true, Refused: refuseCrash}
	}
	return MethodClass{Root: true}
}

func targetClass(name string) MethodClass {
	switch name {
	case "closeTarget":
		return MethodClass{Root: true, Rewrite: RewriteClose}
	case "setAutoAttach", "attachToTarget", "attachToBrowserTarget", "autoAttachRelated", "setRemoteLocations",
		"setDiscoverTargets", "exposeDevToolsProtocol":
		return MethodClass{Root: true, Refused: refuseAttach}
	case "detachFromTarget":
		return MethodClass{Root: true, Refused: refuseDetach}
	case "disposeBrowserContext":
		return MethodClass{Root: true, Refused: refuseContext}
	case "sendMessageToTarget":
		return MethodClass{Root: true, Refused: refuseSession}
	}
	return MethodClass{Root: true}
}

func pageClass(name string) MethodClass {
	switch name {
	case "handleJavaScriptDialog":
		return MethodClass{Free: true, Rewrite: RewriteAnswer}
	case "close":
		return MethodClass{Free: true, Rewrite: RewriteClose}
	case "disable":
		return MethodClass{Refused: refuseDisable}
	case "navigate", "reload", "navigateToHistoryEntry":
		return MethodClass{Cancels: true, Rewrite: RewriteNavigate}
	case "getNavigationHistory", "bringToFront", "stopLoading", "crash":
		return MethodClass{Free: true}
	}
	return MethodClass{}
}

// MaySideEffect reports whether sending the method twice could do something
// twice. Only reads are known not to.
func MaySideEffect(method string) bool {
	_, name, ok := strings.Cut(method, ".")
	if !ok {
		return true
	}
	return !strings.HasPrefix(name, "get") && !strings.HasPrefix(name, "describe") && !strings.HasPrefix(name, "query")
}
