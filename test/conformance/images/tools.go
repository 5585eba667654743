//go:build tools

// Package images names the programs in the images.
package images

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/test/images/agnhost"
	_ "k8s.io/kubernetes/test/images/nonewprivs"
	_ "k8s.io/sample-apiserver"
)
