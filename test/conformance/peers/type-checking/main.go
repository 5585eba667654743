// Command type-checking prints, for each policy in JSON on a line of its input, the policy with the warnings
// of upstream's type checker about it. Schemas are those of the built-in kinds.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// row is one line of the fixture.
type row struct {
	Spec     json.RawMessage                           `json:"spec"`
	Warnings []admissionregistration.ExpressionWarning `json:"warnings"`
}

func main() {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, one := range []*runtime.Scheme{scheme.Scheme, apiextensions.Scheme} {
		for kind := range one.AllKnownTypes() {
			mapper.Add(kind, meta.RESTScopeRoot)
		}
	}
	checker := validating.TypeChecker{
		SchemaResolver: resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, scheme.Scheme, apiextensions.Scheme),
		RestMapper:     mapper,
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var one row
		must(json.Unmarshal(lines.Bytes(), &one))
		var policy admissionregistration.ValidatingAdmissionPolicy
		must(json.Unmarshal(one.Spec, &policy.Spec))
		one.Warnings = checker.Check(&policy)
		if one.Warnings == nil {
			one.Warnings = []admissionregistration.ExpressionWarning{}
		}
		must(out.Encode(one))
	}
	must(lines.Err())
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
