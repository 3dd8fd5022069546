package backends

import (
	"fmt"
	"os/exec"
)

// EnvChromium names the environment variable that says which browser to
// launch when no option does.
const EnvChromium = "CDPSUPERVISOR_CHROMIUM"

// FindChromium returns the browser to launch: explicit if it is not empty (a
// path, or a name on the PATH), else what [EnvChromium] names, else the first
// of Chrome, Chromium, Edge and Brave that is installed. What was named and is
// not there is an error, never replaced by another browser in silence.
func FindChromium(explicit string) (string, error) {
	return thisMachine().findChromium(explicit, exec.LookPath)
}

func (m machine) findChromium(explicit string, lookPath func(string) (string, error)) (string, error) {
	named, by := explicit, "the executable option"
	if named == "" {
		named, by = m.getenv(EnvChromium), EnvChromium
	}
	if named != "" {
		path, err := m.expandHome(named)
		if err == nil {
			path, err = lookPath(path)
		}
		if err != nil {
			return "", fmt.Errorf("%w: %s names %q, which cannot be run: %w; name the program of a browser, or leave it out to have one found",
				ErrNoBrowser, by, named, err)
		}
		return path, nil
	}
	for _, candidate := range m.browsers() {
		if path, err := lookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: looked for Chrome, Chromium, Edge and Brave on the PATH and in the usual places; "+
		"install one (on Debian: apt-get install chromium) or name it with --executable-path or %s",
		ErrNoBrowser, EnvChromium)
}

// browsers lists names on the PATH and full paths, best first.
func (m machine) browsers() []string {
	switch m.goos {
	case "darwin":
		apps := []string{
			"Google Chrome.app/Contents/MacOS/Google Chrome",
			"Chromium.app/Contents/MacOS/Chromium",
			"Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
			"Brave Browser.app/Contents/MacOS/Brave Browser",
		}
		found := under("/Applications", apps...)
		found = append(found, under(m.home, prefixed("Applications/", apps)...)...)
		return append(found, "google-chrome", "chromium")
	case "windows":
		apps := []string{
			"Google/Chrome/Application/chrome.exe",
			"Chromium/Application/chrome.exe",
			"Microsoft/Edge/Application/msedge.exe",
			"BraveSoftware/Brave-Browser/Application/brave.exe",
		}
		var found []string
		for _, app := range apps { // a browser's three places before the next browser
			for _, base := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
				found = append(found, under(m.getenv(base), app)...)
			}
		}
		return append(found, "chrome.exe", "msedge.exe", "brave.exe")
	default:
		return []string{
			"google-chrome", "google-chrome-stable", "chrome", "/opt/google/chrome/chrome",
			"chromium", "chromium-browser", "/usr/lib/chromium/chromium", "/snap/bin/chromium",
			"microsoft-edge", "microsoft-edge-stable", "/opt/microsoft/msedge/msedge",
			"brave-browser", "brave", "/opt/brave.com/brave/brave",
		}
	}
}

func prefixed(prefix string, names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		out = append(out, prefix+name)
	}
	return out
}
