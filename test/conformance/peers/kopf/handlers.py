"""An operator in kopf's style: handlers of creation, update, resumption and deletion."""

import kopf
import kubernetes

GROUP = "python.peers.knarr.test"


@kopf.on.login()
def login(**kwargs):
    """Logs in by the kubeconfig, for kopf itself and for the client that the handlers use."""
    kubernetes.config.load_kube_config()
    return kopf.login_with_kubeconfig(**kwargs)


@kopf.on.create(GROUP, "v1", "widgets")
def create(name, namespace, spec, patch, **_):
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"size": str(spec["size"])}}
    kopf.adopt(child)
    kubernetes.client.CoreV1Api().create_namespaced_config_map(namespace, child)
    patch.status["readySize"] = spec["size"]
    return {"made": spec["size"]}


@kopf.on.update(GROUP, "v1", "widgets", field="spec.size")
def update(name, namespace, new, patch, **_):
    data = {"data": {"size": str(new)}}
    kubernetes.client.CoreV1Api().patch_namespaced_config_map(name, namespace, data)
    patch.status["readySize"] = new


@kopf.on.resume(GROUP, "v1", "widgets")
def resume(patch, **_):
    patch.status["resumed"] = True


@kopf.on.delete(GROUP, "v1", "widgets")
def delete(name, namespace, **_):
    note = {"metadata": {"name": f"{name}-deleted"}}
    kubernetes.client.CoreV1Api().create_namespaced_config_map(namespace, note)
