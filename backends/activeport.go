package backends

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
)

// activePort is the content of a DevToolsActivePort file: two lines, the port
// and the path of the browser's WebSocket. The path has a random part that
// only who may read the profile knows.
type activePort struct {
	port int
	path string
}

// readActivePort reads the file of a profile folder. It is an error as long
// as the browser has not written both lines.
func readActivePort(folder string) (activePort, error) {
	name := filepath.Join(folder, activePortFile)
	content, err := os.ReadFile(name)
	if err != nil {
		return activePort{}, err
	}
	first, second, _ := strings.Cut(strings.TrimSpace(string(content)), "\n")
	port, err := strconv.Atoi(strings.TrimSpace(first))
	path := strings.TrimSpace(second)
	if err != nil || port < 1 || port > 65535 || !strings.HasPrefix(path, "/devtools/") {
		return activePort{}, fmt.Errorf("%s does not hold a port and a path", name)
	}
	return activePort{port: port, path: path}, nil
}

// authority names loopback by number: "localhost" can be ::1, where the
// browser does not listen.
func (p activePort) authority() string { return "127.0.0.1:" + strconv.Itoa(p.port) }

func (p activePort) endpoint() messages.Endpoint {
	return messages.Endpoint("ws://" + p.authority() + p.path)
}
