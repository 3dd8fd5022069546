package scenarios

func Exempt() map[string]string    { return nil }
func runtimeScenarios() []Scenario { return nil }
func scriptScenarios() []Scenario  { return nil }
func fetchScenarios() []Scenario   { return nil }
func blockedRequests() []Scenario  { return nil }
func tabScenarios() []Scenario     { return nil }
func wireScenarios() []Scenario    { return nil }
