// Package doctor finds out what a browser, and whatever stands before it,
// supports, by trying it: each check is a row of a table that says whether it
// works, or why not, or why it was not tried.
//
// It works on background tabs of its own. When it is done they are closed, no
// dialog is open that it opened, and nothing else in the browser was touched.
// Pages that have to come from a server come from one of its own on loopback,
// under two host names, so that the browser takes them for two sites; a browser
// elsewhere may not reach that, and what needs it is then not tried.
package doctor
