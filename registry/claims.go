package registry

import (
	"encoding/hex"
	"slices"

	"cdpsupervisor/messages"
)

// claimPage queues a task for the right to choose a page of its endpoint. One
// task at a time chooses, so that two that start together neither adopt the
// same page nor open a tab each.
func (d *directory) claimPage(id messages.TaskID, life uint64, epoch messages.Epoch) {
	e := d.find(id, life)
	if e == nil {
		return
	}
	c := d.claims[e.request.identity]
	if c == nil {
		c = &claim{}
		d.claims[e.request.identity] = c
	}
	w := waitingClaim{id, life, epoch}
	if c.holder != "" && (c.holder != id || c.life != life) {
		if !slices.Contains(c.queue, w) {
			c.queue = append(c.queue, w)
		}
		return
	}
	d.grant(c, w)
}

func (d *directory) grant(c *claim, w waitingClaim) {
	c.holder, c.life = w.task, w.life
	c.gen++
	taken := []messages.TargetID{}
	for page, owner := range d.owners {
		if owner.task != w.task {
			taken = append(taken, page)
		}
	}
	slices.Sort(taken)
	d.do(tellGrant{w.task, w.epoch, taken})
	d.do(arm{messages.RegistryTimer{Task: w.task, Life: w.life, Gen: c.gen, Kind: messages.RegistryTimerClaim}})
}

// pageClaimed ends a claim; a popup is owned without one. Two endpoints can be
// one browser without anybody knowing, such as a name and a number of one host:
// who claims a page that is another's chooses again.
func (d *directory) pageClaimed(m *messages.PageClaimed) {
	e := d.find(m.Task, m.Life)
	if e == nil {
		return
	}
	if !m.Popup && m.Page != "" {
		e.taken = false
	}
	switch owner, owned := d.owners[m.Page]; {
	case m.Page == "", owner.task == m.Task:
	case !owned:
		d.owners[m.Page] = pageOwner{m.Task, m.Browser}
	case !m.Popup && onePage(m.Page, m.Browser, owner.browser):
		e.taken = true
		d.do(tellTaken{m.Task, m.Page})
	}
	if !m.Popup {
		d.unclaim(d.claims[e.request.identity], m.Task, m.Life)
	}
}

// onePage reports whether a page of two endpoints is the same one. Where they do
// not say which browser they lead to, as the address of a single page does not, an
// id that nobody could have guessed tells: Chromium's are 128 bits by chance.
func onePage(page messages.TargetID, a, b string) bool {
	if a != "" && b != "" {
		return a == b
	}
	id, err := hex.DecodeString(string(page))
	return err == nil && len(id) == 16
}

func (d *directory) pageReleased(m *messages.PageReleased) {
	if d.owners[m.Page].task == m.Task {
		delete(d.owners, m.Page)
	}
}

func (d *directory) unclaim(c *claim, id messages.TaskID, life uint64) {
	if c == nil || c.holder != id || c.life != life {
		return
	}
	c.holder = ""
	for len(c.queue) > 0 && c.holder == "" {
		w := c.queue[0]
		c.queue = c.queue[1:]
		if d.find(w.task, w.life) != nil {
			d.grant(c, w)
		}
	}
}

func (d *directory) claimLate(t messages.RegistryTimer) {
	if e := d.find(t.Task, t.Life); e != nil {
		if c := d.claims[e.request.identity]; c != nil && c.gen == t.Gen {
			d.unclaim(c, t.Task, t.Life)
		}
	}
}

// release drops everything that a task owned.
func (d *directory) release(e *entry) {
	for page, owner := range d.owners {
		if owner.task == e.id {
			delete(d.owners, page)
		}
	}
	c := d.claims[e.request.identity]
	if c == nil {
		return
	}
	c.queue = slices.DeleteFunc(c.queue, func(w waitingClaim) bool { return w.task == e.id && w.life == e.life })
	d.unclaim(c, e.id, e.life)
	if c.holder == "" && len(c.queue) == 0 {
		delete(d.claims, e.request.identity)
	}
}
