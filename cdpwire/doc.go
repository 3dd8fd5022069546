// Package cdpwire is the only place that knows CDP JSON and the socket.
//
// Bytes become typed events here, once, and typed commands become bytes: the
// rest of the engine speaks package messages. Read conn.go first; around it
// stand the transport (websocket.go, netconn.go), the decoder (envelope.go,
// scan.go, decode*.go), the encoder (encode.go), the calls that wait for their
// replies (pending.go), the way to an endpoint (identity.go, discover.go,
// dial.go), the trace format (trace*.go), and the one real clock (clock.go).
//
// No type of the CDP library, of the WebSocket library or of a JSON library is
// in an exported signature, and no error or text that leaves this package
// holds a credential, a path or a query of an endpoint.
package cdpwire
