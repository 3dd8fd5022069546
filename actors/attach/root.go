package attach

import (
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// RootPhase is where the set-up of a connection stands.
type RootPhase uint8

// The phases.
const (
	// RootNew: the socket is not open yet.
	RootNew RootPhase = iota
	// RootGreeting: Browser.getVersion is on its way.
	RootGreeting
	// RootClaiming: the right to choose a page is asked for.
	RootClaiming
	// RootListing: the targets are asked for.
	RootListing
	// RootCreating: a tab of our own is being made.
	RootCreating
	// RootAttaching: the chosen page is being attached.
	RootAttaching
	// RootDone: the page has a session.
	RootDone
	// RootFailed: no page could be had.
	RootFailed
)

// Want says which page a task asks for.
type Want struct {
	TargetID messages.TargetID // this one, or none
	Own      bool              // a background tab of our own
	Owned    messages.TargetID // the tab that this task made before, if any
	Prefer   messages.TargetID // the page of the last connection, if any
	// Again: the task had a page before. It never slides to another one by
	// itself; Known are the pages of the last connection, of which one that is
	// still there tells that the browser is the same.
	Again bool
	Known []messages.TargetID
}

// Root is the set-up machine of one connection. The zero value is ready.
type Root struct {
	phase    RootPhase
	want     Want
	taken    []messages.TargetID // pages of other tasks
	pageOnly bool
	page     messages.TargetID
	made     bool
	attached bool
	explicit bool
	auto     bool // auto-attach was asked for
	gen      uint64
}

// Phase returns where the set-up stands.
func (r *Root) Phase() RootPhase { return r.phase }

// AutoAttach reports whether the browser was asked to attach pages by itself.
func (r *Root) AutoAttach() bool { return r.auto }

// Page is the chosen page, or "".
func (r *Root) Page() messages.TargetID { return r.page }

// RootInput is something that happened on the connection.
type RootInput interface{ rootInput() }

type (
	// SocketOpen: the connection stands.
	SocketOpen struct {
		At        time.Time
		PageLevel bool // the root session is a page
		Want      Want
	}
	// RootReplied is the reply to a command of this machine. Body is nil if
	// the result did not have its shape.
	RootReplied struct {
		At     time.Time
		Method string
		Body   messages.ReplyBody
		Err    *messages.ProtocolError
	}
	// Granted: we may choose; Taken are the pages of other tasks.
	Granted struct {
		At    time.Time
		Taken []messages.TargetID
	}
	// PageAttached: the chosen page has a session.
	PageAttached struct{ At time.Time }
	// PageGone: the chosen page was closed before it was attached.
	PageGone struct{ At time.Time }
	// RootTimer fired with its generation.
	RootTimer struct {
		At  time.Time
		Gen uint64
	}
)

func (SocketOpen) rootInput()   {}
func (RootReplied) rootInput()  {}
func (Granted) rootInput()      {}
func (PageAttached) rootInput() {}
func (PageGone) rootInput()     {}
func (RootTimer) rootInput()    {}

// RootEffect is something to be done.
type RootEffect interface{ rootEffect() }

type (
	// RootSend sends a command on the root session.
	RootSend struct{ Command messages.Command }
	// RootArm arms a timer that comes back as [RootTimer].
	RootArm struct {
		Gen uint64
		At  time.Time
	}
	// Connected: the browser answered.
	Connected struct{ Product, Protocol string }
	// Claim asks for the right to choose a page.
	Claim struct{}
	// Chosen: this is the task's page; the claim ends.
	Chosen struct {
		Info messages.TargetInfo
		Made bool // we created it
		Root bool // its session is the root session
	}
	// RootLacks says that the browser refused something.
	RootLacks struct{ Capability, Reason string }
	// RootFail ends the attempt; Gone says that the wanted tab does not exist.
	RootFail struct {
		Cause messages.Cause
		Gone  bool
	}
)

func (RootSend) rootEffect()  {}
func (RootArm) rootEffect()   {}
func (Connected) rootEffect() {}
func (Claim) rootEffect()     {}
func (Chosen) rootEffect()    {}
func (RootLacks) rootEffect() {}
func (RootFail) rootEffect()  {}

// greetTimeout is how long the browser may take to say who it is; listTimeout
// how long it may take for the rest: under load the browser process itself
// was seen silent for 20 s.
const (
	greetTimeout = messages.DialTimeout
	listTimeout  = 30 * time.Second
)

// StepRoot applies one input and appends what is to be done to dst.
func StepRoot(r *Root, in RootInput, dst []RootEffect) []RootEffect {
	switch in := in.(type) {
	case SocketOpen:
		if r.phase != RootNew {
			return dst
		}
		r.phase, r.want, r.pageOnly = RootGreeting, in.Want, in.PageLevel
		dst = append(dst, RootSend{messages.GetVersion{}})
		return r.arm(in.At.Add(greetTimeout), dst)
	case RootReplied:
		return r.replied(in, dst)
	case Granted:
		if r.phase != RootClaiming {
			return dst
		}
		return r.list(in, dst)
	case PageAttached:
		if r.phase == RootAttaching {
			r.phase, r.attached = RootDone, true
		}
	case PageGone:
		if r.phase == RootAttaching {
			r.phase = RootFailed // the connection is well, the tab is gone
		}
	case RootTimer:
		if in.Gen == r.gen && r.phase != RootDone && r.phase != RootFailed {
			return r.late(dst)
		}
	}
	return dst
}

func (r *Root) arm(at time.Time, dst []RootEffect) []RootEffect {
	r.gen++
	return append(dst, RootArm{Gen: r.gen, At: at})
}

func (r *Root) late(dst []RootEffect) []RootEffect {
	if r.phase == RootGreeting {
		return r.fail(messages.DisconnectNotCDP, "the endpoint accepts a WebSocket but did not answer Browser.getVersion within "+
			greetTimeout.String()+"; is it the DevTools endpoint of a browser?", false, dst)
	}
	return r.fail(messages.DisconnectTimeout, "the browser did not list or attach its pages within "+listTimeout.String(), false, dst)
}

func (r *Root) fail(kind messages.DisconnectKind, text string, gone bool, dst []RootEffect) []RootEffect {
	r.phase = RootFailed
	return append(dst, RootFail{Cause: messages.Cause{Kind: kind, Text: text}, Gone: gone})
}

func (r *Root) replied(in RootReplied, dst []RootEffect) []RootEffect {
	switch in.Method {
	case messages.GetVersion{}.Method():
		return r.greeted(in, dst)
	case messages.SetDiscoverTargets{}.Method():
		if in.Err != nil {
			return append(dst, RootLacks{"discovery", in.Err.Error()})
		}
	case messages.GetTargetInfo{}.Method():
		return r.ownInfo(in, dst)
	case messages.GetTargets{}.Method():
		return r.listed(in, dst)
	case messages.CreateTarget{}.Method():
		return r.created(in, dst)
	case messages.SetAutoAttach{}.Method():
		return r.autoAttached(in, dst)
	case messages.AttachToTarget{}.Method():
		if in.Err != nil && r.phase == RootAttaching {
			return r.fail(messages.DisconnectSource, "the browser refuses to attach to the page: "+in.Err.Error(), false, dst)
		}
	}
	return dst
}

func (r *Root) greeted(in RootReplied, dst []RootEffect) []RootEffect {
	if r.phase != RootGreeting {
		return dst
	}
	body, ok := in.Body.(*messages.VersionReply)
	switch {
	case in.Err != nil && !r.pageOnly:
		return r.fail(messages.DisconnectNotCDP, "the endpoint refused Browser.getVersion: "+in.Err.Error(), false, dst)
	case ok:
		dst = append(dst, Connected{Product: body.Product, Protocol: body.Protocol})
	case !r.pageOnly:
		return r.fail(messages.DisconnectNotCDP, "the endpoint answered Browser.getVersion with something else; is it the DevTools endpoint of a browser?", false, dst)
	default:
		dst = append(dst, Connected{})
	}
	dst = append(dst, RootSend{messages.SetDiscoverTargets{}})
	if r.pageOnly {
		r.phase = RootListing
		dst = append(dst, RootSend{messages.GetTargetInfo{}})
	} else {
		r.phase = RootClaiming
		dst = append(dst, Claim{})
	}
	return r.arm(in.At.Add(listTimeout), dst)
}

// ownInfo names the page behind a page-level endpoint.
func (r *Root) ownInfo(in RootReplied, dst []RootEffect) []RootEffect {
	if r.phase != RootListing || !r.pageOnly {
		return dst
	}
	info := messages.TargetInfo{Type: messages.TargetPage}
	if body, ok := in.Body.(*messages.TargetInfoReply); ok {
		info = body.Info
	} else if in.Err != nil {
		dst = append(dst, RootLacks{"target_info", in.Err.Error()})
	}
	r.phase, r.page = RootDone, info.TargetID
	return append(dst, Chosen{Info: info, Root: true})
}

func (r *Root) list(in Granted, dst []RootEffect) []RootEffect {
	r.phase = RootListing
	r.taken = slices.Clone(in.Taken)
	dst = append(dst, RootSend{messages.GetTargets{}})
	return r.arm(in.At.Add(listTimeout), dst)
}

func (r *Root) listed(in RootReplied, dst []RootEffect) []RootEffect {
	if r.phase != RootListing || r.pageOnly {
		return dst
	}
	body, ok := in.Body.(*messages.TargetsReply)
	if !ok {
		text := "its reply has no targetInfos"
		if in.Err != nil {
			text = in.Err.Error()
		}
		return r.fail(messages.DisconnectNotCDP, "the browser does not list its targets: "+text, false, dst)
	}
	info, found := r.choose(body.Targets)
	switch {
	case found:
		return r.chosen(info, dst)
	case r.lost(body.Targets):
		// A tab that is opened later is to be attached, and its popups.
		return r.fail(messages.DisconnectInvalid, "the task's tab is gone", true, r.autoAttach(dst))
	case r.want.TargetID != "":
		return r.fail(messages.DisconnectInvalid, "the browser has no free page "+string(r.want.TargetID)+
			": it does not exist or belongs to another task; leave target_id out to take the first free page, or ask for a tab of your own", true, dst)
	}
	r.phase = RootCreating
	return append(dst, RootSend{messages.CreateTarget{URL: "about:blank"}})
}

func (r *Root) created(in RootReplied, dst []RootEffect) []RootEffect {
	if r.phase != RootCreating {
		return dst
	}
	body, ok := in.Body.(*messages.CreatedReply)
	if !ok || body.TargetID == "" {
		text := "its reply has no targetId"
		if in.Err != nil {
			text = in.Err.Error()
		}
		return r.fail(messages.DisconnectSource, "the browser has no page for this task and refuses to open one: "+text, false, dst)
	}
	r.made = true
	return r.chosen(messages.TargetInfo{TargetID: body.TargetID, Type: messages.TargetPage, URL: "about:blank"}, dst)
}

func (r *Root) chosen(info messages.TargetInfo, dst []RootEffect) []RootEffect {
	r.phase, r.page = RootAttaching, info.TargetID
	made := r.made || info.TargetID == r.want.Owned
	return r.autoAttach(append(dst, Chosen{Info: info, Made: made}))
}

func (r *Root) autoAttach(dst []RootEffect) []RootEffect {
	r.auto = true
	return append(dst, RootSend{messages.SetAutoAttach{Pages: true}})
}

// autoAttached: existing pages are attached before this reply. A page that is
// not has to be attached by hand.
func (r *Root) autoAttached(in RootReplied, dst []RootEffect) []RootEffect {
	if in.Err != nil {
		dst = append(dst, RootLacks{"popups", in.Err.Error()})
	}
	if r.phase != RootAttaching || r.explicit {
		return dst
	}
	r.explicit = true
	return append(dst, RootSend{messages.AttachToTarget{TargetID: r.page}})
}
