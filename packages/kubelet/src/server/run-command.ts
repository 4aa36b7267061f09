import type { ApiResponse } from '@coracle/apimachinery';
import { ContainerState, type RuntimeService } from '@coracle/cri';
import { podSelector } from '../runtime-labels.js';
import { textResponse } from '../streaming/refusal.js';

/** `/run/NAMESPACE/POD/[UID/]CONTAINER?cmd=…`: the output of the command, once it has ended. */
export async function runCommand(
  runtime: RuntimeService,
  path: readonly string[],
  query: URLSearchParams,
): Promise<ApiResponse> {
  const [namespace = '', pod = ''] = path;
  const container = path.at(-1) ?? '';
  const cmd = (query.get('cmd') ?? '').split(' ').filter((part) => part !== '');
  if (cmd.length === 0) return textResponse(400, 'a command must be given: ?cmd=…');
  const filter = {
    state: { state: ContainerState.CONTAINER_RUNNING },
    labelSelector: podSelector({ namespace, pod, container }),
  };
  const { containers = [] } = await runtime.listContainers({ filter });
  const [newest] = containers.sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0));
  if (newest?.id === undefined) return textResponse(500, `container not found (${JSON.stringify(container)})`);
  const { stdout, stderr, exitCode = 0 } = await runtime.execSync({ containerId: newest.id, cmd, timeout: 0 });
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (exitCode === 0) return textResponse(200, output);
  return textResponse(500, `command '${cmd.join(' ')}' exited with ${exitCode}: ${output}`);
}
