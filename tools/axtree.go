package tools

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// axNode is what an outline needs of an Accessibility.AXNode.
type axNode struct {
	ID         string       `json:"nodeId"`
	Ignored    bool         `json:"ignored"`
	Role       axValue      `json:"role"`
	Name       axValue      `json:"name"`
	Value      axValue      `json:"value"`
	Properties []axProperty `json:"properties"`
	Children   []string     `json:"childIds"`
	Backend    int64        `json:"backendDOMNodeId"`
}

type axProperty struct {
	Name  string  `json:"name"`
	Value axValue `json:"value"`
}

// axValue is an Accessibility.AXValue: a string, a number or a boolean.
type axValue struct {
	Value any `json:"value"`
}

func (v axValue) text() string {
	switch x := v.Value.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(x)
	default:
		return ""
	}
}

// axTree is the accessibility tree of one document.
type axTree struct {
	root  *axNode
	nodes map[string]*axNode
}

// maxAXNodes is how many nodes of one document are looked at.
const maxAXNodes = 100_000

// decodeAXTree reads the result of Accessibility.getFullAXTree, whose first
// node is the root.
func decodeAXTree(result []byte) (*axTree, error) {
	var reply struct {
		Nodes []*axNode `json:"nodes"`
	}
	if err := json.Unmarshal(result, &reply); err != nil {
		return nil, fmt.Errorf("decode nodes: %w", err)
	}
	tree := &axTree{nodes: make(map[string]*axNode, len(reply.Nodes))}
	for i, n := range reply.Nodes {
		if n == nil || i >= maxAXNodes {
			continue
		}
		if tree.root == nil {
			tree.root = n
		}
		tree.nodes[n.ID] = n
	}
	return tree, nil
}

// name is the node's accessible name on one line.
func (n *axNode) name() string { return oneLine(n.Name.text()) }

func (n *axNode) role() string {
	role := n.Role.text()
	if strings.HasPrefix(role, "Iframe") {
		return roleIframe
	}
	return role
}

const (
	roleIframe = "iframe"
	roleText   = "StaticText"
)

// oneLine folds white space, which carries nothing in an outline.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// transparent reports whether the node adds nothing of its own: its children
// stand in its place.
func (n *axNode) transparent() bool {
	if n.Ignored {
		return true
	}
	switch n.role() {
	case "", "none", "generic", "presentation", "paragraph", "LabelText", "RootWebArea", "MenuListPopup",
		"LayoutTable", "LayoutTableRow", "LayoutTableCell", "rowgroup", "LineBreak", "Section", "Pre", "Abbr":
		return n.role() != "generic" || n.name() == ""
	default:
		return false
	}
}

// silent reports whether the node and all below it are left out.
func (n *axNode) silent() bool {
	switch n.role() {
	case "InlineTextBox", "ListMarker":
		return true
	default:
		return false
	}
}

// actionable reports whether an agent can do something to the node.
func (n *axNode) actionable() bool {
	switch n.role() {
	case "button", "link", "textbox", "searchbox", "checkbox", "radio", "switch", "combobox", "listbox", "option",
		"menuitem", "menuitemcheckbox", "menuitemradio", "tab", "slider", "spinbutton", "treeitem", "DisclosureTriangle",
		"PopUpButton", "ToggleButton", "Date", "DateTime", "InputTime", "ColorWell", "Canvas", "Video", "Audio":
		return true
	default:
		return false
	}
}

// namedByContent reports whether the node's name and value say what the texts
// below it say.
func (n *axNode) namedByContent() bool {
	switch n.role() {
	case "heading", "cell", "gridcell", "columnheader", "rowheader", "row", "tooltip", "image", "listbox":
		return true
	default:
		return n.actionable()
	}
}

// states are the node's states that are worth a word, in a fixed order.
func (n *axNode) states() []string {
	values := make(map[string]string, len(n.Properties))
	for _, p := range n.Properties {
		values[p.Name] = p.Value.text()
	}
	var out []string
	for _, name := range []string{"checked", "pressed"} {
		switch values[name] {
		case "true":
			out = append(out, name)
		case "mixed":
			out = append(out, name+"=mixed")
		}
	}
	for _, name := range []string{"selected", "disabled", "required", "readonly", "modal", "busy", "focused"} {
		if values[name] == "true" {
			out = append(out, name)
		}
	}
	switch values["expanded"] {
	case "true":
		out = append(out, "expanded")
	case "false":
		out = append(out, "collapsed")
	}
	if v := values["invalid"]; v != "" && v != "false" {
		out = append(out, "invalid")
	}
	if n.role() == "heading" && values["level"] != "" {
		out = append(out, "level="+clip(values["level"]))
	}
	return out
}
