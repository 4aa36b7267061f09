import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { navigate, useRoute, withQuery } from '../router.js';
import { useWords } from '../words/use-words.js';

/** The displayed namespace: selected in the URL, or the only one that the user may see. */
export function useNamespace(): string | undefined {
  const { access } = useCluster();
  const { query } = useRoute();
  return access.onlyNamespace ?? query.get('ns') ?? undefined;
}

export function NamespaceSelect() {
  const w = useWords();
  const { access } = useCluster();
  const namespace = useNamespace();
  const { items } = useLive(access.onlyNamespace === undefined ? { ref: refs.namespaces } : undefined);
  const names = access.onlyNamespace ? [access.onlyNamespace] : items.map(({ metadata }) => metadata.name ?? '').sort();
  if (namespace && !names.includes(namespace)) names.unshift(namespace);
  return (
    <label>
      <span className="dim">{w.namespace}</span>
      <select
        value={namespace ?? ''}
        disabled={access.onlyNamespace !== undefined}
        onChange={(event) => navigate(withQuery({ ns: event.target.value }))}
      >
        {access.onlyNamespace === undefined && <option value="">{w.allNamespaces}</option>}
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
