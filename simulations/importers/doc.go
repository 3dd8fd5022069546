// Package importers reads recorded CDP traffic: the engine's own traces and the
// logs of other tools. Whatever the form, what comes out is a sequence of
// messages, each with its time since the start and the way that it went.
//
// Files are read as streams: one message is in memory at a time, however large
// the file. A line that cannot be read (cut off, wrapped by an editor, or of
// another program) is skipped and reported with its number; a file in none of the
// forms is an error that says what was looked for.
//
// docs/traces.md describes the forms.
package importers
