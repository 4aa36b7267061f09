import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { useCluster } from '../data/cluster.js';
import { idOf } from '../model/catalog.js';
import { type Particular, particularsOf } from '../model/particulars.js';
import type { AnyKube } from '../model/status-in-words.js';
import { useWords } from '../words/use-words.js';
import { Link, objectPath } from './link.js';

interface ParticularsProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
}

/** The main fields of an object, by kind. The names are those of the API, as in its YAML. */
export function Particulars({ info, object }: ParticularsProps) {
  const w = useWords();
  const all = particularsOf(object as AnyKube, info.kind);
  if (all.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="particulars">
      <h2 id="particulars">{w.particulars}</h2>
      <dl className="facts">
        {all.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules of a role may be the same twice, and keep their order.
          <Line key={index} particular={one} namespace={object.metadata.namespace} />
        ))}
      </dl>
    </section>
  );
}

function Line({ particular, namespace }: { readonly particular: Particular; readonly namespace: string | undefined }) {
  const { catalog } = useCluster();
  const { name, text, to } = particular;
  const info = to && catalog.byKind(to.apiVersion, to.kind);
  const scope = info?.namespaced ? (to?.namespace ?? namespace) : undefined;
  return (
    <>
      <dt className="mono">{name}</dt>
      <dd>{info && to ? <Link href={objectPath(idOf(info), scope, to.name)}>{text}</Link> : text}</dd>
    </>
  );
}
