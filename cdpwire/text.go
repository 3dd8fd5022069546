package cdpwire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// stringEnd returns the index of the quote that ends the string whose text
// begins at b[i], or -1. Plain means ASCII without escapes.
func stringEnd(b []byte, i int) (end int, plain bool) {
	plain = true
	for i < len(b) {
		if i+8 <= len(b) {
			special := specialBytes(binary.LittleEndian.Uint64(b[i:]))
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) >> 3
		}
		switch c := b[i]; {
		case c == '"':
			return i, plain
		case c == '\\':
			plain = false
			if i = escapeEnd(b, i+1); i < 0 {
				return -1, false
			}
		case c < ' ':
			return -1, false
		default:
			plain = plain && c < 0x80
			i++
		}
	}
	return -1, false
}

// specialBytes marks the bytes of eight that a string does not simply contain:
// quotes, backslashes, control characters, and all that is not ASCII. Only the
// lowest mark is exact.
func specialBytes(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	return ((x-ones*' ')&^x | (quote-ones)&^quote | (slash-ones)&^slash | x) & highs
}

// escapeEnd returns the index behind the escape whose letter is b[i], or -1.
func escapeEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if _, ok := hex4(b, i+1); ok {
			return i + 5
		}
	}
	return -1
}

// hex4 is the number that the four hexadecimal digits at b[i:] stand for.
func hex4(b []byte, i int) (rune, bool) {
	if len(b)-i < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendText appends the text of a string token to dst until limit bytes are
// appended, and reports whether anything was left out. A half of a surrogate
// pair and a byte that is not UTF-8 become U+FFFD: a page must not be able to
// make a message unreadable. A cut stands before a character, never in it.
func appendText(dst, raw []byte, limit int) (text []byte, cut bool) {
	var char [utf8.UTFMax]byte
	limit += len(dst)
	for i := 0; i < len(raw); {
		var r rune
		if c := raw[i]; c < utf8.RuneSelf && c != '\\' {
			if len(dst) >= limit {
				return dst, true
			}
			dst = append(dst, c)
			i++
			continue
		} else if c == '\\' {
			r, i = unescape(raw, i+1)
		} else {
			var size int
			r, size = utf8.DecodeRune(raw[i:])
			i += size
		}
		n := utf8.EncodeRune(char[:], r)
		if len(dst)+n > limit {
			return dst, true
		}
		dst = append(dst, char[:n]...)
	}
	return dst, false
}

// unescape returns the character of the escape whose letter is raw[i], and the
// index behind it. The scanner has checked the escape.
func unescape(raw []byte, i int) (rune, int) {
	switch raw[i] {
	case 'b':
		return '\b', i + 1
	case 'f':
		return '\f', i + 1
	case 'n':
		return '\n', i + 1
	case 'r':
		return '\r', i + 1
	case 't':
		return '\t', i + 1
	case 'u':
		return unescapeUnit(raw, i+1)
	}
	return rune(raw[i]), i + 1
}

// unescapeUnit returns the character of the UTF-16 unit at raw[i:], with the
// unit that follows where both are a pair.
func unescapeUnit(raw []byte, i int) (rune, int) {
	r, _ := hex4(raw, i)
	i += 4
	if !utf16.IsSurrogate(r) {
		return r, i
	}
	if i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
		if second, ok := hex4(raw, i+2); ok {
			if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
				return pair, i + 6
			}
		}
	}
	return utf8.RuneError, i
}
