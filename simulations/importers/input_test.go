package importers_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"cdpsupervisor/simulations/importers"
)

// TestWide: UTF-16 is read in either order of its bytes, and half a pair costs no
// more than itself.
func TestWide(t *testing.T) {
	text := `{"t":0,"dir":"recv","msg":{"method":"A.b","params":{"s":"` + "\U0001F600x" + `"}}}` + "\n"
	_, want, _ := shown(t, text, importers.Options{})
	high, low := []byte{0xFE, 0xFF}, []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		high = append(high, byte(u>>8), byte(u))
		low = append(low, byte(u), byte(u>>8))
	}
	for name, raw := range map[string][]byte{"the high byte first": high, "the low byte first": low} {
		if _, lines, _ := shown(t, string(raw), importers.Options{}); !slices.Equal(lines, want) {
			t.Errorf("%s: %q", name, lines)
		}
	}
	// The second half of the pair is left out, the character behind it is not, nor
	// is the quote behind a half that stands last.
	for half, torn := range map[string][2]string{"first": {"\xD8\x3D\xDE\x00\x00x", "\xD8\x3D\x00x"}, "second": {"\xD8\x3D\xDE\x00\x00x", "\xDE\x00\x00x"}, "last": {"\xD8\x3D\xDE\x00\x00x", "\x00x\xD8\x3D"}} {
		raw := strings.Replace(string(high), torn[0], torn[1], 1)
		_, lines, warnings := shown(t, raw, importers.Options{})
		if len(lines) != 1 || !strings.Contains(lines[0], "x") || !strings.Contains(lines[0], "\uFFFD") {
			t.Errorf("the %s half alone: %q, %q", half, lines, warnings)
		}
	}
}

// TestDamaged: a file that cannot be read to its end is an error that says so, in
// whatever form; it is not taken for one that was cut off.
func TestDamaged(t *testing.T) {
	event := `{"method":"Page.frameNavigated","params":{"frame":{"id":"F"}}}` + "\n"
	var zipped bytes.Buffer
	g := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(g, strings.Repeat(event, 20_000))
	_ = g.Close()
	flipped := zipped.Bytes()
	flipped[len(flipped)-6] ^= 0xFF // of the checksum
	sector := iotest.ErrReader(errors.New("a bad sector"))
	for name, c := range map[string]struct {
		in   io.Reader
		want string
	}{
		"gzip":     {bytes.NewReader(flipped), "the compressed file is damaged"},
		"an array": {io.MultiReader(strings.NewReader("["+strings.Repeat(event+",", 5000)+`{"method":"Page.`), sector), "a bad sector"},
		"lines":    {io.MultiReader(strings.NewReader(strings.Repeat(event, 5000)+`{"method":"Page.`), sector), "a bad sector"},
	} {
		trace, err := importers.Read(c.in, importers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := -1
		for ; err == nil; n++ {
			_, err = trace.Next()
		}
		if !strings.Contains(err.Error(), c.want) || n < 5000 {
			t.Errorf("%s: %v after %d messages", name, err, n)
		}
		_ = trace.Close()
	}
}

// TestWrongForm: where a form is named and nothing is of it, that is an error, and
// not a log without messages.
func TestWrongForm(t *testing.T) {
	text := `{"method":"Page.frameNavigated","params":{"frame":{"id":"F"}}}` + "\n"
	for _, c := range []struct {
		format importers.Format
		text   string
		want   error
	}{
		{importers.FormatRod, text, importers.ErrFormat},
		{importers.FormatCDP4J, text, importers.ErrFormat},
		{importers.FormatTrace, text, importers.ErrFormat},
		{importers.FormatDevtoolsLog, text + "rubbish\n", nil},
		{importers.FormatRod, "", io.EOF},
	} {
		trace, err := importers.Read(strings.NewReader(c.text), importers.Options{Format: c.format})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = trace.Next(); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v", c.format, err)
		}
		_ = trace.Close()
	}
}
