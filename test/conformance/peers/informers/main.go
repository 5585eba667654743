// Command informers follows ConfigMaps and Deployments with client-go's informers, as any operator does, and prints
// the events. Run it with KUBE_FEATURE_WatchListClient=true and =false.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

// expect waits for the next event of an informer.
func expect(events <-chan string, wanted string) {
	select {
	case got := <-events:
		if got != wanted {
			check("event", fmt.Errorf("got %q, want %q", got, wanted))
		}
	case <-time.After(10 * time.Second):
		check("event", fmt.Errorf("nothing came, want %q", wanted))
	}
}

func watch(informer cache.SharedIndexInformer) <-chan string {
	events := make(chan string, 100)
	name := func(object any) string {
		accessor, ok := object.(metav1.Object)
		if !ok {
			return fmt.Sprintf("%T", object)
		}
		return accessor.GetName()
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { events <- "added " + name(object) },
		UpdateFunc: func(_, object any) { events <- "updated " + name(object) },
		DeleteFunc: func(object any) { events <- "deleted " + name(object) },
	})
	check("add a handler", err)
	return events
}

func run(config *rest.Config, namespace string) {
	ctx := context.Background()
	client, err := kubernetes.NewForConfig(config)
	check("client", err)
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	check("create the namespace", err)
	maps := client.CoreV1().ConfigMaps(namespace)
	labels := map[string]string{"app": "informers"}
	first := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "first", Labels: labels}, Data: map[string]string{"k": "v"}}
	first, err = maps.Create(ctx, first, metav1.CreateOptions{})
	check("create", err)

	selected := informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "app=informers" })
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace), selected)
	mapEvents := watch(factory.Core().V1().ConfigMaps().Informer())
	deploymentEvents := watch(factory.Apps().V1().Deployments().Informer())
	metaClient, err := metadata.NewForConfig(config)
	check("metadata client", err)
	metaFactory := metadatainformer.NewFilteredSharedInformerFactory(metaClient, 0, namespace, func(options *metav1.ListOptions) { options.LabelSelector = "app=informers" })
	metaEvents := watch(metaFactory.ForResource(corev1.SchemeGroupVersion.WithResource("configmaps")).Informer())
	stop := make(chan struct{})
	defer close(stop)
	factory.Start(stop)
	metaFactory.Start(stop)
	factory.WaitForCacheSync(stop)
	metaFactory.WaitForCacheSync(stop)
	expect(mapEvents, "added first")
	expect(metaEvents, "added first")

	first.Data["k"] = "w"
	first, err = maps.Update(ctx, first, metav1.UpdateOptions{})
	check("update", err)
	expect(mapEvents, "updated first")
	expect(metaEvents, "updated first")
	// An object that leaves the selection is a deletion for its watchers.
	first.Labels = nil
	_, err = maps.Update(ctx, first, metav1.UpdateOptions{})
	check("update", err)
	expect(mapEvents, "deleted first")
	expect(metaEvents, "deleted first")

	replicas := int32(0)
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: labels},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}
	_, err = client.AppsV1().Deployments(namespace).Create(ctx, deployment, metav1.CreateOptions{})
	check("create a deployment", err)
	expect(deploymentEvents, "added web")
	check("delete the namespace", client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	fmt.Printf("ok: %s, WatchList %s\n", config.ContentType, os.Getenv("KUBE_FEATURE_WatchListClient"))
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check("kubeconfig", err)
	for i, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		config.ContentType = contentType
		run(config, fmt.Sprintf("informers-%d-%d", os.Getpid(), i))
	}
}
