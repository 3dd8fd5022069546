package sim

import (
	"maps"
	"slices"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

// tried answers what is shown as open although the browser takes no answer to
// it, and returns the snapshot of then. That a dialog has met another, which was
// open before we came, is nothing that the browser tells for certain: the engine
// finds out by the answer, and must then say so. Nothing goes wrong with that
// answer but this.
func (r *run) tried(s *messages.Snapshot) *messages.Snapshot {
	for _, d := range s.PendingDialogs {
		if d.Via != messages.ViaNative || d.State != "" || !r.forgotten(&d) {
			continue
		}
		for _, undo := range r.spoilt {
			undo()
		}
		r.spoilt = nil
		a := r.rig.Ask(task, "try "+string(d.ID), &messages.DialogRequest{Action: messages.ActionDismiss, DialogID: d.ID})
		r.rest()
		f, refused := a.Answer().(*messages.Failure)
		s = r.rig.Snapshot(task)
		shown := slices.ContainsFunc(s.PendingDialogs, func(o messages.Dialog) bool {
			return o.ID == d.ID && o.State == messages.StateUnanswerable
		})
		if !refused || f.Code != messages.CodeUnanswerable || !shown {
			r.fail("dialogs: the browser has forgotten %s, and after an answer the engine does not say so", d.ID)
		}
	}
	return s
}

// forgotten: the page shows this dialog, and nobody can answer it.
func (r *run) forgotten(d *messages.Dialog) bool {
	return slices.ContainsFunc(r.rig.Browser.OpenDialogs(), func(o fakebrowser.OpenDialog) bool {
		return o.FrameID == string(d.FrameID) && !o.Answerable && !o.Orphan && !o.Stranded
	})
}

// hidden: behind a dialog that nobody can answer a page may hide what it likes.
func (r *run) hidden(page string) bool {
	return slices.ContainsFunc(r.rig.Browser.OpenDialogs(), func(o fakebrowser.OpenDialog) bool {
		return o.TargetID == page && (o.Orphan || r.unanswerable(&o))
	})
}

// unanswerable: nobody can answer the dialog, or nobody but a debugger that came
// before the engine.
func (r *run) unanswerable(o *fakebrowser.OpenDialog) bool {
	shown := false
	if s := r.rig.Snapshot(task); s != nil {
		shown = slices.ContainsFunc(s.PendingDialogs, func(d messages.Dialog) bool { return string(d.TargetID) == o.TargetID })
	}
	return !o.Answerable || r.watched && !shown
}

// silent are the renderers that stand still for such a dialog: frames of other
// pages in them answer nothing, either.
func (r *run) silent() map[int]bool {
	all := map[int]bool{}
	for _, o := range r.rig.Browser.OpenDialogs() {
		if !o.Orphan && r.unanswerable(&o) {
			all[o.Renderer] = true
		}
	}
	return all
}

// in: the frame is shown in the tree.
func in(tree *messages.FrameTree, id string) bool {
	if tree == nil {
		return false
	}
	is := func(f messages.FrameEntry) bool { return string(f.FrameID) == id }
	return is(tree.Top) || slices.ContainsFunc(tree.Children, is)
}

// published checks that the snapshot shows of the page's frames what the engine
// says of them when it is asked; known are those, described by id.
func (r *run) published(known map[string]string) {
	tree := r.rig.Snapshot(task).FrameTree
	if tree == nil {
		if len(known) > 0 {
			r.fail("frames: none are shown, and these are known:\n%s", difference(known, nil))
		}
		return
	}
	shown := map[string]string{}
	for _, f := range append([]messages.FrameEntry{tree.Top}, tree.Children...) {
		oopif := f.OOPIF != nil && *f.OOPIF && !r.blocked()
		shown[string(f.FrameID)] = describe(string(f.ParentFrameID), f.URL, f.Origin, oopif)
	}
	if tree.Truncated { // then those that are shown are as they are known
		all := known
		known = map[string]string{}
		for id := range shown {
			known[id] = all[id]
		}
	}
	if !maps.Equal(shown, known) {
		r.fail("frames: what is shown is not what is known:\n%s", difference(known, shown))
	}
}

// freed ends what a page shows that nobody supervises, as a person does: by going
// elsewhere, or by closing the tab where the page asks not to be left.
func (r *run) freed(page string) {
	for _, o := range r.rig.Browser.OpenDialogs() {
		switch {
		case o.TargetID != page:
		case o.Type == "beforeunload":
			r.rig.Page.CloseTab(page)
		default:
			r.rig.Page.Navigate(page, out)
		}
	}
}
