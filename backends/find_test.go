package backends

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// someMachine has the given environment and a home folder.
func someMachine(goos string, env map[string]string) machine {
	return machine{goos: goos, home: "/home/me", getenv: func(name string) string { return env[name] }}
}

// installed looks paths up in a list instead of on this machine.
func installed(paths ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, path := range paths {
			if path == name || filepath.Base(path) == name {
				return path, nil
			}
		}
		return "", fs.ErrNotExist
	}
}

func TestFindChromium(t *testing.T) {
	t.Parallel()
	windows := map[string]string{"ProgramFiles": "/pf", "ProgramFiles(x86)": "/pf86", "LocalAppData": "/local"}
	cases := []struct {
		name      string
		machine   machine
		explicit  string
		installed []string
		want      string
	}{
		{"Linux prefers Chrome", someMachine("linux", nil), "", []string{"/usr/bin/chromium", "/usr/bin/google-chrome"}, "/usr/bin/google-chrome"},
		{"Linux takes Chromium", someMachine("linux", nil), "", []string{"/usr/bin/brave", "/usr/bin/chromium"}, "/usr/bin/chromium"},
		{"Linux off the PATH", someMachine("linux", nil), "", []string{"/opt/microsoft/msedge/msedge"}, "/opt/microsoft/msedge/msedge"},
		{"Linux Brave", someMachine("linux", nil), "", []string{"/usr/bin/brave-browser"}, "/usr/bin/brave-browser"},
		{"macOS for all users", someMachine("darwin", nil), "",
			[]string{"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"},
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"},
		{"macOS for one user", someMachine("darwin", nil), "",
			[]string{"/home/me/Applications/Chromium.app/Contents/MacOS/Chromium"},
			"/home/me/Applications/Chromium.app/Contents/MacOS/Chromium"},
		{"Windows 32 bit", someMachine("windows", windows), "",
			[]string{"/pf86/Google/Chrome/Application/chrome.exe", "/pf/Microsoft/Edge/Application/msedge.exe"},
			"/pf86/Google/Chrome/Application/chrome.exe"},
		{"Windows for one user", someMachine("windows", windows), "",
			[]string{"/local/BraveSoftware/Brave-Browser/Application/brave.exe"},
			"/local/BraveSoftware/Brave-Browser/Application/brave.exe"},
		{"option before environment", someMachine("linux", map[string]string{EnvChromium: "/a/env"}), "/a/option",
			[]string{"/a/env", "/a/option", "/usr/bin/chromium"}, "/a/option"},
		{"environment before search", someMachine("linux", map[string]string{EnvChromium: "/a/env"}), "",
			[]string{"/a/env", "/usr/bin/chromium"}, "/a/env"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.machine.findChromium(c.explicit, installed(c.installed...))
			if err != nil || filepath.ToSlash(got) != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestFindChromiumErrorsNameTheWayOut(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		env      map[string]string
		explicit string
		wants    []string
	}{
		{"none", nil, "", []string{"--executable-path", EnvChromium, "install"}},
		{"option", nil, "/no/such", []string{"/no/such", "executable option", "name the program of a browser"}},
		{"environment", map[string]string{EnvChromium: "/no/such"}, "", []string{"/no/such", EnvChromium}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lookup := installed()
			if c.name != "none" {
				lookup = installed("/usr/bin/chromium") // must not be taken instead
			}
			_, err := someMachine("linux", c.env).findChromium(c.explicit, lookup)
			if !errors.Is(err, ErrNoBrowser) {
				t.Fatalf("got %v, want ErrNoBrowser", err)
			}
			for _, want := range c.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not name %q", err, want)
				}
			}
		})
	}
}

// In a variable, and behind --flag=, no shell puts the home folder there.
func TestTildeIsTheHomeFolder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(t.TempDir())
	kept, err := newProfile(Options{UserDataDir: "~/profile"}, "chromium")
	if want := filepath.Join(home, "profile"); err != nil || kept.folder != want {
		t.Errorf("the profile is in %q, %v; want %q", kept.folder, err, want)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("something was made in the working folder: %v, %v", left, err)
	}
	for explicit, env := range map[string]map[string]string{"~/bin/chrome": nil, "": {EnvChromium: "~/bin/chrome"}} {
		got, err := someMachine("linux", env).findChromium(explicit, installed("/home/me/bin/chrome"))
		if err != nil || filepath.ToSlash(got) != "/home/me/bin/chrome" {
			t.Errorf("%q: got %q, %v", explicit, got, err)
		}
	}
	if _, err := (machine{}).expandHome("~/x"); err == nil || !strings.Contains(err.Error(), "whole path") {
		t.Errorf("without a home folder: %v", err)
	}
}

func TestProfileFolders(t *testing.T) {
	t.Parallel()
	cases := []struct {
		machine machine
		wants   []string
	}{
		{someMachine("linux", nil), []string{"/home/me/.config/google-chrome", "/home/me/.config/chromium",
			"/home/me/.config/microsoft-edge", "/home/me/.config/BraveSoftware/Brave-Browser"}},
		{someMachine("linux", map[string]string{"XDG_CONFIG_HOME": "/xdg"}), []string{"/xdg/google-chrome"}},
		{someMachine("darwin", nil), []string{"/home/me/Library/Application Support/Google/Chrome"}},
		{someMachine("windows", map[string]string{"LocalAppData": "/local"}), []string{"/local/Google/Chrome/User Data"}},
	}
	for _, c := range cases {
		folders := c.machine.profileFolders()
		for _, want := range c.wants {
			if !slices.Contains(folders, filepath.FromSlash(want)) {
				t.Errorf("%s: %q is not among %q", c.machine.goos, want, folders)
			}
		}
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		nobody := machine{goos: goos, getenv: func(string) string { return "" }}
		if folders := nobody.profileFolders(); len(folders) > 0 {
			t.Errorf("%s without a home looks at %q, relative to the working directory", goos, folders)
		}
	}
}
