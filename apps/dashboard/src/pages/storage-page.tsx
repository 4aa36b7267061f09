import type { KubeObject } from '@coracle/apimachinery';
import { useMemo } from 'react';
import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { claimsInUse } from '../model/storage.js';
import { ErrorNote } from '../parts/error-note.js';
import { Link, objectPath } from '../parts/link.js';
import { NamespaceSelect, useNamespace } from '../parts/namespace-select.js';
import { useWords } from '../words/use-words.js';

/** Claims, the volumes behind them, and the pods in front of them. */
export default function StoragePage() {
  const w = useWords();
  const { access } = useCluster();
  const namespace = useNamespace();
  const claims = useLive({ ref: refs.claims, namespace });
  const pods = useLive({ ref: refs.pods, namespace });
  const classes = useLive(access.onlyNamespace === undefined ? { ref: refs.storageClasses } : undefined);
  const users = useMemo(() => claimsInUse(pods.items), [pods.items]);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{w.storage}</h1>
        <span className="grow" />
        <NamespaceSelect />
      </div>
      {claims.state.at === 'failed' && (
        <ErrorNote message={claims.state.message ?? ''} advice={w.adviceFor(claims.state.code)} />
      )}
      <section className="panel" aria-labelledby="claims">
        <h2 id="claims">{w.claims}</h2>
        {claims.items.length === 0 && claims.state.at === 'live' && <p className="dim">{w.noClaims}</p>}
        <div className="scroll-x">
          <table>
            <thead>
              <tr>
                <th>{w.claim}</th>
                <th>{w.state}</th>
                <th className="number">{w.size}</th>
                <th>{w.storageClass}</th>
                <th>{w.volume}</th>
                <th>{w.usedBy}</th>
              </tr>
            </thead>
            <tbody>
              {claims.items.map((claim) => (
                <ClaimRow key={claim.metadata.uid} claim={claim} users={users} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {classes.items.length > 0 && (
        <section className="panel" aria-labelledby="classes">
          <h2 id="classes">{w.storageClasses}</h2>
          <div className="chips">
            {classes.items.map((one) => (
              <Link
                key={one.metadata.uid}
                href={objectPath('storageclasses.storage.k8s.io', undefined, one.metadata.name ?? '')}
              >
                {one.metadata.name} ({(one as { provisioner?: string }).provisioner})
              </Link>
            ))}
          </div>
        </section>
      )}
    </div>
  );
}

interface Claim extends KubeObject {
  readonly spec?: { readonly volumeName?: string; readonly storageClassName?: string };
  readonly status?: { readonly phase?: string; readonly capacity?: { readonly storage?: string } };
}

function ClaimRow({ claim, users }: { readonly claim: Claim; readonly users: ReadonlyMap<string, readonly string[]> }) {
  const { name = '', namespace } = claim.metadata;
  const { volumeName, storageClassName } = claim.spec ?? {};
  const phase = claim.status?.phase ?? '';
  return (
    <tr>
      <td>
        <Link href={objectPath('persistentvolumeclaims', namespace, name)}>{name}</Link>
      </td>
      <td>
        <span className={`badge ${phase === 'Bound' ? 'running' : 'waiting'}`}>{phase}</span>
      </td>
      <td className="number">{claim.status?.capacity?.storage}</td>
      <td>{storageClassName}</td>
      <td>{volumeName && <Link href={objectPath('persistentvolumes', undefined, volumeName)}>{volumeName}</Link>}</td>
      <td>
        {(users.get(`${namespace}/${name}`) ?? []).map((pod) => (
          <Link key={pod} href={objectPath('pods', namespace, pod)}>
            {pod}{' '}
          </Link>
        ))}
      </td>
    </tr>
  );
}
