"""Lists, watches, creates, patches and deletes with the official Python client; prints what it saw as JSON."""
import json
import sys
import threading

from kubernetes import client, config, watch

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
seen = []


def follow():
    stream = watch.Watch()
    options = {"field_selector": "metadata.name=settings", "timeout_seconds": 20}
    for event in stream.stream(core.list_namespaced_config_map, "default", **options):
        seen.append([event["type"], event["object"].data["colour"]])
        if event["type"] == "DELETED":
            stream.stop()


follower = threading.Thread(target=follow)
body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"), data={"colour": "red"})
created = core.create_namespaced_config_map("default", body)
follower.start()
names = [item.metadata.name for item in core.list_namespaced_config_map("default").items]
while not seen:
    follower.join(0.01)
patched = core.patch_namespaced_config_map("settings", "default", {"data": {"colour": "blue"}})
core.delete_namespaced_config_map("settings", "default")
follower.join()
try:
    core.read_namespaced_config_map("settings", "default")
    reason = "still there"
except client.exceptions.ApiException as error:
    reason = json.loads(error.body)["reason"]
print(json.dumps({"listed": "settings" in names, "patched": patched.data, "seen": seen, "afterwards": reason}))
