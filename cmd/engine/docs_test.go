package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"cdpsupervisor/cmd/engine/internal/config"
)

const repository = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks returns the fenced blocks of a language.
func blocks(text, language string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// knownFlags are the flags of all commands.
func knownFlags(t *testing.T) map[string]bool {
	t.Helper()
	parser, err := kong.New(&commandLine{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	_ = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known["--"+flag.Name] = true
		}
		return next(nil)
	})
	return known
}

func TestDocsNameRealFlags(t *testing.T) {
	known := knownFlags(t)
	if !known["--cdp-url"] || !known["--token-file"] || !known["--log-level"] {
		t.Fatalf("the flags were not found: %v", known)
	}
	others := map[string]bool{ // of other programs
		"--transport": true, "--header": true, "--remote-debugging-port": true, "--user-data-dir": true, "--shm-size": true,
	}
	for _, page := range []string{"docs/mcp.md", "docs/troubleshooting.md"} {
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(read(t, page), -1) {
			if !known[flag] && !others[flag] {
				t.Errorf("%s names %s, which is no flag", page, flag)
			}
		}
	}
}

// the Go that the README asks for is the one that go.mod does.
func TestReadmeNamesTheGoOfTheModule(t *testing.T) {
	line := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read(t, "go.mod"))
	if line == nil {
		t.Fatal("go.mod has no go line")
	}
	if !strings.Contains(read(t, "README.md"), "need Go "+line[1]+" ") {
		t.Errorf("README.md does not say that Go %s is needed", line[1])
	}
}

func TestConfigurationsInDocsParse(t *testing.T) {
	page := read(t, "docs/mcp.md")
	for _, block := range blocks(page, "json") {
		var v any
		if err := json.Unmarshal([]byte(block), &v); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
	}
	ours := 0
	for _, block := range blocks(page, "yaml") {
		var v map[string]any
		if err := yaml.Unmarshal([]byte(block), &v); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
		if v["browser"] == nil {
			continue
		}
		ours++
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Load(config.Input{File: path}); err != nil {
			t.Errorf("the documented configuration: %v", err)
		}
	}
	if ours != 1 {
		t.Errorf("%d configurations of ours in docs/mcp.md", ours)
	}
}

// a page that is keyed by error texts must have texts that errors have.
func TestTroubleshootingQuotesRealErrors(t *testing.T) {
	var source strings.Builder
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "simulations" || d.Name() == "bench") {
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return err
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			source.Write(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	headings := regexp.MustCompile("(?m)^### `([^`]+)`$").FindAllStringSubmatch(read(t, "docs/troubleshooting.md"), -1)
	if len(headings) < 25 {
		t.Fatalf("found only %d headings", len(headings))
	}
	for _, heading := range headings {
		for _, part := range strings.Split(heading[1], " … ") {
			if !strings.Contains(source.String(), part) {
				t.Errorf("no error says %q", part)
			}
		}
	}
}
