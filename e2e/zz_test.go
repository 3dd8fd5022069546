package e2e

const childVariable = "X"

func beChild(string) int { return 0 }
