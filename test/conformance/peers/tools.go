//go:build tools

// Package tools names the programs that are built from this module.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-proxy/app"
	_ "k8s.io/kubernetes/cmd/kubelet/app"
	_ "k8s.io/kubernetes/test/e2e"
)
