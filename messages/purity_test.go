package messages_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The pure packages are where the logic is: the same input gives the same
// effects, on any machine, at any time. Linters say so too, file by file; these
// tests see what linters do not: goroutines, and what comes in by the back door
// of another package.

const (
	module   = "cdpsupervisor"
	messages = module + "/messages"
)

// pureFolders are relative to the module's root.
func pureFolders() []string {
	return []string{"messages", "policy", "bridge", "actors/frametree", "actors/attach", "actors/reconnect"}
}

// existing returns the folders that are there. One that is not cannot break a
// rule; any other trouble with it fails the test.
func existing(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(pureFolders(), func(folder string) bool {
		_, err := os.Stat(filepath.Join("..", filepath.FromSlash(folder)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return err != nil
	})
}

// impurity says why an import makes a package impure, or returns "".
func impurity(path, from string) string {
	reasons := map[string]string{
		"net":         "pure packages do no I/O",
		"os":          "pure packages do no I/O",
		"syscall":     "pure packages do no I/O",
		"sync":        "pure packages hold no concurrency",
		"context":     "nothing that is pure takes long enough to be cancelled",
		"log":         "pure packages say what happened in effects",
		"runtime":     "pure packages know no scheduler",
		"math/rand":   "chance is passed in",
		"crypto/rand": "chance is passed in",
	}
	switch {
	case path == "net/url": // origins need it, and it does no I/O
		return ""
	case path == "context" && from == messages: // in the signature of an interface that is passed in
		return ""
	}
	for banned, reason := range reasons {
		if path == banned || strings.HasPrefix(path, banned+"/") {
			return reason
		}
	}
	return ""
}

func TestPurePackagesImportOnlyWhatIsPure(t *testing.T) {
	t.Parallel()
	var roots []string
	for _, folder := range existing(t) {
		roots = append(roots, module+"/"+folder)
	}
	for _, p := range listDeps(t, roots) {
		switch {
		case p.Standard: // what the standard library does inside is its own affair
			continue
		case p.ImportPath != messages && !slices.Contains(roots, p.ImportPath):
			t.Errorf("a pure package depends on %s: it may import the standard library and %s only", p.ImportPath, messages)
			continue
		}
		for _, imported := range p.Imports {
			if reason := impurity(imported, p.ImportPath); reason != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, reason)
			}
			ours := imported == module || strings.HasPrefix(imported, module+"/")
			if ours && imported != messages {
				t.Errorf("%s imports %s: pure packages know %s and not each other", p.ImportPath, imported, messages)
			}
		}
	}
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

func listDeps(t *testing.T, roots []string) []listed {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps", "-json=ImportPath,Standard,Imports"}, roots...)...)
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		t.Fatalf("%s: %v", list, err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func TestPurePackagesStartNothing(t *testing.T) {
	t.Parallel()
	for _, folder := range existing(t) {
		root := filepath.Join("..", filepath.FromSlash(folder))
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, found := range concurrency(file) {
				t.Errorf("%v: %s in a pure package", files.Position(found.at), found.what)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

type finding struct {
	at   token.Pos
	what string
}

// concurrency finds what starts or waits for something else, and the method
// name by which the actor library takes any value for a batch of messages.
func concurrency(file *ast.File) (found []finding) {
	add := func(node ast.Node, what string) { found = append(found, finding{node.Pos(), what}) }
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt:
			add(n, "a goroutine")
		case *ast.SelectStmt:
			add(n, "a select")
		case *ast.ChanType:
			add(n, "a channel type")
		case *ast.SendStmt:
			add(n, "a channel send")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(n, "a channel receive")
			}
		case *ast.FuncDecl:
			if n.Recv != nil && n.Name.Name == "GetMessages" {
				add(n, "a method named GetMessages, which makes a batch of its receiver,")
			}
		}
		return true
	})
	return found
}

// TestPurityRules tries the rules on code that breaks each of them.
func TestPurityRules(t *testing.T) {
	t.Parallel()
	const source = `package p
func f(in chan int, out chan<- int) {
	go f(in, out)
	select {}
	out <- <-in
}
func (t T) GetMessages() []any { return nil }`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if found := concurrency(file); len(found) != 7 {
		t.Errorf("7 breaches, found %v", found)
	}
	for _, path := range []string{"net", "net/http", "os", "os/exec", "sync", "sync/atomic", "log", "log/slog",
		"runtime", "runtime/debug", "math/rand", "math/rand/v2", "crypto/rand", "syscall", "context"} {
		if impurity(path, module+"/policy") == "" {
			t.Errorf("%s passes for pure", path)
		}
	}
	for _, path := range []string{"net/url", "math", "crypto/sha256", "time", "strings", "encoding/json"} {
		if reason := impurity(path, module+"/policy"); reason != "" {
			t.Errorf("%s: %s", path, reason)
		}
	}
	if impurity("context", messages) != "" || impurity("sync/atomic", messages) == "" {
		t.Errorf("%s may name context in an interface, and nothing else that is impure", messages)
	}
}
