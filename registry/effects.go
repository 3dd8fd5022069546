package registry

import "cdpsupervisor/messages"

// effect is what the directory wants done.
type effect interface{ registryEffect() }

type (
	spawn struct {
		task    messages.TaskID
		life    uint64
		request request
	}
	tellStop struct {
		task   messages.TaskID
		reason string
	}
	forceStop struct{ task messages.TaskID }
	tellGrant struct {
		task  messages.TaskID
		epoch messages.Epoch
		taken []messages.TargetID
	}
	tellTaken struct {
		task messages.TaskID
		page messages.TargetID
	}
	tellPolicy struct {
		task    messages.TaskID
		options messages.TaskOptions
	}
	answer struct {
		to     asker
		result messages.Result
	}
	arm struct{ timer messages.RegistryTimer }
	// forget says that the task is no longer to be found by Get.
	forget struct{ task messages.TaskID }
	// finish says that the registry is closed.
	finish struct{}
)

func (spawn) registryEffect()      {}
func (tellStop) registryEffect()   {}
func (forceStop) registryEffect()  {}
func (tellGrant) registryEffect()  {}
func (tellTaken) registryEffect()  {}
func (tellPolicy) registryEffect() {}
func (answer) registryEffect()     {}
func (arm) registryEffect()        {}
func (forget) registryEffect()     {}
func (finish) registryEffect()     {}
