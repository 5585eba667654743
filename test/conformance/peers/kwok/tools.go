//go:build tools

// Package tools keeps kwok among the requirements of the module.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
