package tools

import (
	"bytes"
	"encoding/json"
	"fmt"

	"cdpsupervisor/messages"
)

// redacted applies the host's redaction to every text of a result. A redaction
// that fails withholds the result: showing it would be worse.
func (b *Toolbox) redacted(r *Result, name string, args arguments) (out *Result) {
	if b.options.Redact == nil {
		return r
	}
	defer func() {
		if p := recover(); p != nil {
			out = Failed(messages.Fail(messages.CodeDenied, "the result is withheld: the host's redaction failed: %v", p))
		}
	}()
	out = &Result{Code: r.Code, Error: b.options.Redact(r.Error), Fields: make(map[string]any, len(r.Fields))}
	for field, value := range r.Fields {
		binary := ""
		if name == nameCDP && field == "result" {
			binary = binaryField(args.text(argMethod), value)
		}
		plainValue, err := decoded(value)
		if err != nil {
			return Failed(messages.Fail(messages.CodeDenied, "the result is withheld: %v", err))
		}
		out.Fields[field] = b.redactValue(plainValue, binary)
	}
	return out
}

// decoded turns a value into what JSON makes of it, numbers as they stand.
func decoded(value any) (any, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	return out, nil
}

// redactValue rewrites texts and keys; the one top-level field named binary
// stays.
func (b *Toolbox) redactValue(value any, binary string) any {
	switch v := value.(type) {
	case string:
		return b.options.Redact(v)
	case []any:
		for i := range v {
			v[i] = b.redactValue(v[i], "")
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			if binary != "" && key == binary {
				out[key] = inner
				continue
			}
			out[b.options.Redact(key)] = b.redactValue(inner, "")
		}
		return out
	default:
		return value
	}
}

// binaryField names the field of a method's result that is base64, which a
// pattern for secrets would hit by chance and destroy. It goes by the method,
// because a page can put a base64Encoded flag into whatever it returns.
func binaryField(method string, value any) string {
	switch method {
	case "Page.captureScreenshot", "Page.printToPDF":
		return "data"
	case "HeadlessExperimental.beginFrame":
		return "screenshotData"
	case "IO.read", "Network.getResponseBody", "Page.getResourceContent":
	default:
		return ""
	}
	raw, _ := value.(json.RawMessage)
	var flag struct {
		Encoded bool `json:"base64Encoded"`
	}
	if json.Unmarshal(raw, &flag) != nil || !flag.Encoded {
		return ""
	}
	return map[string]string{"IO.read": "data", "Network.getResponseBody": "body", "Page.getResourceContent": "content"}[method]
}
