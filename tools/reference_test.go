package tools

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/tools.md instead of comparing")

const referenceFile = "../docs/tools.md"

// docs/tools.md is generated from the schemas: go test ./tools -run Reference -update
func TestReferenceIsTrue(t *testing.T) {
	want := reference(t)
	if *update {
		if err := os.WriteFile(referenceFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s does not say what the schemas say (%v); run: go test ./tools -run Reference -update", referenceFile, err)
	}
}

func TestSchemasAreJSONSchemas(t *testing.T) {
	for _, tool := range Catalog() {
		raw, err := json.Marshal(tool.Schema)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
			Additional *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(raw, &schema); err != nil || schema.Type != "object" || schema.Additional == nil || *schema.Additional {
			t.Errorf("%s: %v, %s", tool.Name, err, raw)
		}
		if _, ok := schema.Properties["task_id"]; !ok {
			t.Errorf("%s takes no task_id", tool.Name)
		}
		for name, p := range schema.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s: %s has no type or no description", tool.Name, name)
			}
		}
		again, _ := json.Marshal(tool.Schema)
		if !bytes.Equal(raw, again) {
			t.Errorf("%s: two runs give two schemas", tool.Name)
		}
		if tool.Title == "" || tool.Description == "" || tool.Hints == (Hints{}) {
			t.Errorf("%s lacks a title, a description or hints", tool.Name)
		}
	}
}

func reference(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(referenceIntro)
	b.WriteString(referenceWords)
	for _, tool := range Catalog() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", tool.Name, tool.Description)
		b.WriteString("| argument | type | required | what it is |\n|---|---|---|---|\n")
		for _, p := range tool.Schema.Properties {
			required := ""
			if p.Required {
				required = "yes"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name, typeOf(p), required, strings.ReplaceAll(p.Description, "|", `\|`))
		}
		for _, pair := range tool.Schema.Excludes {
			fmt.Fprintf(&b, "\n`%s` and `%s` exclude each other.\n", pair[0], pair[1])
		}
		fmt.Fprintf(&b, "\nHints: %s.", hints(tool.Hints))
		if tool.gated {
			b.WriteString(" Listed only when there is an endpoint that it could use.")
		}
		schema, err := json.MarshalIndent(tool.Schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n\n<details><summary>JSON schema</summary>\n\n```json\n%s\n```\n\n</details>\n", schema)
	}
	return b.Bytes()
}

func typeOf(p Property) string {
	s := string(p.Type)
	if p.Range != nil {
		s += fmt.Sprintf(", %s to %s", plain(p.Range.Min), plain(p.Range.Max))
	}
	if len(p.Enum) > 0 {
		s += ": " + strings.Join(p.Enum, ", ")
	}
	return s
}

func hints(h Hints) string {
	var out []string
	for _, hint := range []struct {
		set  bool
		name string
	}{{h.ReadOnly, "read-only"}, {h.Destructive, "destructive"}, {h.Idempotent, "idempotent"}, {h.OpenWorld, "open world"}} {
		if hint.set {
			out = append(out, hint.name)
		}
	}
	return strings.Join(out, ", ")
}

const referenceIntro = `# Tools

<!-- Generated from the schemas in tools/: go test ./tools -run Reference -update -->

Every tool answers one JSON object: ` + "`" + `{"success":true, …}` + "`" + `, or
` + "`" + `{"success":false,"error":"…","code":"…", …}` + "`" + ` where *error* is a sentence with the cause and the way out, and
*code* is one of the words below. While a dialog is open, the result of **every** tool carries ` + "`pending_dialogs`" + `.
Over MCP the object is the structured content and, as JSON, the text; a failure sets ` + "`isError`" + `.

Arguments are checked before anything is done: an unknown name, a wrong type or a value out of range is
` + "`invalid_argument`" + `, never clamped. ` + "`null`" + ` and an empty id count as not given.

| code | meaning |
|---|---|
| ` + "`no_supervisor`" + ` | the task has no supervisor, or it could not be used |
| ` + "`no_cdp`" + ` | there is no endpoint, or it cannot be connected to; the text says how to get one |
| ` + "`invalid_argument`" + ` | an argument is missing, unknown, of another type or out of range |
| ` + "`no_dialog`" + ` | no dialog is open |
| ` + "`ambiguous_dialog`" + ` | several are open: ` + "`dialogs`" + ` lists them, pass ` + "`dialog_id`" + ` |
| ` + "`unknown_dialog`" + ` | this id was never given |
| ` + "`dialog_closed`" + ` | the dialog is over: ` + "`dialog`" + ` says who closed it |
| ` + "`dialog_open`" + ` | ` + "`dialog`" + ` keeps the page from answering; nothing was sent |
| ` + "`dialog_opened`" + ` | ` + "`dialog`" + ` opened while the call ran; it may have run |
| ` + "`unanswerable`" + ` | the browser no longer takes an answer to ` + "`dialog`" + `; the text says the way out |
| ` + "`unknown_frame`" + ` | no frame or target has this id |
| ` + "`not_oopif`" + ` | the frame shares its page's process: reach it through ` + "`contentWindow`" + ` of the page, or pass ` + "`same_process`" + ` |
| ` + "`frame_swapping`" + ` | the frame is moving to another process; try again soon |
| ` + "`frame_not_loaded`" + ` | the frame has no document yet |
| ` + "`page_blocked`" + ` | the page did not answer when it was attached to; ` + "`ways_out`" + ` |
| ` + "`target_crashed`" + ` | the page's renderer crashed; navigate or reload |
| ` + "`tab_gone`" + ` | the tab was closed; browser_navigate opens another |
| ` + "`connection_lost`" + ` | the connection ended; the command may have run where ` + "`may_have_run`" + ` says so |
| ` + "`timeout`" + ` | the time was up; the command may have run where ` + "`may_have_run`" + ` says so |
| ` + "`session_lost`" + ` | the frame or page went away; the command may have run |
| ` + "`cdp_error`" + ` | the browser's own error: ` + "`cdp_code`" + `, or ` + "`error_text`" + ` of a navigation |
| ` + "`too_large`" + ` | the result has ` + "`size`" + ` bytes; raise ` + "`max_bytes`" + ` |
| ` + "`denied`" + ` | the host's guard, a person, or the engine refuses it |
| ` + "`stopped`" + ` | the task or the server has stopped, or the call was cancelled |
| ` + "`cancelled_by_dialog`" + ` | the navigation was cancelled by a dismissed beforeunload dialog |

## The outline

` + "`snapshot`" + ` of browser_snapshot is a list of elements: role, name in quotes, ` + "`= value`" + `, and marks in brackets.

` + "```" + `
- heading "Sign in" [level=1]
- textbox "E-mail" = "ann@example.com" [required, node=41]
- iframe "payment" [frame_id=9F3A…, url="https://pay.example/", own process]
  - button "Pay" [node=7]
` + "```" + `

` + "`node=N`" + ` is the element's backendNodeId in its frame, for browser_cdp: ` + "`DOM.getContentQuads {\"backendNodeId\":41}`" + ` gives
its place for ` + "`Input.dispatchMouseEvent`" + `, ` + "`DOM.focus`" + ` focuses it, ` + "`DOM.resolveNode`" + ` gives an object for
` + "`Runtime.callFunctionOn`" + `. For an element inside an iframe marked *own process* pass that iframe's ` + "`frame_id`" + `.
To type, click into a field and send ` + "`Input.insertText`" + ` or key events to the same place: from an agent's first input on, a
page behaves as the one that has the focus, also in a tab in the background (tabs that the engine opened do from the start).

A line in parentheses stands in the place of what is not shown and says why: a dialog that blocks the frame, a frame that
does not answer, or a document with too many elements for an outline (15000), of which parts can be read with
` + "`Runtime.evaluate`" + `.
`

// a code without a meaning in the reference is a code that nobody can act on.
func TestReferenceNamesEveryCode(t *testing.T) {
	source, err := os.ReadFile("../messages/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Code\s+= "([a-z_]+)"`).FindAllSubmatch(source, -1)
	if len(codes) < 25 {
		t.Fatalf("found only %d codes in messages/errors.go", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(referenceIntro, "| `"+string(code[1])+"` |") {
			t.Errorf("code %s is not in the table of docs/tools.md", code[1])
		}
	}
}
