package cdpwire

// kind is an event that the engine has a use for.
type kind uint8

const (
	kindNone kind = iota
	kindTargetCreated
	kindTargetInfoChanged
	kindTargetDestroyed
	kindTargetCrashed
	kindAttachedToTarget
	kindDetachedFromTarget
	kindFrameAttached
	kindFrameNavigated
	kindFrameDetached
	kindNavigatedWithinDocument
	kindDocumentOpened
	kindFrameStartedNavigating
	kindDialogOpening
	kindDialogClosed
	kindContextCreated
	kindContextDestroyed
	kindContextsCleared
	kindInspectorCrashed
	kindInspectorReloaded
	kindInspectorDetached
	kindRequestPaused
	kindDebuggerPaused
	kindDebuggerResumed
	// From here on bulk: what may be dropped under pressure.
	kindConsoleMessage
	kindExceptionThrown
)

// bulk reports whether events of the kind may be dropped under pressure.
func (k kind) bulk() bool { return k >= kindConsoleMessage }

// kindOf is the kind of an event's method; kindNone for what nobody needs.
func kindOf(method []byte) kind {
	switch string(method) {
	case "Target.targetCreated":
		return kindTargetCreated
	case "Target.targetInfoChanged":
		return kindTargetInfoChanged
	case "Target.targetDestroyed":
		return kindTargetDestroyed
	case "Target.targetCrashed":
		return kindTargetCrashed
	case "Target.attachedToTarget":
		return kindAttachedToTarget
	case "Target.detachedFromTarget":
		return kindDetachedFromTarget
	case "Page.frameAttached":
		return kindFrameAttached
	case "Page.frameNavigated":
		return kindFrameNavigated
	case "Page.frameDetached":
		return kindFrameDetached
	case "Page.navigatedWithinDocument":
		return kindNavigatedWithinDocument
	case "Page.documentOpened":
		return kindDocumentOpened
	case "Page.frameStartedNavigating":
		return kindFrameStartedNavigating
	case "Page.javascriptDialogOpening":
		return kindDialogOpening
	case "Page.javascriptDialogClosed":
		return kindDialogClosed
	case "Runtime.executionContextCreated":
		return kindContextCreated
	case "Runtime.executionContextDestroyed":
		return kindContextDestroyed
	case "Runtime.executionContextsCleared":
		return kindContextsCleared
	case "Inspector.targetCrashed":
		return kindInspectorCrashed
	case "Inspector.targetReloadedAfterCrash":
		return kindInspectorReloaded
	case "Inspector.detached":
		return kindInspectorDetached
	case "Fetch.requestPaused":
		return kindRequestPaused
	case "Debugger.paused":
		return kindDebuggerPaused
	case "Debugger.resumed":
		return kindDebuggerResumed
	case "Runtime.consoleAPICalled":
		return kindConsoleMessage
	case "Runtime.exceptionThrown":
		return kindExceptionThrown
	}
	return kindNone
}
