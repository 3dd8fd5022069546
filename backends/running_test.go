package backends

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folderWith is a profile folder with the given DevToolsActivePort.
func folderWith(t *testing.T, content string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, activePortFile), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// browserAt answers /json/version as a browser with the given path does.
func browserAt(t *testing.T, path string) (port string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/json/version" || path == "" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprintf(w, `{"Browser":"Chrome/1","webSocketDebuggerUrl":"ws://%s%s"}`, r.Host, path)
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// nobody is an address on which nothing listens.
func nobody(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.Listener.Addr().String()
}

func TestReadActivePort(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"9222\n/devtools/browser/a", "9222\r\n/devtools/browser/a\r\n", " 9222 \n/devtools/browser/a\n"} {
		port, err := readActivePort(folderWith(t, content))
		if err != nil || port.endpoint() != "ws://127.0.0.1:9222/devtools/browser/a" {
			t.Errorf("%q: %v, %v", content, port, err)
		}
	}
	for _, content := range []string{"", "9222", "9222\n", "0\n/devtools/browser/a", "99999\n/devtools/browser/a", "x\n/devtools/browser/a", "9222\n@evil/x"} {
		if port, err := readActivePort(folderWith(t, content)); err == nil {
			t.Errorf("%q was taken for %v", content, port)
		}
	}
}

func TestFindRunningSkipsWhatIsDead(t *testing.T) {
	t.Parallel()
	alive := browserAt(t, "/devtools/browser/alive")
	_, deadPort, _ := strings.Cut(nobody(t), ":")
	r := &Running{address: nobody(t), folders: []string{
		filepath.Join(t.TempDir(), "never used"),
		folderWith(t, deadPort+"\n/devtools/browser/dead"),
		folderWith(t, "half written"),
		folderWith(t, alive+"\n/devtools/browser/earlier"), // the port is another browser's now
		folderWith(t, alive+"\n/devtools/browser/alive"),
	}}
	lease, err := r.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := "ws://127.0.0.1:" + alive + "/devtools/browser/alive"; lease.Endpoint.Reveal() != want {
		t.Errorf("got %s, want %s", lease.Endpoint.Reveal(), want)
	}
	if lease.Close != nil || lease.OwnsBrowser {
		t.Error("a person's browser is not ours to end")
	}
}

// It is not the usual port alone: a browser with remote debugging switched on has
// another one, which stands in its everyday profile.
func TestRunningLooksIntoTheUsualFolders(t *testing.T) {
	config := t.TempDir()
	t.Setenv("HOME", config)
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("LocalAppData", config)
	folders := thisMachine().profileFolders()
	if len(folders) < 4 {
		t.Fatalf("the usual folders are %q", folders)
	}
	alive := browserAt(t, "/devtools/browser/alive")
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, activePortFile)
		if err := os.WriteFile(path, []byte(alive+"\n/devtools/browser/alive"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := FindRunning(t.Context())
		if want := "ws://127.0.0.1:" + alive + "/devtools/browser/alive"; err != nil || got.Reveal() != want {
			t.Errorf("%s: got %s, %v", folder, got.Reveal(), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindRunningWithoutDiscovery(t *testing.T) {
	t.Parallel()
	port := browserAt(t, "")
	r := &Running{address: nobody(t), folders: []string{folderWith(t, port+"\n/devtools/browser/a")}}
	got, err := r.find(t.Context())
	if want := "ws://127.0.0.1:" + port + "/devtools/browser/a"; err != nil || got.Reveal() != want {
		t.Errorf("got %s, %v; want %s", got.Reveal(), err, want)
	}
}

func TestFindRunningOnTheUsualPort(t *testing.T) {
	t.Parallel()
	address := "127.0.0.1:" + browserAt(t, "/devtools/browser/a")
	got, err := (&Running{address: address}).find(t.Context())
	if err != nil || got.Reveal() != "http://"+address {
		t.Errorf("got %s, %v", got.Reveal(), err)
	}
}

func TestFindRunningFindsNothing(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>hello</html>"))
	}))
	t.Cleanup(stranger.Close)
	_, port, _ := strings.Cut(stranger.Listener.Addr().String(), ":")
	folder := folderWith(t, port+"\n/devtools/browser/s3cret")
	_, err := (&Running{address: stranger.Listener.Addr().String(), folders: []string{folder}}).find(t.Context())
	if !errors.Is(err, ErrNotRunning) {
		t.Fatalf("got %v, want ErrNotRunning", err)
	}
	for _, want := range []string{folder, "--remote-debugging-port", "chrome://inspect"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%q shows the secret path", err)
	}
}
