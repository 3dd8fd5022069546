package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

const (
	envToken = "CDPSUPERVISOR_TOKEN"
	// maxTokenBytes is the largest token file: a header takes no more.
	maxTokenBytes = 32 << 10
)

// token reads the bearer token. It is no flag, because everybody on a machine
// can read command lines.
func (f *mcpFlags) token() (string, error) {
	if f.TokenFile == "" {
		token := strings.TrimSpace(os.Getenv(envToken))
		if problem := tokenProblem(token); problem != "" {
			return "", usage("the token in %s %s; make one with: openssl rand -hex 32", envToken, problem)
		}
		return token, nil
	}
	wayOut := "write one with: openssl rand -hex 32 > " + f.TokenFile
	text, err := readAtMost(f.TokenFile, maxTokenBytes)
	if err != nil {
		return "", usage("the token: %w; name a file with --token-file, and %s", err, wayOut)
	}
	token := strings.TrimSpace(string(text))
	switch problem := tokenProblem(token); {
	case token == "":
		return "", usage("the token file %s is empty; %s", f.TokenFile, wayOut)
	case problem != "":
		return "", usage("the token in %s %s; %s", f.TokenFile, problem, wayOut)
	}
	return token, nil
}

// tokenProblem says why no client could send a token, without quoting it.
func tokenProblem(token string) string {
	for _, r := range token {
		switch {
		case unicode.IsSpace(r):
			return "holds white space, which no client can send"
		case unicode.IsControl(r):
			return "holds a control character, which no client can send"
		}
	}
	return ""
}

// readAtMost reads a file that has to be small.
func readAtMost(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is larger than %d KiB", path, limit>>10)
	}
	return text, err
}
