// Command controller-runtime runs an operator in kubebuilder's layout: finalizer, owned objects, status, events,
// and two managers with leader election.
package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "go.peers.knarr.test/finalizer"

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

// eventually waits until a condition holds.
func eventually(ctx context.Context, what string, condition func() (bool, error)) {
	check(what, wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
		return condition()
	}))
}

type reconciler struct {
	client.Client
	name      string
	recorder  events.EventRecorder
	finalized atomic.Int32
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		if !controllerutil.RemoveFinalizer(widget, finalizer) {
			return ctrl.Result{}, nil
		}
		err := r.Update(ctx, widget)
		if err == nil {
			r.finalized.Add(1)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		return ctrl.Result{}, r.Update(ctx, widget)
	}
	owner := metav1apply.OwnerReference().WithAPIVersion(groupVersion.String()).WithKind("Widget").
		WithName(widget.Name).WithUID(widget.UID).WithController(true).WithBlockOwnerDeletion(true)
	applied := corev1apply.ConfigMap(widget.Name, widget.Namespace).WithOwnerReferences(owner).
		WithData(map[string]string{"size": fmt.Sprint(widget.Spec.Size)})
	if err := r.Apply(ctx, applied, client.FieldOwner("widgets"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		secret.StringData = map[string]string{"key": widget.Name}
		return controllerutil.SetControllerReference(widget, secret, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := widget.DeepCopyObject().(*Widget)
	widget.Status.ReadySize = widget.Spec.Size
	widget.Status.By = r.name
	meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Made", ObservedGeneration: widget.Generation})
	if err := r.Status().Patch(ctx, widget, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return ctrl.Result{}, err
	}
	r.recorder.Eventf(widget, nil, corev1.EventTypeNormal, "Made", "Make", "made %d", widget.Spec.Size)
	return ctrl.Result{}, nil
}

// lead starts a manager that waits for the lease, and returns its reconciler, a channel that closes when it is
// elected, and a function that stops it.
func lead(ctx context.Context, config *rest.Config, scheme *runtime.Scheme, namespace, name string) (*reconciler, <-chan struct{}, func()) {
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       server.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "widgets",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 ptr.To(4 * time.Second),
		RenewDeadline:                 ptr.To(3 * time.Second),
		RetryPeriod:                   ptr.To(200 * time.Millisecond),
	})
	check("manager", err)
	r := &reconciler{Client: manager.GetClient(), name: name, recorder: manager.GetEventRecorder("widgets")}
	check("controller", ctrl.NewControllerManagedBy(manager).Named(name).
		For(&Widget{}).Owns(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(r))
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	stop := func() {
		cancel()
		check("manager "+name, <-ended)
	}
	return r, manager.Elected(), stop
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	config, err := ctrl.GetConfig()
	check("kubeconfig", err)
	check("scheme", addToScheme(scheme.Scheme))
	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}})
	check("install the CRD", err)
	api, err := client.New(config, client.Options{Scheme: scheme.Scheme, FieldValidation: metav1.FieldValidationStrict})
	check("client", err)

	const namespace = "controller-runtime"
	check("namespace", api.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	first, elected, stopFirst := lead(ctx, config, scheme.Scheme, namespace, "first")
	<-elected
	second, electedToo, stopSecond := lead(ctx, config, scheme.Scheme, namespace, "second")

	invalid := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "invalid", Namespace: namespace}, Spec: WidgetSpec{Size: -1}}
	if err := api.Create(ctx, invalid); !errors.IsInvalid(err) {
		check("an invalid widget", fmt.Errorf("answered with %w", err))
	}
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: namespace}, Spec: WidgetSpec{Size: 1}}
	check("create", api.Create(ctx, widget))
	key := client.ObjectKeyFromObject(widget)
	ready := func(size int32, by string) {
		eventually(ctx, fmt.Sprintf("size %d by %s", size, by), func() (bool, error) {
			err := api.Get(ctx, key, widget)
			return widget.Status.ReadySize == size && widget.Status.By == by, err
		})
	}
	ready(1, "first")
	child := &corev1.ConfigMap{}
	check("get the child", api.Get(ctx, key, child))
	if !metav1.IsControlledBy(child, widget) || child.Data["size"] != "1" {
		check("the child", fmt.Errorf("is %v", child))
	}
	// A deleted owned object is created again, because its owner is reconciled.
	check("delete the child", api.Delete(ctx, child))
	eventually(ctx, "the child again", func() (bool, error) {
		again := &corev1.ConfigMap{}
		err := api.Get(ctx, key, again)
		return err == nil && again.UID != child.UID, client.IgnoreNotFound(err)
	})
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":2}}`))
	check("patch", api.Patch(ctx, widget, patch))
	ready(2, "first")

	select {
	case <-electedToo:
		check("leader election", fmt.Errorf("two managers lead"))
	default:
	}
	stopFirst()
	<-electedToo
	check("patch", api.Patch(ctx, widget, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":3}}`))))
	ready(3, "second")

	eventually(ctx, "events", func() (bool, error) {
		list := &corev1.EventList{}
		err := api.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{"reason": "Made"})
		return len(list.Items) > 0, err
	})
	check("delete", api.Delete(ctx, widget, client.PropagationPolicy(metav1.DeletePropagationForeground)))
	for _, object := range []client.Object{widget, child, &corev1.Secret{}} {
		eventually(ctx, fmt.Sprintf("no %T", object), func() (bool, error) {
			err := api.Get(ctx, key, object)
			return errors.IsNotFound(err), client.IgnoreNotFound(err)
		})
	}
	if first.finalized.Load() != 0 || second.finalized.Load() != 1 {
		check("finalizer", fmt.Errorf("ran %d and %d times", first.finalized.Load(), second.finalized.Load()))
	}
	stopSecond()
	check("delete the namespace", api.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	check("delete the CRD", envtest.UninstallCRDs(config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}}))
	fmt.Println("ok: controller-runtime reconciled, led and finalized")
}
