package backends

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	args, err := arguments(Options{Headless: true, ExtraArgs: []string{"--disable-features=Mine", "--lang=de"}}, "/p", "linux", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--remote-debugging-port=0", "--user-data-dir=/p", "--headless=new", "--no-first-run",
		"--disable-background-networking", "--lang=de", "--disable-features=" + disabledFeatures + ",Mine"} {
		if !slices.Contains(args, want) {
			t.Errorf("%q is missing in %q", want, args)
		}
	}
	features := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !strings.HasPrefix(arg, "--disable-features=") })
	if len(features) != 1 {
		t.Errorf("the browser takes only the last of %q", features)
	}
	if args[len(args)-1] != "about:blank" || args[len(args)-2] != "--lang=de" {
		t.Errorf("extra arguments must come last but for the page, so that they win: %q", args)
	}
	if headed, _ := arguments(Options{}, "/p", "linux", 1000); slices.Contains(headed, "--headless=new") {
		t.Error("headless without being asked")
	}
}

func TestOnlyRootOnLinuxGivesUpTheSandbox(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		goos string
		uid  int
		want bool
	}{{"linux", 0, true}, {"linux", 1000, false}, {"darwin", 0, false}, {"windows", -1, false}} {
		args, err := arguments(Options{}, "/p", c.goos, c.uid)
		if got := slices.Contains(args, "--no-sandbox"); err != nil || got != c.want {
			t.Errorf("%s, uid %d: --no-sandbox is %t, %v", c.goos, c.uid, got, err)
		}
	}
}

func TestArgumentsThatAreOurs(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"--remote-debugging-port=9222", "--remote-debugging-pipe", "--user-data-dir=/x"} {
		name, _, _ := strings.Cut(arg, "=")
		_, err := arguments(Options{ExtraArgs: []string{arg}}, "/p", "linux", 1000)
		if !errors.Is(err, ErrBadOption) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want ErrBadOption that names it", arg, err)
		}
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var log tail
	if got := log.String(); got != "it wrote nothing to stderr" {
		t.Errorf("empty: %q", got)
	}
	for range 1000 {
		_, _ = log.Write([]byte("noise\n"))
	}
	_, _ = log.Write([]byte("DevTools listening on ws://127.0.0.1:1/devtools/browser/s3cret\n\nlast \x1b[31mwords\n"))
	got := log.String()
	if strings.Contains(got, "s3cret") || !strings.HasSuffix(got, "noise | last ?[31mwords") || len(got) > 200 {
		t.Errorf("got %q", got)
	}
	if len(log.kept) > tailBytes {
		t.Errorf("%d bytes kept", len(log.kept))
	}
}
