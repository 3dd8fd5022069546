package tools

import (
	"context"
	"encoding/json"
	"strings"

	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
)

// reach is how far a raw command sees beyond the document it is sent to.
type reach uint8

const (
	reachDocument reach = iota // not at all
	reachSession               // every frame of the page that shares the renderer
	reachPage                  // every frame of the page
)

// reachOf says how far a command sees. What is not known to stay in its
// document sees all that its session holds.
func reachOf(method string, keys map[string]json.RawMessage) reach {
	switch method {
	case "Page.printToPDF":
		return reachPage
	case "Network.getCookies":
		if given(keys["urls"]) {
			return reachDocument
		}
		return reachPage
	}
	class := messages.Class(method)
	if class.Root || class.Free || class.Refused != "" || class.Rewrite != messages.RewriteNone || staysInDocument(method, keys) {
		return reachDocument
	}
	return reachSession
}

// staysInDocument lists the commands that tell nothing of other documents.
// Handles, such as nodes, objects, contexts and requests, may be of any.
func staysInDocument(method string, keys map[string]json.RawMessage) bool {
	domain, name, _ := strings.Cut(method, ".")
	switch domain {
	case "Emulation", "Input", "IO", "Log", "Performance", "Security", "Inspector":
		return true
	case "Network":
		return !given(keys["requestId"])
	case "Runtime":
		switch name {
		case "evaluate":
			return !given(keys["contextId"]) && !given(keys["uniqueContextId"])
		case "callFunctionOn":
			return !given(keys["objectId"]) && !given(keys["executionContextId"]) && !given(keys["uniqueContextId"]) && !given(keys["arguments"])
		case "enable", "releaseObject", "releaseObjectGroup", "getIsolateId", "getHeapUsage":
			return true
		}
	case "DOM": // where an element is, not what it says
		switch name {
		case "getBoxModel", "getContentQuads", "getFrameOwner", "getNodeForLocation", "scrollIntoViewIfNeeded":
			return true
		}
	case "Page":
		switch name {
		case "captureScreenshot", "enable", "getAppManifest", "getFrameTree", "getLayoutMetrics", "setBypassCSP",
			"setInterceptFileChooserDialog", "setLifecycleEventsEnabled", "setWebLifecycleState":
			return true
		}
	}
	return false
}

// guardReach asks the guard for the documents that a raw command would reach.
// The registry asks for the one that it is sent to, too, and holds on to it;
// what is embedded in that one is as it is at this moment.
func (b *Toolbox) guardReach(ctx context.Context, t task, req messages.CallRequest) error {
	class := messages.Class(req.Method)
	if b.options.Guard == nil || class.Root || class.Refused != "" || class.Rewrite == messages.RewriteClose {
		return nil
	}
	if class.Rewrite == messages.RewriteAnswer {
		if d, ok := dialogOfPage(t.Snapshot(), string(req.FrameID)+string(req.TargetID)); ok && acceptsRaw(req.Method, req.Params) {
			return b.guardURL(d.URL)
		}
		return nil
	}
	if class.Cancels { // what leads away needs no leave of where it is
		return b.guardHistory(ctx, t, req)
	}
	keys, err := rawKeys(req.Method, req.Params)
	if err != nil {
		return err
	}
	page := pageOf(ctx, t, req)
	for _, f := range page {
		if f.FrameID == req.FrameID || req.FrameID == "" && f.ParentFrameID == "" {
			if err := b.guardURL(f.URL); err != nil {
				return err
			}
		}
	}
	switch reachOf(req.Method, keys) {
	case reachSession:
		session, err := sessionOf(ctx, t, req)
		if err != nil {
			return err
		}
		return b.guardSession(req, keys, session)
	case reachPage:
		if len(page) == 0 {
			return messages.Fail(messages.CodeDenied, "the host's guard cannot be asked: the frames that %s reaches are not known; call it by target_id, or try again in a moment", req.Method)
		}
		return b.guardFrames(req.Method, page)
	case reachDocument:
	}
	return nil
}

// pageOf lists the frames of the page that a command is sent to, or none when
// they are not known.
func pageOf(ctx context.Context, t task, req messages.CallRequest) []messages.FrameEntry {
	tree, err := t.Frames(ctx, req.TargetID)
	if err != nil || tree == nil {
		return nil
	}
	frames := append([]messages.FrameEntry{tree.Top}, tree.Children...)
	for _, f := range frames {
		if req.FrameID == "" || f.FrameID == req.FrameID {
			return frames
		}
	}
	return nil
}

// rawTree is the frame tree of one session, as its renderer has it.
type rawTree struct {
	Frame struct {
		ID     messages.FrameID `json:"id"`
		URL    string           `json:"url"`
		Origin string           `json:"securityOrigin"`
	} `json:"frame"`
	Children []rawTree `json:"childFrames"`
}

func (t rawTree) list() []messages.FrameEntry {
	out := []messages.FrameEntry{{FrameID: t.Frame.ID, URL: t.Frame.URL, Origin: t.Frame.Origin}}
	for _, child := range t.Children {
		out = append(out, child.list()...)
	}
	return out
}

// sessionOf lists the frames that the session of a command holds, its root
// first. It asks the session itself, which also knows those of popups.
func sessionOf(ctx context.Context, t task, req messages.CallRequest) ([]messages.FrameEntry, error) {
	reply, err := t.Call(ctx, messages.CallRequest{
		Method: "Page.getFrameTree", FrameID: req.FrameID, TargetID: req.TargetID, Timeout: req.Timeout, MaxBytes: maxResultBytes,
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Tree rawTree `json:"frameTree"`
	}
	if json.Unmarshal(reply.Result, &answer) != nil || answer.Tree.Frame.ID == "" {
		return nil, messages.Fail(messages.CodeDenied, "the host's guard cannot be asked: the browser does not say which frames %s reaches; try again in a moment", req.Method)
	}
	return answer.Tree.list(), nil
}

// guardSession asks for the one frame that a command names, else for all of
// the session.
func (b *Toolbox) guardSession(req messages.CallRequest, keys map[string]json.RawMessage, session []messages.FrameEntry) error {
	if !given(keys["frameId"]) {
		return b.guardFrames(req.Method, session)
	}
	var id messages.FrameID
	if json.Unmarshal(keys["frameId"], &id) != nil {
		return invalid("params.frameId of %s must be a string", req.Method)
	}
	for i, f := range session {
		if f.FrameID == id {
			return b.guardFrames(req.Method, session[i:i+1])
		}
	}
	return messages.Fail(messages.CodeUnknownFrame, "frame %s is not in the session that %s goes to; name it in frame_id, too", clip(string(id)), req.Method)
}

func (b *Toolbox) guardFrames(method string, frames []messages.FrameEntry) error {
	for _, f := range frames {
		url := contentURL(f)
		if url == "" && f.OOPIF != nil && *f.OOPIF {
			return messages.Fail(messages.CodeDenied, "the host's guard cannot be asked: what frame %s shows is not known yet; try again in a moment", f.FrameID)
		}
		if url == "" {
			continue
		}
		if err := b.guardURL(url); err != nil {
			return messages.Fail(messages.CodeDenied,
				"%s would also reach frame %s (%s): %s; take the frame out of the page, or use what stays in one document: %s",
				method, f.FrameID, pageurl.Place(url), failureOf(err).Message, staying(method))
		}
	}
	return nil
}

// staying names what does much the same without the other documents.
func staying(method string) string {
	switch method {
	case "Network.getCookies":
		return "urls of Network.getCookies"
	case "Page.printToPDF":
		return "Page.captureScreenshot"
	default:
		return "browser_snapshot, or Runtime.evaluate without a context"
	}
}

// contentURL says whose words a frame shows: an embedded about:, data: or
// blob: document has them from its origin, or with none from whoever embeds it,
// which is asked about anyway. An error page is the browser's own.
func contentURL(f messages.FrameEntry) string {
	scheme, _, _ := pageurl.CutScheme(f.URL)
	switch scheme {
	case "chrome-error":
		return ""
	case "about", "data", "blob":
		if origin, _, ok := pageurl.CutScheme(f.Origin); ok && pageurl.HasHost(origin) {
			return f.Origin + "/"
		}
		return ""
	default:
		return f.URL
	}
}

// guardHistory asks for the entry that Page.navigateToHistoryEntry would open.
func (b *Toolbox) guardHistory(ctx context.Context, t task, req messages.CallRequest) error {
	if req.Method != "Page.navigateToHistoryEntry" {
		return nil
	}
	reply, err := t.Call(ctx, messages.CallRequest{
		Method: "Page.getNavigationHistory", FrameID: req.FrameID, TargetID: req.TargetID, Timeout: req.Timeout, MaxBytes: maxResultBytes,
	})
	if err != nil {
		return err
	}
	var history struct {
		Entries []struct {
			ID  int64  `json:"id"`
			URL string `json:"url"`
		} `json:"entries"`
	}
	var entry int64
	keys, err := rawKeys(req.Method, req.Params)
	if err != nil {
		return err
	}
	if json.Unmarshal(keys["entryId"], &entry) != nil || json.Unmarshal(reply.Result, &history) != nil {
		return invalid("params.entryId of %s must be a number of Page.getNavigationHistory", req.Method)
	}
	for _, e := range history.Entries {
		if e.ID == entry {
			return b.guardURL(e.URL)
		}
	}
	return nil // the browser has no such entry
}
