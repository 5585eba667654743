//go:build tools

// Package tools keeps the controller among the requirements of the module.
package tools

import _ "github.com/argoproj/argo-rollouts/cmd/rollouts-controller"
