package fakebrowser

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

//go:embed prelude/*.js
var preludeFiles embed.FS

// nativeName is the script name of the prelude. Stack traces leave it out.
const nativeName = "native"

// prelude is what a browser keeps of its pages' script environment.
type prelude struct {
	program *goja.Program
	blobs   map[string]string            // by blob: URL
	storage map[string]map[string]string // by kind and origin
}

// compilePrelude compiles the script that every window starts from.
func compilePrelude() *prelude {
	names, err := fs.Glob(preludeFiles, "prelude/*.js")
	if err != nil {
		panic(fmt.Errorf("fakebrowser: the prelude is not there: %w", err))
	}
	var src strings.Builder
	for _, n := range names {
		text, err := preludeFiles.ReadFile(n)
		if err != nil {
			panic(fmt.Errorf("fakebrowser: the prelude is not there: %w", err))
		}
		src.Write(text)
	}
	ast, err := goja.Parse(nativeName, src.String(), parser.WithDisableSourceMaps)
	if err != nil {
		panic(fmt.Errorf("fakebrowser: the prelude does not parse: %w", err))
	}
	prg, err := goja.CompileAST(ast, false)
	if err != nil {
		panic(fmt.Errorf("fakebrowser: the prelude does not compile: %w", err))
	}
	return &prelude{program: prg, blobs: map[string]string{}, storage: map[string]map[string]string{}}
}
