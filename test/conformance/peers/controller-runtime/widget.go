package main

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

var groupVersion = schema.GroupVersion{Group: "go.peers.knarr.test", Version: "v1"}

type WidgetSpec struct {
	Size int32 `json:"size"`
}

type WidgetStatus struct {
	ReadySize  int32              `json:"readySize,omitempty"`
	By         string             `json:"by,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

func (w *Widget) DeepCopyObject() runtime.Object {
	to := *w
	w.ObjectMeta.DeepCopyInto(&to.ObjectMeta)
	to.Status.Conditions = append([]metav1.Condition(nil), w.Status.Conditions...)
	return &to
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	to := *l
	l.ListMeta.DeepCopyInto(&to.ListMeta)
	to.Items = nil
	for i := range l.Items {
		to.Items = append(to.Items, *l.Items[i].DeepCopyObject().(*Widget))
	}
	return &to
}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}

var definition = &apiextensionsv1.CustomResourceDefinition{
	ObjectMeta: metav1.ObjectMeta{Name: "widgets." + groupVersion.Group},
	Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: groupVersion.Group,
		Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name:         groupVersion.Version,
			Served:       true,
			Storage:      true,
			Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"spec": {
						Type:       "object",
						Required:   []string{"size"},
						Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": {Type: "integer", Format: "int32", Minimum: ptr.To(0.0)}},
					},
					"status": {Type: "object", XPreserveUnknownFields: ptr.To(true)},
				},
			}},
		}},
	},
}
