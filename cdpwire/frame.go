package cdpwire

import (
	"encoding/binary"
	"math/rand/v2"
)

// The first byte of a WebSocket frame (RFC 6455, section 5.2).
const (
	frameFinal        = 0x80
	frameContinuation = 0x0
	frameText         = 0x1
	frameBinary       = 0x2
	frameClose        = 0x8
	framePing         = 0x9
	framePong         = 0xa
	frameMasked       = 0x80 // in the second byte

	closeNormal = 1000 // the code of a close frame in good order
)

// appendMessage appends a text message to b as a client sends it, masked, in
// fragments of at most limit bytes. Between two fragments full is called, which
// may take b and returns what to go on with.
func appendMessage(b, msg []byte, limit int, full func([]byte) ([]byte, error)) (out []byte, err error) {
	opcode := byte(frameText)
	for len(msg) > limit {
		if b, err = full(appendFrame(b, opcode, msg[:limit])); err != nil {
			return b, err
		}
		opcode, msg = frameContinuation, msg[limit:]
	}
	return appendFrame(b, frameFinal|opcode, msg), nil
}

// appendFrame appends one masked frame.
func appendFrame(b []byte, first byte, payload []byte) []byte {
	switch n := len(payload); {
	case n < 126:
		b = append(b, first, frameMasked|byte(n))
	case n <= 0xffff:
		b = binary.BigEndian.AppendUint16(append(b, first, frameMasked|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, first, frameMasked|127), uint64(n))
	}
	// The key keeps what a page wrote from looking like another protocol to a
	// proxy between, so it must not be guessed; it hides nothing.
	key := rand.Uint32()
	b = binary.BigEndian.AppendUint32(b, key)
	start := len(b)
	b = append(b, payload...)
	mask(b[start:], key)
	return b
}

// mask applies the key to a payload that begins a frame.
func mask(b []byte, key uint32) {
	wide := uint64(key)<<32 | uint64(key)
	for len(b) >= 8 {
		binary.BigEndian.PutUint64(b, binary.BigEndian.Uint64(b)^wide)
		b = b[8:]
	}
	for i := range b {
		b[i] ^= byte(key >> (24 - 8*(i&3)))
	}
}
