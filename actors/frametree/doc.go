// Package frametree turns a stream of CDP events into the frame trees of a
// task's pages: the same events in, the same trees and the same [Effect] values
// out. It is a value without clock, goroutine, lock or I/O, and belongs to
// whoever calls it.
//
// A page in a browser with site isolation is told in pieces. Each session (the
// page's, and one for every iframe in a process of its own) reports the frames
// of its own renderer only. Order holds within a session; between sessions
// nothing is promised. The tree is therefore kept by who may say what:
//
//   - A frame is placed by one session: the one that announced it, by
//     Page.frameAttached, Page.frameNavigated, a frame tree reply, or
//     Target.attachedToTarget. It hangs where that session says, and goes with
//     that session; once it has a session of its own, no other one moves it.
//   - What a frame shows is told by the session whose renderer shows it: its
//     own one once that has spoken, else the one that placed it. Both accounts
//     are kept apart, so that a late word of one never overwrites the other.
//   - A frame's own session comes from Target.attachedToTarget and from nothing
//     else; it ends with Target.detachedFromTarget, with its frame, or with the
//     session above it, and what arrives on it afterwards is dropped.
//
// From that follows what the tests hold the package to: any interleaving that
// keeps the order within each session ends in the same tree. For the same
// reason facts that also come on the browser's own session are taken from the
// parent session where it reports them: Target.targetDestroyed counts for pages
// only, and Target.targetCrashed not at all, since Inspector.targetCrashed says
// the same on the session itself.
//
// A parent that nobody has announced yet stands in as a ghost: it collects its
// children, is shown nowhere, and becomes a frame when it is announced. Events of
// a session that is not known yet wait, within a cap, until it is.
//
// The life of one frame stands in STATES.md; a test holds the two together.
package frametree
