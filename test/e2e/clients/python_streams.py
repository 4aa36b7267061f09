"""Runs commands in the pod `web` and forwards a port of it with the official Python client; prints what it heard."""
import json
import sys

from kubernetes import client, config
from kubernetes.stream import portforward, stream

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
execute = core.connect_get_namespaced_pod_exec
where = ("web", "default")

output = stream(execute, *where, command=["sh", "-c", "echo out; echo err >&2"], stdout=True, stderr=True)
failing = stream(execute, *where, command=["sh", "-c", "exit 5"], stdout=True, _preload_content=False)
failing.run_forever(timeout=10)
cat = stream(execute, *where, command=["cat"], stdin=True, stdout=True, _preload_content=False)
cat.write_stdin("hello\n")
echoed = cat.readline_stdout(timeout=10)
cat.close()

forward = portforward(core.connect_get_namespaced_pod_portforward, *where, ports="80")
connection = forward.socket(80)
connection.setblocking(True)
connection.sendall(b"GET /py HTTP/1.0\r\n\r\n")
answer = b""
while chunk := connection.recv(1024):
    answer += chunk
page = answer.decode().split("\r\n\r\n")[1]
print(json.dumps({"output": output, "code": failing.returncode, "echoed": echoed, "page": page}))
