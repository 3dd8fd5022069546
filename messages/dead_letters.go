package messages

// What the engine's actors send each other can reach an actor that has just
// stopped. That is normal, and the messages can hold page text, so that they
// must not be written to the log of dead letters.

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*Batch) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SocketOpened) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*Disconnected) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SendFailed) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*Outgoing) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*WillChanged) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*DialogsOpen) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*DialogsSettled) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*TargetPoisoned) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*RemoteClosed) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*Answered) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SessionsChanged) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*CapabilityLost) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*ClaimGranted) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*StopSupervisor) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*TimerFired) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*ChildFailed) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*PageTaken) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SocketQuiet) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SendCommand) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging as above.
func (*SendCommands) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SetWill) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*CloseSocket) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*LivenessTick) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SessionInputs) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SessionTimer) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*EndSessions) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*TaskPart) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*DialogsPart) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*Note) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*EventsPublished) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*GetOrStart) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*StopTask) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*CloseRegistry) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SupervisorReady) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SupervisorEnded) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*SupervisorFailed) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*ClaimPage) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*PageClaimed) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*PageReleased) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging keeps the message out of the log.
func (*RegistryTimer) IgnoreDeadLetterLogging() {}
