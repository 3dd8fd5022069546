package frametree

import "cdpsupervisor/messages"

// Compact moves everything that is tracked to new memory and lets go of what
// only a busy page needs. A burst leaves a few frames in memory that was made for
// many, and their strings in blocks full of others; what is moved lies together.
// Strings are copied through keep. It changes nothing that can be seen, but that
// of the sessions that ended only the last are remembered: it is for a time when
// nothing can still be on its way.
func (s *State) Compact(keep messages.Strings) {
	m := mover{
		keep:     keep,
		nodes:    make(map[*node]*node, s.nodes.Len()),
		sessions: make(map[*session]*session, s.sessions.Len()),
		pages:    make(map[*page]*page, s.pages.Len()),
	}
	m.make(s)
	graves := s.graves
	to := State{early: s.early, seq: s.seq, ghosts: s.ghosts, dropped: s.dropped}
	for _, n := range s.nodes.All() {
		moved := m.nodes[n]
		to.nodes.Set(moved.id, moved)
	}
	for _, sess := range s.sessions.All() {
		moved := m.sessions[sess]
		to.sessions.Set(moved.id, moved)
	}
	for _, p := range s.order {
		moved := m.pages[p]
		to.pages.Set(moved.target, moved)
		to.order = append(to.order, moved)
	}
	*s = to
	s.nodes.Compact()
	s.sessions.Compact()
	s.pages.Compact()
	for _, id := range graves.last(gravesKept) {
		s.graves.add(messages.Kept(keep, id))
	}
}

// gravesKept is how many of the sessions that ended [State.Compact] remembers.
const gravesKept = 64

// mover knows where everything goes.
type mover struct {
	keep     messages.Strings
	nodes    map[*node]*node
	sessions map[*session]*session
	pages    map[*page]*page
}

// make copies everything, and then turns each pointer to where it points now.
func (m *mover) make(s *State) {
	nodes := make([]node, 0, s.nodes.Len())
	for _, n := range s.nodes.All() {
		nodes = append(nodes, *n)
		m.nodes[n] = &nodes[len(nodes)-1]
	}
	for _, sess := range s.sessions.All() {
		moved := new(session) // one each: they end one by one
		*moved = *sess
		m.sessions[sess] = moved
		m.nodes[&sess.limbo] = &moved.limbo
	}
	for _, p := range s.order {
		moved := new(page)
		*moved = *p
		m.pages[p] = moved
	}
	for _, n := range m.nodes {
		m.node(n)
	}
	for _, sess := range m.sessions {
		m.session(sess)
	}
	for _, p := range m.pages {
		p.target, p.group, p.origin = messages.Kept(m.keep, p.target), messages.Kept(m.keep, p.group), messages.Kept(m.keep, p.origin)
		p.session, p.firstSession, p.lastSession = m.sessions[p.session], m.sessions[p.firstSession], m.sessions[p.lastSession]
	}
}

func (m *mover) node(n *node) {
	n.id = messages.Kept(m.keep, n.id)
	m.document(&n.doc)
	n.by, n.owner = m.sessions[n.by], m.sessions[n.owner]
	n.parent, n.first, n.last = m.nodes[n.parent], m.nodes[n.first], m.nodes[n.last]
	n.prev, n.next = m.nodes[n.prev], m.nodes[n.next]
	n.prevPlaced, n.nextPlaced = m.nodes[n.prevPlaced], m.nodes[n.nextPlaced]
}

func (m *mover) session(sess *session) {
	sess.id = messages.Kept(m.keep, sess.id)
	sess.targetURL = messages.Kept(m.keep, sess.targetURL)
	m.document(&sess.doc)
	sess.parent, sess.page = m.sessions[sess.parent], m.pages[sess.page]
	sess.root, sess.placed = m.nodes[sess.root], m.nodes[sess.placed]
	sess.prev, sess.next = m.sessions[sess.prev], m.sessions[sess.next]
	var worlds messages.Few[messages.FrameID, string]
	for frame, origin := range sess.worlds.All() {
		worlds.Set(messages.Kept(m.keep, frame), messages.Kept(m.keep, origin))
	}
	sess.worlds = worlds
}

func (m *mover) document(d *document) {
	d.url, d.origin, d.domain = messages.Kept(m.keep, d.url), messages.Kept(m.keep, d.origin), messages.Kept(m.keep, d.domain)
	d.name, d.world = messages.Kept(m.keep, d.name), messages.Kept(m.keep, d.world)
	d.loader, d.coming = messages.Kept(m.keep, d.loader), messages.Kept(m.keep, d.coming)
}
