import type { Pod } from '@coracle/api';
import { badRequest } from '@coracle/apimachinery';

/** The container of a request. Without a name it is the only container. */
export function chooseContainer({ metadata, spec }: Pod, requested: string): string {
  const containers = (spec?.containers ?? []).map(({ name }) => name);
  const init = (spec?.initContainers ?? []).map(({ name }) => name);
  const ephemeral = (spec?.ephemeralContainers ?? []).map(({ name }) => name);
  const pod = metadata.name ?? '';
  if (requested !== '') {
    if ([...containers, ...init, ...ephemeral].includes(requested)) return requested;
    throw badRequest(`container ${requested} is not valid for pod ${pod}`);
  }
  const [only, ...others] = containers;
  if (only !== undefined && others.length === 0) return only;
  const choices = `a container name must be specified for pod ${pod}, choose one of: [${containers.join(' ')}]`;
  const more = init.length > 0 ? ` or one of the init containers: [${init.join(' ')}]` : '';
  throw badRequest(choices + more);
}
