"""The parts of the official Python client that find out about the server at run time, as operators and Ansible use them."""

import json
import sys

from kubernetes import client, config, dynamic, utils
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

config.load_kube_config(sys.argv[1])
api = client.ApiClient()
core = client.CoreV1Api(api)
found = {}

cluster = dynamic.DynamicClient(api)
deployments = cluster.resources.get(api_version="apps/v1", kind="Deployment")
labels = {"app": "web"}
body = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}},
    },
}
deployments.create(body=body, namespace="default")
# As Ansible scales: a strategic merge patch that states the kind of the scaled object.
scale = {"kind": "Deployment", "metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": 3}}
content_type = "application/strategic-merge-patch+json"
found["scaled"] = deployments.scale.patch(body=scale, content_type=content_type).spec.replicas
applied = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "annotations": {"a": "b"}}}
result = deployments.server_side_apply(
    body=json.dumps(applied), name="web", namespace="default", field_manager="me", force_conflicts=True
)
found["applied"] = result.metadata.annotations["a"]

items = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{n}", "namespace": "default"}} for n in (1, 2)]
utils.create_from_dict(api, {"apiVersion": "v1", "kind": "List", "items": items})
core.delete_collection_namespaced_config_map("default", field_selector="metadata.name=c1")
names = [item.metadata.name for item in core.list_namespaced_config_map("default").items]
found["left"] = [name for name in names if name.startswith("c")]

def elect(name):
    """Whether one attempt to get the lock, or to renew it, succeeds."""
    lock = ConfigMapLock("election", "default", name)
    settings = electionconfig.Config(
        lock, lease_duration=17, renew_deadline=15, retry_period=1, onstarted_leading=print, onstopped_leading=None
    )
    return leaderelection.LeaderElection(settings).try_acquire_or_renew()


found["elected"] = [elect("one"), elect("two"), elect("one")]
print(json.dumps(found))
