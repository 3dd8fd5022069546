package actors

import "github.com/asynkron/protoactor-go/actor"

// Refuse answers a message that its receiver does not know, so that whoever sent
// it does not wait in vain; takes says what is known. What the library sends, or
// answers itself, is none.
func Refuse(ctx actor.Context, system *actor.ActorSystem, message any, takes string) {
	switch message.(type) {
	case actor.SystemMessage, actor.AutoReceiveMessage, actor.AutoRespond:
		return
	}
	if sender := ctx.Sender(); sender != nil {
		Tell(system, sender, invalid("%T is no message for this actor; it takes %s", message, takes))
	}
}
