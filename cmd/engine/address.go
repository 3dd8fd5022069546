package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"unicode"
)

// checkAddress refuses what cannot be listened on before a browser is started
// for it. The host may be left out; the port is a number, where 0 is a free one.
func checkAddress(address string) error {
	if strings.ContainsFunc(address, unicode.IsSpace) {
		return fmt.Errorf("address %q holds white space; write host:port", address)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q is not host:port; write both, an IPv6 address in brackets", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("address %q has no port from 0 to 65535; write host:port", address)
	}
	return nil
}
