package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Type is the JSON type of an argument.
type Type string

// The types that arguments have.
const (
	String  Type = "string"
	Number  Type = "number"
	Integer Type = "integer"
	Boolean Type = "boolean"
	Object  Type = "object"
)

// Schema describes the arguments of a tool: an object with these properties
// and no others. It is what is advertised and what is checked, so that the two
// cannot differ. As JSON it is a JSON schema, equal from run to run.
type Schema struct {
	Properties []Property
	// Excludes lists pairs of which at most one may be given. It is checked
	// but not part of the JSON, because many clients do not know "not".
	Excludes [][2]string
}

// Property is one argument.
type Property struct {
	Name        string
	Type        Type
	Description string
	Required    bool
	// Enum lists the values that a string may have; empty means any.
	Enum []string
	// Range bounds a number.
	Range *Range
	// NonEmpty refuses the empty string. Without Required it means that an
	// empty string counts as not given, which is how many models leave an id
	// out.
	NonEmpty bool
	// MaxBytes is the longest string taken; zero means no limit of its own.
	MaxBytes int
	// Pattern is a regular expression that a string must match.
	Pattern string

	page bool // it is the URL of a page; see checkPage
}

// Range is a closed interval.
type Range struct{ Min, Max float64 }

func (r Range) contains(n float64) bool { return n >= r.Min && n <= r.Max }

// property returns the property of this name.
func (s Schema) property(name string) (Property, bool) {
	for _, p := range s.Properties {
		if p.Name == name {
			return p, true
		}
	}
	return Property{}, false
}

func (s Schema) names() []string {
	names := make([]string, len(s.Properties))
	for i, p := range s.Properties {
		names[i] = p.Name
	}
	return names
}

// MarshalJSON writes the JSON schema, properties in their order.
func (s Schema) MarshalJSON() ([]byte, error) {
	var properties bytes.Buffer
	required := []string{}
	for i, p := range s.Properties {
		name, err := json.Marshal(p.Name)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", p.Name, err)
		}
		body, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", p.Name, err)
		}
		if i > 0 {
			properties.WriteByte(',')
		}
		properties.Write(name)
		properties.WriteByte(':')
		properties.Write(body)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return json.Marshal(struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required,omitempty"`
		Additional bool            `json:"additionalProperties"`
	}{"object", json.RawMessage("{" + properties.String() + "}"), required, false})
}

// MarshalJSON writes the property's JSON schema, without its name.
func (p Property) MarshalJSON() ([]byte, error) {
	out := struct {
		Type        Type     `json:"type"`
		Description string   `json:"description,omitempty"`
		Enum        []string `json:"enum,omitempty"`
		Minimum     *float64 `json:"minimum,omitempty"`
		Maximum     *float64 `json:"maximum,omitempty"`
		MinLength   int      `json:"minLength,omitempty"`
		// MaxLength counts characters and so is never stricter than MaxBytes.
		MaxLength int    `json:"maxLength,omitempty"`
		Pattern   string `json:"pattern,omitempty"`
	}{Type: p.Type, Description: p.Description, Enum: p.Enum, MaxLength: p.MaxBytes, Pattern: p.Pattern}
	if p.Range != nil {
		out.Minimum, out.Maximum = &p.Range.Min, &p.Range.Max
	}
	if p.NonEmpty && p.Required {
		out.MinLength = 1
	}
	return json.Marshal(out)
}
