import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Typical work of Java operators through fabric8's client: objects, informers, custom resources, Pods, leases. */
public class Main {
  private static final String NAMESPACE = "fabric8";
  private final KubernetesClient client;

  Main(KubernetesClient client) {
    this.client = client;
  }

  static void check(String what, Object wanted, Object got) {
    if (!wanted.equals(got)) throw new AssertionError(what + ": got " + got + ", want " + wanted);
  }

  static void refused(String what, int code, Runnable action) {
    try {
      action.run();
    } catch (KubernetesClientException e) {
      check(what, code, e.getCode());
      return;
    }
    throw new AssertionError(what + " was not refused");
  }

  private static ConfigMap configMap(String key, String value) {
    return new ConfigMapBuilder().withNewMetadata().withName("first").withNamespace(NAMESPACE).endMetadata()
        .addToData(key, value).build();
  }

  /** An informer's events as text, in their order. */
  private static final class Events implements ResourceEventHandler<ConfigMap> {
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

    @Override
    public void onAdd(ConfigMap added) {
      queue.add("added " + added.getData());
    }

    @Override
    public void onUpdate(ConfigMap before, ConfigMap after) {
      queue.add("updated " + after.getData());
    }

    @Override
    public void onDelete(ConfigMap deleted, boolean unknown) {
      queue.add("deleted " + deleted.getData());
    }

    void expect(String wanted) throws InterruptedException {
      check("event", wanted, String.valueOf(queue.poll(10, TimeUnit.SECONDS)));
    }
  }

  /** Every way of writing an object, seen by an informer. */
  void configMaps() throws InterruptedException {
    var maps = client.configMaps().inNamespace(NAMESPACE);
    var events = new Events();
    try (SharedIndexInformer<ConfigMap> informer = maps.withName("first").inform(events)) {
      maps.resource(configMap("a", "1")).create();
      events.expect("added {a=1}");
      maps.withName("first").edit(old -> new ConfigMapBuilder(old).addToData("b", "2").build());
      events.expect("updated {a=1, b=2}");
      maps.withName("first").patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"data\":{\"a\":null}}");
      events.expect("updated {b=2}");
      maps.withName("first").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"b\":\"3\"}}");
      events.expect("updated {b=3}");
      maps.resource(configMap("c", "4")).fieldManager("peer").serverSideApply();
      events.expect("updated {b=3, c=4}");
      refused("a conflicting apply", 409,
          () -> maps.resource(configMap("b", "5")).fieldManager("peer").serverSideApply());
      maps.resource(configMap("b", "5")).fieldManager("peer").forceConflicts().serverSideApply();
      events.expect("updated {b=5}");
      refused("a second create", 409, () -> maps.resource(configMap("a", "1")).create());
      var read = maps.withName("first").get();
      maps.withName("first").edit(old -> new ConfigMapBuilder(old).addToData("d", "6").build());
      events.expect("updated {b=5, d=6}");
      refused("a stale update", 409, () -> maps.resource(read).lockResourceVersion().update());
      check("the informer's store", Map.of("b", "5", "d", "6"),
          informer.getIndexer().getByKey(NAMESPACE + "/first").getData());
      maps.withName("first").delete();
      events.expect("deleted {b=5, d=6}");
      check("what was deleted", true, maps.withName("first").get() == null);
    }
  }

  private static CustomResourceDefinition definition() {
    var integer = new JSONSchemaPropsBuilder().withType("integer").withMinimum(0.0).build();
    var spec = new JSONSchemaPropsBuilder().withType("object").addToProperties("size", integer).build();
    var status = new JSONSchemaPropsBuilder().withType("object").addToProperties("readySize", integer).build();
    return new CustomResourceDefinitionBuilder()
        .withNewMetadata().withName("widgets.java.peers.knarr.test").endMetadata()
        .withNewSpec()
        .withGroup("java.peers.knarr.test").withScope("Namespaced")
        .withNewNames().withPlural("widgets").withSingular("widget").withKind("Widget").endNames()
        .addNewVersion()
        .withName("v1").withServed(true).withStorage(true)
        .withNewSubresources().withNewStatus().endStatus().endSubresources()
        .withNewSchema().withNewOpenAPIV3Schema().withType("object")
        .addToProperties("spec", spec).addToProperties("status", status)
        .endOpenAPIV3Schema().endSchema()
        .endVersion()
        .endSpec()
        .build();
  }

  void customResources() {
    var definitions = client.apiextensions().v1().customResourceDefinitions();
    definitions.resource(definition()).create();
    definitions.withName("widgets.java.peers.knarr.test").waitUntilCondition(
        crd -> crd != null && crd.getStatus() != null && crd.getStatus().getConditions().stream()
            .anyMatch(one -> one.getType().equals("Established") && one.getStatus().equals("True")),
        10, TimeUnit.SECONDS);
    check("discovery of widgets", true, client.supports(Widget.class));
    var widgets = client.resources(Widget.class).inNamespace(NAMESPACE);
    var widget = new Widget();
    widget.getMetadata().setName("w");
    widget.setSpec(new Widget.Spec());
    widget.getSpec().size = -1;
    refused("a negative size", 422, () -> widgets.resource(widget).create());
    widget.getSpec().size = 3;
    widgets.resource(widget).create();
    widgets.withName("w").editStatus(old -> {
      old.setStatus(new Widget.Status());
      old.getStatus().readySize = old.getSpec().size;
      old.getSpec().size = 9;
      return old;
    });
    check("the status", 3, widgets.withName("w").get().getStatus().readySize);
    check("the spec, which a write of the status leaves", 3, widgets.withName("w").get().getSpec().size);
    widgets.withName("w").delete();
    definitions.withName("widgets.java.peers.knarr.test").delete();
  }

  void pods() throws Exception {
    Pod pod = new PodBuilder()
        .withNewMetadata().withName("p").endMetadata()
        .withNewSpec().addNewContainer().withName("c").withImage("i").endContainer().endSpec().build();
    var pods = client.pods().inNamespace(NAMESPACE);
    pods.resource(pod).create();
    pods.withName("p").waitUntilReady(30, TimeUnit.SECONDS);
    check("the log of a simulated Pod", "", pods.withName("p").getLog());
    // A simulated image without a program refuses commands, on the WebSocket's error channel.
    var errors = new ByteArrayOutputStream();
    try (ExecWatch exec = pods.withName("p").redirectingOutput().writingErrorChannel(errors).exec("true")) {
      check("the exit code of a refused command", -1, exec.exitCode().get(10, TimeUnit.SECONDS));
    }
    check("the error: " + errors, true, errors.toString().contains("cannot execute commands"));
    pods.withName("p").withGracePeriod(0).delete();

    Deployment deployment = new DeploymentBuilder()
        .withNewMetadata().withName("web").endMetadata()
        .withNewSpec().withReplicas(1)
        .withNewSelector().addToMatchLabels("app", "web").endSelector()
        .withNewTemplate().withNewMetadata().addToLabels("app", "web").endMetadata()
        .withNewSpec().addNewContainer().withName("c").withImage("i").endContainer().endSpec().endTemplate()
        .endSpec().build();
    var deployments = client.apps().deployments().inNamespace(NAMESPACE);
    deployments.resource(deployment).create();
    deployments.withName("web").waitUntilReady(30, TimeUnit.SECONDS);
    deployments.withName("web").withTimeout(30, TimeUnit.SECONDS).scale(3);
    check("the Pods of a Deployment", 3, pods.withLabel("app", "web").list().getItems().size());
    deployments.withName("web").rolling().restart();
    deployments.withName("web").waitUntilReady(30, TimeUnit.SECONDS);
  }

  private CompletableFuture<?> elect(String identity, CompletableFuture<?> leads) {
    var config = new LeaderElectionConfigBuilder()
        .withName("peer").withLock(new LeaseLock(NAMESPACE, "peer", identity))
        .withLeaseDuration(Duration.ofSeconds(4)).withRenewDeadline(Duration.ofSeconds(3))
        .withRetryPeriod(Duration.ofMillis(200)).withReleaseOnCancel()
        .withLeaderCallbacks(new LeaderCallbacks(() -> leads.complete(null), () -> {}, holder -> {}))
        .build();
    return client.leaderElector().withConfig(config).build().start();
  }

  void leaderElection() throws Exception {
    var one = new CompletableFuture<Void>();
    var other = new CompletableFuture<Void>();
    var first = elect("one", one);
    one.get(10, TimeUnit.SECONDS);
    var second = elect("other", other);
    check("whether two lead", false, other.isDone());
    first.cancel(true);
    other.get(10, TimeUnit.SECONDS);
    check("the holder of the lease", "other",
        client.leases().inNamespace(NAMESPACE).withName("peer").get().getSpec().getHolderIdentity());
    second.cancel(true);
  }

  void run() throws Exception {
    check("the nodes", false, client.nodes().list().getItems().isEmpty());
    check("the version", "1", client.getKubernetesVersion().getMajor());
    var review = new SelfSubjectAccessReviewBuilder().withNewSpec().withNewResourceAttributes()
        .withVerb("create").withResource("pods").withNamespace(NAMESPACE).endResourceAttributes().endSpec().build();
    check("an access review", true,
        client.authorization().v1().selfSubjectAccessReview().create(review).getStatus().getAllowed());
    var namespace = new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build();
    client.namespaces().resource(namespace).create();
    configMaps();
    customResources();
    pods();
    leaderElection();
    client.namespaces().withName(NAMESPACE).delete();
    client.namespaces().withName(NAMESPACE).waitUntilCondition(gone -> gone == null, 30, TimeUnit.SECONDS);
    System.out.println("ok: fabric8 wrote, watched, elected and waited");
  }

  public static void main(String[] args) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      new Main(client).run();
    }
  }
}
