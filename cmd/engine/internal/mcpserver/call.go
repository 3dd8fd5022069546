package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cdpsupervisor/messages"
	"cdpsupervisor/tools"
)

// progressAfter is when a call that is not over is first reported, and how
// often from then on.
const progressAfter = 2 * time.Second

// handle runs one call of a tool.
func (s *Server) handle(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if s.stopping.Err() != nil {
		return answer(tools.Failed(messages.Fail(messages.CodeStopped, "the server is stopping; nothing was done"))), nil
	}
	given, refused, ask := s.confirmed(req)
	switch {
	case ask != nil:
		return ask, nil
	case refused != nil:
		return answer(tools.Failed(refused)), nil
	}
	result := s.run(ctx, req, given)
	if req.Params.Name == "browser_connect" && result.Success() {
		s.sync() // there may be tools to list now
	}
	return answer(result), nil
}

// run calls the toolbox, with progress where the client asked for it.
func (s *Server) run(ctx context.Context, req *mcp.CallToolRequest, given leave) (result *tools.Result) {
	defer func() {
		if r := recover(); r != nil {
			s.options.Log.Error().Interface("panic", r).Bytes("stack", debug.Stack()).Str("tool", req.Params.Name).Msg("a tool panicked")
			result = tools.Failed(messages.Fail(messages.CodeStopped, "%s failed inside the engine; it may have run, and its log says more", req.Params.Name))
		}
	}()
	if token := req.Params.GetProgressToken(); token != nil {
		defer s.reportProgress(ctx, req, token)()
	}
	return s.options.Tools.Call(ctx, given.caller, req.Params.Name, given.args)
}

// answer puts a result into both forms that clients read.
func answer(r *tools.Result) *mcp.CallToolResult {
	text := r.JSON()
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: json.RawMessage(text),
		IsError:           !r.Success(),
	}
}

// reportProgress tells the client every other second that the call is still
// under way. The function that it returns ends that, and waits for it: nothing
// may follow the call's own answer.
func (s *Server) reportProgress(ctx context.Context, req *mcp.CallToolRequest, token any) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer s.recovered("progress")
		began := s.options.Clock.Now()
		for {
			if !s.pause(ctx, progressAfter) {
				return
			}
			seconds := s.options.Clock.Now().Sub(began).Round(time.Second).Seconds()
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      seconds,
				Message:       fmt.Sprintf("%s is still under way after %.0f s", req.Params.Name, seconds),
			})
			if err != nil {
				return // nobody listens
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// pause waits, and reports whether the context lasted as long.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	over := make(chan struct{})
	timer := s.options.Clock.AfterFunc(d, func() { close(over) })
	defer timer.Stop()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}
