package demo

import (
	"context"
	"errors"
)

func newSimStage(context.Context) (stage, error) { return nil, errors.New("not yet") }
