// Package mcpserver offers the tools of a [tools.Toolbox] over the Model
// Context Protocol, on stdio and on streamable HTTP, with the official SDK
// below it.
//
//   - server.go makes the SDK's server out of the toolbox and keeps its list
//     of tools equal to the toolbox's
//   - call.go is the way of one call: progress, confirmation, cancellation
//   - stdio.go is the transport over stdin and stdout
//   - http.go is what stands before the SDK's HTTP handler: Host, Origin,
//     bearer token, body limit, and the stop
//
// Arguments are checked by the toolbox and not by the SDK, so that every
// failure has the one shape that the toolbox gives it.
package mcpserver
