package fakebrowser

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// idSource makes ids that look like Chromium's and depend on nothing but the
// seed and how many were made before.
type idSource struct {
	seed uint64
	made uint64
}

func (s *idSource) bytes() [32]byte {
	s.made++
	var in [16]byte
	binary.BigEndian.PutUint64(in[:8], s.seed)
	binary.BigEndian.PutUint64(in[8:], s.made)
	return sha256.Sum256(in[:])
}

// hex32 is an id of a target, frame, loader or session.
func (s *idSource) hex32() string {
	b := s.bytes()
	return strings.ToUpper(hex.EncodeToString(b[:16]))
}

// guid is the id of a browser process.
func (s *idSource) guid() string {
	b := s.bytes()
	h := hex.EncodeToString(b[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// number is a signed id, as V8 makes them for isolates and contexts.
func (s *idSource) number() int64 {
	b := s.bytes()
	return int64(binary.BigEndian.Uint64(b[:8]))
}

// unique is the uniqueId of an execution context.
func (s *idSource) unique() string { return fmt.Sprintf("%d.%d", s.number(), s.number()) }
