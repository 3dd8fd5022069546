// Package demo shows on a real browser what the engine does, step by step, and
// checks each step from the page's side: what the page's own script saw.
//
// The pages are embedded (pages/HOST/PATH.html) and served on loopback; the
// browser is told to find every *.test host there, so that the frames of other
// hosts are other sites to it, in processes of their own. Each page keeps what
// its dialogs returned in a variable "seen".
//
// Between engine and browser stands a small TCP proxy, whose connections the
// demo can cut.
package demo
