package backends

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
)

// sessionNotes are small files, one for each open session, that say which
// process has it. They hold no secret. A note that cannot be written costs its
// session's release after a crash, and nothing else, so their errors are not
// told.
type sessionNotes struct {
	folder  string // empty means the user's cache folder
	account string // whose sessions they are; only a fingerprint is written
}

type sessionNote struct {
	Session string `json:"session"`
	Account string `json:"account"`
	PID     int    `json:"pid"`
	Began   string `json:"began,omitempty"` // tells a process from a later one of the same id
	Host    string `json:"host"`
}

const notePrefix, noteSuffix = "browserbase-", ".json"

func (n sessionNotes) add(session string) {
	path, ok := n.path(session)
	if !ok {
		return
	}
	host, err := os.Hostname()
	if err != nil {
		return // nobody could tell later whose process it was
	}
	text, err := json.Marshal(sessionNote{session, n.fingerprint(), os.Getpid(), processBegan(os.Getpid()), host})
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = os.WriteFile(path, text, 0o600)
}

func (n sessionNotes) remove(session string) {
	if path, ok := n.path(session); ok {
		_ = os.Remove(path)
	}
}

// orphans are the sessions of this account and this machine whose process is
// no more.
func (n sessionNotes) orphans() []string {
	folder, ok := n.where()
	if !ok {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		return nil
	}
	var ids []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), notePrefix) || !strings.HasSuffix(e.Name(), noteSuffix) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		var note sessionNote
		if err != nil || json.Unmarshal(text, &note) != nil {
			continue
		}
		if note.Account == n.fingerprint() && note.Host == host && !stillRuns(note.PID, note.Began) {
			ids = append(ids, note.Session)
		}
	}
	return ids
}

func (n sessionNotes) where() (string, bool) {
	if n.folder != "" {
		return n.folder, true
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "cdpsupervisor"), err == nil
}

// path is the note of a session, whose id comes from the network.
func (n sessionNotes) path(session string) (string, bool) {
	folder, ok := n.where()
	if !ok || !regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`).MatchString(session) {
		return "", false
	}
	return filepath.Join(folder, notePrefix+session+noteSuffix), true
}

func (n sessionNotes) fingerprint() string {
	sum := sha256.Sum256([]byte(n.account))
	return hex.EncodeToString(sum[:8])
}

// stillRuns reports whether the process that wrote a note is there. Where the
// system does not say when a process began, another that has taken the id over
// counts as well; then the session ends by its own timeout.
func stillRuns(pid int, began string) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS != "windows" { // there FindProcess has opened it
		if err := p.Signal(syscall.Signal(0)); err != nil && !errors.Is(err, os.ErrPermission) {
			return false
		}
	}
	return processBegan(pid) == began
}

// processBegan is when a process began, in the system's own words, or empty.
// In containers ids are few and come again at every start.
func processBegan(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The fields after the command's name, which may hold anything.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const startTime = 19
	if len(fields) <= startTime {
		return ""
	}
	return fields[startTime]
}
