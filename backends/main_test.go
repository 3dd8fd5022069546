package backends

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(victimEnv) != "" {
		runVictim()
		return
	}
	goleak.VerifyTestMain(m)
}

// chromium returns the browser for tests that need a real one. Without one
// they are skipped on a developer's machine and fail where CI is set: a green
// run there must mean that they ran.
func chromium(t *testing.T) string {
	t.Helper()
	path, err := FindChromium("")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}
