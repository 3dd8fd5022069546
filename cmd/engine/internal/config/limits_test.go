package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filled repeats what unit makes of 0, 1, 2, … until n bytes are there.
func filled(n int, unit func(i int) string) string {
	var b strings.Builder
	for i := 0; ; i++ {
		next := unit(i)
		if b.Len()+len(next) > n {
			return b.String()
		}
		b.WriteString(next)
	}
}

// refused writes a file that must not be taken. What the parser would take for
// ever ends by the timeout of the tests.
func refused(t *testing.T, text string) (path string, err error) {
	t.Helper()
	path = written(t, text)
	if _, err = Load(Input{File: path}); err == nil {
		t.Fatal("it was taken")
	}
	return path, err
}

func TestFilesThatWouldKeepTheParserBusyAreRefused(t *testing.T) {
	for name, tc := range map[string]struct{ text, says string }{
		"a large file":             {strings.Repeat("#", maxFileBytes+1), "larger than 64 KiB"},
		"200 000 lists":            {"browser: " + strings.Repeat("[", 200_000), "larger than 64 KiB"},
		"many lists":               {"browser: " + strings.Repeat("[", 60_000), "nested deeper than 16 levels"},
		"many mappings":            {"browser: " + strings.Repeat("{a: ", 15_000), "nested deeper than 16 levels"},
		"lists that end":           {"browser: " + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000), "nested deeper than 16 levels"},
		"block lists on one line":  {strings.Repeat("- ", 30_000), "nested deeper than 16 levels"},
		"question marks":           {strings.Repeat("? ", 30_000), "nested deeper than 16 levels"},
		"block mappings":           {filled(60_000, func(i int) string { return strings.Repeat(" ", i) + "a:\n" }), "nested deeper than 16 levels"},
		"block lists line by line": {filled(60_000, func(i int) string { return strings.Repeat(" ", i) + "-\n" }), "nested deeper than 16 levels"},
		"blank lines":              {"browser: |\n" + strings.Repeat("\n", 60_000), "more than 1000 lines"},
		"carriage returns":         {"browser: |\n" + strings.Repeat("\r", 60_000), "more than 1000 lines"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := refused(t, tc.text)
			for _, part := range []string{path, tc.says, "engine config show"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%.300s\nlacks %q", err, part)
				}
			}
		})
	}
}

func TestWhatFitsIntoTheLimitsIsQuick(t *testing.T) {
	most := maxFileBytes - 100
	lines := maxLines - 10
	bomb := "a0: &a0 [x, x]\n" + filled(most/2, func(i int) string { return fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i) })
	for name, text := range map[string]string{
		"a long key":              strings.Repeat("k", most) + ": v\n",
		"a long quoted key":       `"` + strings.Repeat("k", most) + "\": v\n",
		"a long value":            "browser:\n  scope: " + strings.Repeat("v", most),
		"a long number":           "browser:\n  dialog_timeout_s: " + strings.Repeat("9", most),
		"a long secret":           "browser:\n  cdp_url: ws://h/" + strings.Repeat("v", most/2) + " : x",
		"aliases of aliases":      bomb[:strings.LastIndex(bomb[:min(len(bomb), lines*20)], "\n")+1],
		"anchors":                 filled(most, func(int) string { return "&a " }),
		"tags":                    filled(most, func(int) string { return "!a " }),
		"a long block":            "browser: |\n" + strings.Repeat("\n", lines-2) + strings.Repeat("x", most-lines),
		"a folded block":          "browser: >\n" + strings.Repeat("  "+strings.Repeat("x", 50)+"\n", lines-2),
		"unknown keys on a line":  "browser: {" + filled(most, func(i int) string { return fmt.Sprintf("k%d: v, ", i) }) + "}",
		"unknown keys":            "browser:\n" + strings.Repeat("  scope: tab\n", lines/2),
		"top-level unknown keys":  filled(lines*8, func(i int) string { return fmt.Sprintf("k%d: v\n", 1000+i) }),
		"a list of many":          "browser: [" + strings.Repeat("b,", most/2) + "]",
		"many short lists":        "browser: [" + strings.Repeat("[],", most/3) + "]",
		"colons":                  strings.Repeat(": ", most/2),
		"keys on a line":          strings.Repeat("a: ", most/3),
		"quotes":                  strings.Repeat(`"" `, most/3),
		"an open quote":           `browser: "` + strings.Repeat("v", most),
		"escapes":                 `browser: "` + strings.Repeat(`\n`, most/2) + `"`,
		"documents":               strings.Repeat("---\na\n", lines/2),
		"directives":              strings.Repeat("%YAML 1.2\n", lines),
		"a long directive":        "%YAML " + strings.Repeat("[] ", most/3),
		"closing brackets":        strings.Repeat("]", most),
		"zeros":                   strings.Repeat("\x00", most),
		"no text":                 strings.Repeat("\xff", most),
		"URLs":                    "browser: {" + filled(most, func(i int) string { return fmt.Sprintf("ws://k%d: v, ", i) }) + "}",
		"long lines with mistake": "browser: {scope: tab, a: " + strings.Repeat("v", most/2) + ", b: " + strings.Repeat("v", most/3) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			path, err := refused(t, text)
			if len(err.Error()) > 20_000 || !strings.Contains(err.Error(), path) {
				t.Errorf("an error of %d bytes: %.300s", len(err.Error()), err)
			}
		})
	}
}

func TestNestingIsCountedWhereItIs(t *testing.T) {
	for _, text := range []string{
		"# " + strings.Repeat("[{", 100) + "\nbrowser:\n  scope: page # " + strings.Repeat("[", 100) + "\n",
		"browser:\n  cdp_url: \"ws://h/" + strings.Repeat("[", 100) + "\"\n",
		"browser:\n  cdp_url: ws://h/" + strings.Repeat("[", 100) + "\n",
		strings.Repeat("# a comment\n", maxLines-3) + "browser:\n  scope: page\n",
		"browser:\n" + strings.Repeat(" ", 60) + "scope: page\n",
	} {
		if _, err := Load(Input{File: written(t, text)}); err != nil {
			t.Errorf("%.100q: %v", text, err)
		}
	}
	// 16 levels are taken by the parser, and refused for what they are.
	text := "browser: " + strings.Repeat("[", maxNesting-1) + strings.Repeat("]", maxNesting-1)
	if _, err := Load(Input{File: written(t, text)}); err == nil || !strings.Contains(err.Error(), "found a list") {
		t.Errorf("got %v", err)
	}
}

// What Windows tools write as text would show a secret between its zeros.
func TestOtherEncodingsAreRefused(t *testing.T) {
	const text = "browser:\n  cdp_url: hunter2\n"
	wide := "\xff\xfe"
	for _, r := range text {
		wide += string([]byte{byte(r), 0})
	}
	for _, text := range []string{wide, wide[2:], "browser: # caf\xe9 hunter2\n", "browser: \x00hunter2"} {
		path := written(t, text)
		_, err := Load(Input{File: path})
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "save it as UTF-8") || strings.Contains(strings.ReplaceAll(err.Error(), `\x00`, ""), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFewOfManyProblemsAreShown(t *testing.T) {
	path := written(t, "browser: {"+filled(1000, func(i int) string { return fmt.Sprintf("k%d: v, ", i) })+"}")
	_, err := Load(Input{File: path})
	if err == nil || strings.Count(err.Error(), "unknown key") != maxProblems || !strings.Contains(err.Error(), path+": and more, which are not shown") {
		t.Errorf("got %v", err)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	for path, says := range map[string]string{
		folder:                               "is a directory",
		filepath.Join(folder, "none.yaml"):   "no such file",
		filepath.Join(folder, "none", "c.y"): "no such file",
	} {
		_, err := Load(Input{File: path})
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "--config") {
			t.Errorf("%s: %v", path, err)
		}
	}
	t.Chdir(folder)
	if err := os.Mkdir(DefaultFile, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Input{}); err == nil || !strings.Contains(err.Error(), "is a directory") || !strings.Contains(err.Error(), "--config") {
		t.Errorf("the default file is a folder: %v", err)
	}
}
