package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/cmd/engine/internal/config"
	"cdpsupervisor/simulations/record"
)

// options are the limits of the recording.
func (c *recordCommand) options() (record.Options, error) {
	o := record.Options{Clock: cdpwire.WallClock{}, Raw: c.Raw}
	switch {
	case c.Once && c.Listen == "":
		return o, errors.New("--once goes with --listen only; add --listen, or leave it out")
	case c.Listen != "":
		if err := checkAddress(c.Listen); err != nil {
			return o, fmt.Errorf("--listen: %w, such as 127.0.0.1:9333", err)
		}
	}
	if c.MaxSize != "" {
		n, err := bytesOf(c.MaxSize)
		if err != nil {
			return o, fmt.Errorf("--max-size: %w", err)
		}
		o.MaxBytes = n
	}
	if c.MaxTime != "" {
		d, err := config.ParseSeconds(c.MaxTime)
		if err != nil || d <= 0 {
			return o, fmt.Errorf("--max-time %q is no time above 0; write 300, 300s or 5m", c.MaxTime)
		}
		o.MaxTime = d
	}
	return o, nil
}

// bytesOf reads a size: a number, or one with KB, MB or GB behind it.
func bytesOf(text string) (int64, error) {
	number, factor := strings.ToUpper(strings.TrimSpace(text)), int64(1)
	for unit, f := range map[string]int64{"KB": 1e3, "MB": 1e6, "GB": 1e9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30} {
		if rest, ok := strings.CutSuffix(number, unit); ok {
			number, factor = strings.TrimSpace(rest), f
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > 1<<62/factor {
		return 0, fmt.Errorf("%q is no size above 0; write 500000, 100MB or 1GB", text)
	}
	return n * factor, nil
}

// checkOut says what is wrong with the file before a browser is started for it.
func (c *recordCommand) checkOut() error {
	if c.Out == "-" {
		return usage("--out - would be a file of that name; name another, or write ./- if you mean it")
	}
	if _, err := os.Lstat(c.Out); err == nil {
		return fmt.Errorf("%s is there already; name another file, or remove it", c.Out)
	}
	folder := filepath.Dir(c.Out)
	switch at, err := os.Stat(folder); {
	case err != nil:
		return usage("--out: there is no folder %q (%w); make that folder, or name another file", folder, err)
	case !at.IsDir():
		return usage("--out: %q is no folder; name another file", folder)
	}
	return nil
}
