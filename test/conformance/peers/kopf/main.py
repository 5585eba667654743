"""Runs the operator of handlers.py with kopf's own command, and checks its effects."""

import pathlib
import signal
import subprocess
import sys
import time

import kubernetes
from kubernetes.client.rest import ApiException

GROUP = "python.peers.knarr.test"
NAMESPACE = "kopf"
STATUS = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
SPEC = {"type": "object", "properties": {"size": {"type": "integer", "minimum": 0}}, "required": ["size"]}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}},
            }
        ],
    },
}


def until(what, condition):
    """Waits until a condition holds."""
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: did not happen")
        time.sleep(0.05)


def found(read):
    """Reads an object; None when it does not exist."""
    try:
        return read()
    except ApiException as error:
        if error.status != 404:
            raise
        return None


class Operator:
    """The operator as a process of its own, while in the `with` statement."""

    def __init__(self, *where):
        self.where = where

    def __enter__(self):
        here = pathlib.Path(__file__).parent
        command = [pathlib.Path(sys.executable).with_name("kopf"), "run", "--standalone", *self.where]
        self.process = subprocess.Popen([*command, here / "handlers.py"])
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(20) != 0:
            sys.exit(f"the operator ended with {self.process.returncode}")


def main():
    kubernetes.config.load_kube_config()
    core = kubernetes.client.CoreV1Api()
    definitions = kubernetes.client.ApiextensionsV1Api()
    custom = kubernetes.client.CustomObjectsApi()
    of = (GROUP, "v1", NAMESPACE, "widgets")

    definitions.create_custom_resource_definition(DEFINITION)
    core.create_namespace({"metadata": {"name": NAMESPACE}})

    def widget():
        return found(lambda: custom.get_namespaced_custom_object(*of, "w"))

    def child(name="w"):
        return found(lambda: core.read_namespaced_config_map(name, NAMESPACE))

    def status():
        return widget().get("status", {})

    until("the CRD", lambda: found(lambda: custom.list_namespaced_custom_object(*of)) is not None)
    with Operator("--namespace", NAMESPACE):
        body = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}}
        custom.create_namespaced_custom_object(*of, body)
        until("creation", lambda: status().get("readySize") == 1)
        if status().get("create") != {"made": 1}:
            sys.exit(f"the handler's result is not in the status: {status()}")
        if child().metadata.owner_references[0].uid != widget()["metadata"]["uid"]:
            sys.exit(f"the child is not owned: {child()}")
        if widget()["metadata"].get("finalizers") is None:
            sys.exit("the operator has no finalizer")
        custom.patch_namespaced_custom_object(*of, "w", {"spec": {"size": 2}})
        until("update", lambda: status().get("readySize") == 2 and child().data == {"size": "2"})
    # Changes made meanwhile are handled after the start, and so are existing objects.
    custom.patch_namespaced_custom_object(*of, "w", {"spec": {"size": 3}})
    with Operator("--all-namespaces"):
        until("resumption", lambda: status().get("readySize") == 3 and status().get("resumed") is True)
        custom.delete_namespaced_custom_object(*of, "w")
        until("deletion", lambda: widget() is None and child("w-deleted") is not None)
    until("no child", lambda: child() is None)
    seen = kubernetes.watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, timeout_seconds=1)
    if "w-deleted" not in [event["object"].metadata.name for event in seen]:
        sys.exit("the watch does not list what is there")
    core.delete_namespace(NAMESPACE)
    definitions.delete_custom_resource_definition(f"widgets.{GROUP}")
    print("ok: kopf created, updated, resumed and finalized")


main()
