package frametree_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"cdpsupervisor/messages"
)

// step is one thing that happens to the tree: an event, or a frame tree reply.
type step struct {
	ev   messages.Event
	seed *messages.FrameNode
}

type wireFrame struct {
	ID          string
	ParentID    string
	LoaderID    string
	Name        string
	URL         string
	URLFragment string
	Domain      string `json:"domainAndRegistry"`
	Origin      string `json:"securityOrigin"`
}

func (f wireFrame) info() messages.FrameInfo {
	return messages.FrameInfo{
		ID: messages.FrameID(f.ID), ParentID: messages.FrameID(f.ParentID), LoaderID: messages.LoaderID(f.LoaderID),
		Name: f.Name, URL: f.URL + f.URLFragment, Origin: f.Origin, Domain: f.Domain,
	}
}

type wireTree struct {
	Frame       wireFrame
	ChildFrames []wireTree
}

func (t wireTree) node() messages.FrameNode {
	n := messages.FrameNode{Frame: t.Frame.info()}
	for _, c := range t.ChildFrames {
		n.Children = append(n.Children, c.node())
	}
	return n
}

type wireTarget struct {
	TargetID        messages.TargetID
	Type            messages.TargetType
	Subtype         string
	URL             string
	OpenerID        messages.TargetID
	OpenerFrameID   messages.FrameID
	CanAccessOpener bool
	ParentID        messages.TargetID
	ParentFrameID   messages.FrameID
}

func (w wireTarget) info() messages.TargetInfo {
	return messages.TargetInfo{
		TargetID: w.TargetID, Type: w.Type, Subtype: w.Subtype, URL: w.URL, OpenerID: w.OpenerID,
		OpenerFrameID: w.OpenerFrameID, CanAccessOpener: w.CanAccessOpener, ParentID: w.ParentID, ParentFrameID: w.ParentFrameID,
	}
}

// readTrace reads the frame and target events, and the frame tree replies, of a
// recorded trace.
func readTrace(t testing.TB, name string) []step {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var line struct {
			Dir string
			Msg struct {
				Method    string
				SessionID messages.SessionID `json:"sessionId"`
				Params    json.RawMessage
				Result    *struct{ FrameTree wireTree }
			}
		}
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		st := step{ev: messages.Event{Session: line.Msg.SessionID}}
		switch {
		case line.Dir != "recv":
			continue
		case line.Msg.Result != nil:
			root := line.Msg.Result.FrameTree.node()
			st.seed = &root
		default:
			st.ev.Body = decode(t, line.Msg.Method, line.Msg.Params)
		}
		steps = append(steps, st)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

func decode(t testing.TB, method string, params json.RawMessage) messages.EventBody {
	t.Helper()
	var p struct {
		SessionID          messages.SessionID
		TargetID           messages.TargetID
		TargetInfo         wireTarget
		WaitingForDebugger bool
		FrameID            messages.FrameID
		ParentFrameID      messages.FrameID
		LoaderID           messages.LoaderID
		Reason             string
		URL                string
		Type               string
		NavigationType     string
		Frame              wireFrame
	}
	if err := json.Unmarshal(params, &p); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	switch method {
	case "Target.attachedToTarget":
		return &messages.AttachedToTarget{SessionID: p.SessionID, Info: p.TargetInfo.info(), Waiting: p.WaitingForDebugger}
	case "Target.detachedFromTarget":
		return &messages.DetachedFromTarget{SessionID: p.SessionID, TargetID: p.TargetID}
	case "Target.targetInfoChanged":
		return &messages.TargetInfoChanged{Info: p.TargetInfo.info()}
	case "Target.targetDestroyed":
		return &messages.TargetDestroyed{TargetID: p.TargetID}
	case "Page.frameAttached":
		return &messages.FrameAttached{FrameID: p.FrameID, ParentID: p.ParentFrameID}
	case "Page.frameNavigated":
		return &messages.FrameNavigated{Frame: p.Frame.info(), Type: messages.NavigationType(p.Type)}
	case "Page.frameDetached":
		return &messages.FrameDetached{FrameID: p.FrameID, Reason: messages.DetachReason(p.Reason)}
	case "Page.frameStartedNavigating":
		return &messages.FrameStartedNavigating{FrameID: p.FrameID, LoaderID: p.LoaderID, Type: p.NavigationType}
	case "Page.navigatedWithinDocument":
		return &messages.NavigatedWithinDocument{FrameID: p.FrameID, URL: p.URL}
	case "Page.documentOpened":
		return &messages.DocumentOpened{Frame: p.Frame.info()}
	case "Inspector.targetCrashed":
		return &messages.InspectorCrashed{}
	case "Inspector.targetReloadedAfterCrash":
		return &messages.InspectorReloaded{}
	}
	t.Fatalf("no decoder for %s", method)
	return nil
}
