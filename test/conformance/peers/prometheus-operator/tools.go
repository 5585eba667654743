//go:build tools

// Package tools keeps the operator among the requirements of the module.
package tools

import _ "github.com/prometheus-operator/prometheus-operator/cmd/operator"
