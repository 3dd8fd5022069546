package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"cdpsupervisor/messages"
)

// Result is what every tool answers. As JSON it is one object: "success"
// first, then "error" and "code" when there is a failure, then the fields.
type Result struct {
	// Code is empty on success.
	Code messages.Code
	// Error is one sentence: the cause and the way out.
	Error string
	// Fields are the tool's own fields. Their values marshal to JSON.
	Fields map[string]any
}

// Success reports whether the tool did what it was asked for.
func (r *Result) Success() bool { return r.Code == "" }

// MarshalJSON writes the one shape. Page text is not HTML-escaped, which would
// only cost the reader.
func (r *Result) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	write := func(name string, value any) error {
		if name != "success" {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:", name)
		if err := encoder.Encode(value); err != nil {
			return fmt.Errorf("field %s of a tool's result: %w", name, err)
		}
		out.Truncate(out.Len() - 1) // the encoder's newline
		return nil
	}
	out.WriteByte('{')
	if err := write("success", r.Success()); err != nil {
		return nil, err
	}
	if !r.Success() {
		if err := errors.Join(write("error", r.Error), write("code", r.Code)); err != nil {
			return nil, err
		}
	}
	for _, name := range sortedKeys(r.Fields) {
		if err := write(name, r.Fields[name]); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// JSON is the object as text, for hosts that hand tools' results on as text.
func (r *Result) JSON() string {
	text, err := r.MarshalJSON()
	if err != nil { // a value that is no JSON, such as a browser's broken reply
		return (&Result{Code: messages.CodeCDPError, Error: "the result is not valid JSON: " + err.Error()}).JSON()
	}
	return string(text)
}

// Failed returns the result of a call that failed with err, in the one shape.
func Failed(err error) *Result {
	f := failureOf(err)
	return &Result{Code: f.Code, Error: f.Message, Fields: failureFields(f)}
}

// failureOf gives every error a code.
func failureOf(err error) *messages.Failure {
	if f, ok := errors.AsType[*messages.Failure](err); ok {
		return f
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return messages.Fail(messages.CodeTimeout, "the call was not over in time; it may have run")
	case errors.Is(err, context.Canceled):
		return messages.Fail(messages.CodeStopped, "the call was cancelled; it may have run")
	case errors.Is(err, messages.ErrTaskStopped), errors.Is(err, messages.ErrTaskFailed), errors.Is(err, messages.ErrRegistryClosed):
		return messages.Fail(messages.CodeStopped, "%v", err)
	case errors.Is(err, messages.ErrConnect):
		return messages.Fail(messages.CodeNoCDP, "%v", err)
	default:
		return messages.Fail(messages.CodeNoSupervisor, "the task's supervisor could not be used: %v", err)
	}
}

// failureFields are the fields that a failure brings along.
func failureFields(f *messages.Failure) map[string]any {
	fields := map[string]any{}
	switch {
	case f.Record != nil:
		fields["dialog"] = f.Record
	case f.Dialog != nil:
		fields["dialog"] = f.Dialog
	}
	if len(f.Dialogs) > 0 {
		fields["dialogs"] = heads(f.Dialogs)
	}
	if f.CDPCode != 0 {
		fields["cdp_code"] = f.CDPCode
	}
	if f.ErrorText != "" {
		fields["error_text"] = f.ErrorText
	}
	if len(f.WaysOut) > 0 {
		fields["ways_out"] = f.WaysOut
	}
	if f.OwnerFrame != "" {
		fields["owner_frame_id"] = f.OwnerFrame
	}
	if f.MayHaveRun {
		fields["may_have_run"] = true
	}
	if f.Size > 0 {
		fields["size"] = f.Size
	}
	return fields
}

// headBytes is how much of a message tells one dialog from another.
const headBytes = 200

// dialogHead is a dialog among several: enough to choose one.
type dialogHead struct {
	ID       messages.DialogID   `json:"id"`
	Type     messages.DialogType `json:"type"`
	Message  string              `json:"message"`
	FrameID  messages.FrameID    `json:"frame_id"`
	URL      string              `json:"url"`
	TargetID messages.TargetID   `json:"target_id"`
}

func heads(dialogs []messages.Dialog) []dialogHead {
	out := make([]dialogHead, len(dialogs))
	for i, d := range dialogs {
		message, cut := messages.Cut(d.Message, headBytes)
		if cut {
			message += "…"
		}
		out[i] = dialogHead{d.ID, d.Type, message, d.FrameID, d.URL, d.TargetID}
	}
	return out
}

// add puts fields into the result; those that are there already stay.
func (r *Result) add(fields map[string]any) {
	if r.Fields == nil {
		r.Fields = map[string]any{}
	}
	for name, value := range fields {
		if _, there := r.Fields[name]; !there {
			r.Fields[name] = value
		}
	}
}
