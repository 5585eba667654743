import { nodeRules } from "../../apiserver/authz/node-rules.ts";
import { aggregate, allow, paths, role, type BootstrapRole } from "./language.ts";

/** The roles that users and components are bound to (upstream `rbac/bootstrappolicy/policy.go`). */
export const clusterRoles: readonly BootstrapRole[] = [
  aggregate("admin", "admin"),
  role("system:coredns", [
    allow("list watch", "core", "endpoints namespaces pods services"),
    allow("list watch", "discovery.k8s.io", "endpointslices"),
  ]),
  role("system:ingress-controller", [
    allow("list watch", "core", "services"),
    allow("get", "core", "secrets"),
    allow("list watch", "discovery.k8s.io", "endpointslices"),
    allow("list watch", "networking.k8s.io", "ingressclasses ingresses"),
    allow("patch update", "networking.k8s.io", "ingresses/status"),
  ]),
  role("system:network-policy-controller", [
    allow("list watch", "core", "namespaces pods"),
    allow("list watch", "networking.k8s.io", "networkpolicies"),
    allow("create patch update", "core", "events"),
  ]),
  role("system:local-path-provisioner", [
    allow("create delete get update", "core", "persistentvolumes"),
    allow("patch", "core", "persistentvolumeclaims"),
    allow("create patch update", "core", "events"),
  ]),
  role("cluster-admin", [allow("*", "*", "*"), paths("*", "*")]),
  aggregate("edit", "edit", "admin"),
  role(
    "system:aggregate-to-admin",
    [
      allow("create", "authorization.k8s.io", "localsubjectaccessreviews"),
      allow(
        "create delete deletecollection get list patch update watch",
        "rbac.authorization.k8s.io",
        "rolebindings roles",
      ),
    ],
    { aggregateTo: "admin" },
  ),
  role(
    "system:aggregate-to-edit",
    [
      allow(
        "get list watch",
        "core",
        "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy",
      ),
      allow("impersonate", "core", "serviceaccounts"),
      allow(
        "create delete deletecollection patch update",
        "core",
        "pods pods/attach pods/exec pods/portforward pods/proxy",
      ),
      allow("create", "core", "pods/eviction"),
      allow(
        "create delete deletecollection patch update",
        "core",
        "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
      ),
      allow("create", "core", "serviceaccounts/token"),
      allow("create delete deletecollection patch update", "core events.k8s.io", "events"),
      allow(
        "create delete deletecollection patch update",
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
      ),
      allow("create delete deletecollection patch update", "autoscaling", "horizontalpodautoscalers"),
      allow("create delete deletecollection patch update", "batch", "cronjobs jobs"),
      allow(
        "create delete deletecollection patch update",
        "extensions",
        "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
      ),
      allow("create delete deletecollection patch update", "policy", "poddisruptionbudgets"),
      allow("create delete deletecollection patch update", "networking.k8s.io", "ingresses networkpolicies"),
      allow("create delete deletecollection get list patch update watch", "coordination.k8s.io", "leases"),
      allow(
        "create delete deletecollection patch update",
        "resource.k8s.io",
        "resourceclaims resourceclaimtemplates",
      ),
    ],
    { aggregateTo: "edit" },
  ),
  role(
    "system:aggregate-to-view",
    [
      allow(
        "get list watch",
        "core",
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
      ),
      allow(
        "get list watch",
        "core",
        "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
      ),
      allow("get list watch", "core", "namespaces"),
      allow("get list watch", "core events.k8s.io", "events"),
      allow("get list watch", "discovery.k8s.io", "endpointslices"),
      allow(
        "get list watch",
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
      ),
      allow("get list watch", "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
      allow("get list watch", "batch", "cronjobs cronjobs/status jobs jobs/status"),
      allow(
        "get list watch",
        "extensions",
        "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
      ),
      allow("get list watch", "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
      allow("get list watch", "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
      allow(
        "get list watch",
        "resource.k8s.io",
        "resourceclaims resourceclaims/status resourceclaimtemplates",
      ),
    ],
    { aggregateTo: "view" },
  ),
  // The role that metrics-server brings along.
  role("system:aggregated-metrics-reader", [allow("get list watch", "metrics.k8s.io", "nodes pods")], {
    aggregateTo: "view edit admin",
  }),
  role("system:auth-delegator", [
    allow("create", "authentication.k8s.io", "tokenreviews"),
    allow("create", "authorization.k8s.io", "subjectaccessreviews"),
  ]),
  role("system:basic-user", [
    allow("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
    allow("create", "authentication.k8s.io", "selfsubjectreviews"),
  ]),
  role("system:certificates.k8s.io:certificatesigningrequests:nodeclient", [
    allow("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
  ]),
  role("system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", [
    allow("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
  ]),
  role("system:certificates.k8s.io:kube-apiserver-client-approver", [
    allow("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client"),
  ]),
  role("system:certificates.k8s.io:kube-apiserver-client-kubelet-approver", [
    allow("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client-kubelet"),
  ]),
  role("system:certificates.k8s.io:kubelet-serving-approver", [
    allow("approve", "certificates.k8s.io", "signers", "kubernetes.io/kubelet-serving"),
  ]),
  role("system:certificates.k8s.io:legacy-unknown-approver", [
    allow("approve", "certificates.k8s.io", "signers", "kubernetes.io/legacy-unknown"),
  ]),
  role("system:discovery", [
    paths("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/"),
  ]),
  role("system:heapster", [
    allow("get list watch", "core", "events namespaces nodes pods"),
    allow("get list watch", "extensions", "deployments"),
  ]),
  role("system:kube-aggregator", [allow("get list watch", "core", "endpoints services")]),
  role("system:kube-controller-manager", [
    allow("create patch update", "core events.k8s.io", "events"),
    allow("create", "coordination.k8s.io", "leases"),
    allow("get update", "coordination.k8s.io", "leases", "kube-controller-manager"),
    allow("create", "core", "secrets serviceaccounts"),
    allow("delete", "core", "secrets"),
    allow("get", "core", "configmaps namespaces secrets serviceaccounts"),
    allow("update", "core", "secrets serviceaccounts"),
    allow("create", "authentication.k8s.io", "tokenreviews"),
    allow("create", "authorization.k8s.io", "subjectaccessreviews"),
    allow("list watch", "*", "*"),
    allow("create", "core", "serviceaccounts/token"),
  ]),
  role("system:kube-dns", [allow("list watch", "core", "endpoints services")]),
  role("system:kube-scheduler", [
    allow("create patch update", "core events.k8s.io", "events"),
    allow("create", "coordination.k8s.io", "leases"),
    allow("get list update watch", "coordination.k8s.io", "leases", "kube-scheduler"),
    allow(
      "create delete deletecollection get list patch update watch",
      "coordination.k8s.io",
      "leasecandidates",
    ),
    allow("get list watch", "core", "nodes"),
    allow("delete get list watch", "core", "pods"),
    allow("create", "core", "bindings pods/binding"),
    allow("patch update", "core", "pods/status"),
    allow("get list watch", "core", "replicationcontrollers services"),
    allow("get list watch", "apps extensions", "replicasets"),
    allow("get list watch", "apps", "statefulsets"),
    allow("get list watch", "policy", "poddisruptionbudgets"),
    allow("get list watch", "core", "persistentvolumeclaims persistentvolumes"),
    allow("create", "authentication.k8s.io", "tokenreviews"),
    allow("create", "authorization.k8s.io", "subjectaccessreviews"),
    allow("get list watch", "storage.k8s.io", "csinodes"),
    allow("get list watch", "storage.k8s.io", "volumeattachments"),
    allow("get list watch", "core", "namespaces"),
    allow("get list watch", "storage.k8s.io", "csidrivers"),
    allow("get list watch", "storage.k8s.io", "csistoragecapacities"),
    allow("get list watch", "resource.k8s.io", "deviceclasses"),
    allow("get list patch update watch", "resource.k8s.io", "resourceclaims"),
    allow("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
    allow("update", "core", "pods/finalizers"),
    allow("get list watch", "resource.k8s.io", "resourceslices"),
    allow("create delete", "resource.k8s.io", "resourceclaims"),
    allow("patch update", "resource.k8s.io", "resourceclaims/binding"),
  ]),
  role("system:kubelet-api-admin", [
    allow("get list watch", "core", "nodes"),
    allow("proxy", "core", "nodes"),
    allow("*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
    allow("*", "core", "nodes/configz nodes/healthz nodes/pods"),
  ]),
  role("system:monitoring", [
    paths(
      "get",
      "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz",
    ),
    allow("get", "core", "nodes/metrics"),
  ]),
  role("system:node", nodeRules),
  role("system:node-bootstrapper", [
    allow("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
  ]),
  role("system:node-problem-detector", [
    allow("get", "core", "nodes"),
    allow("patch", "core", "nodes/status"),
    allow("create patch update", "core events.k8s.io", "events"),
  ]),
  role("system:node-proxier", [
    allow("list watch", "core", "endpoints services"),
    allow("get list watch", "core", "nodes"),
    allow("create patch update", "core events.k8s.io", "events"),
    allow("list watch", "networking.k8s.io", "servicecidrs"),
    allow("list watch", "discovery.k8s.io", "endpointslices"),
  ]),
  role("system:persistent-volume-provisioner", [
    allow("create delete get list watch", "core", "persistentvolumes"),
    allow("get list update watch", "core", "persistentvolumeclaims"),
    allow("get list watch", "storage.k8s.io", "storageclasses"),
    allow("watch", "core", "events"),
    allow("create patch update", "core events.k8s.io", "events"),
  ]),
  role("system:public-info-viewer", [paths("get", "/healthz /livez /readyz /version /version/")]),
  role("system:service-account-issuer-discovery", [
    paths(
      "get",
      "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
    ),
  ]),
  role("system:volume-scheduler", [
    allow("get list patch update watch", "core", "persistentvolumes"),
    allow("get list watch", "storage.k8s.io", "storageclasses"),
    allow("get list patch update watch", "core", "persistentvolumeclaims"),
  ]),
  aggregate("view", "view", "edit"),
];
