import type { KubeObject } from '@coracle/apimachinery';
import { useMemo } from 'react';
import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { may } from '../model/access-rules.js';
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
  const seesAll = access.onlyNamespace === undefined;
  const classes = useLive(
    seesAll && may(access, 'list', refs.storageClasses) ? { ref: refs.storageClasses } : undefined,
  );
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
                <ClaimRow key={claim.metadata.uid} claim={claim} users={users} isOneNamespace={!!namespace} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {seesAll && <Volumes />}
      {classes.items.length > 0 && (
        <section className="panel" aria-labelledby="classes">
          <h2 id="classes">{w.storageClasses}</h2>
          <div className="scroll-x">
            <table>
              <thead>
                <tr>
                  <th>{w.storageClass}</th>
                  <th>{w.provisioner}</th>
                  <th>{w.whenReleased}</th>
                </tr>
              </thead>
              <tbody>
                {classes.items.map((one) => (
                  <ClassRow key={one.metadata.uid} storageClass={one} />
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </div>
  );
}

interface Claim extends KubeObject {
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
  readonly status?: { readonly phase?: string; readonly capacity?: { readonly storage?: string } };
}

interface ClaimRowProps {
  readonly claim: Claim;
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly isOneNamespace: boolean;
}

function ClaimRow({ claim, users, isOneNamespace }: ClaimRowProps) {
  const { name = '', namespace } = claim.metadata;
  const { volumeName, storageClassName, resources } = claim.spec ?? {};
  const phase = claim.status?.phase ?? '';
  return (
    <tr>
      <td>
        <Link href={objectPath('persistentvolumeclaims', namespace, name)}>
          {isOneNamespace ? name : `${namespace}/${name}`}
        </Link>
      </td>
      <td>
        <span className={`badge ${phase === 'Bound' ? 'running' : 'waiting'}`}>{phase}</span>
      </td>
      <td className="number">{claim.status?.capacity?.storage ?? resources?.requests?.storage}</td>
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

interface StorageClass extends KubeObject {
  readonly provisioner?: string;
  readonly reclaimPolicy?: string;
}

function ClassRow({ storageClass }: { readonly storageClass: StorageClass }) {
  const { name = '' } = storageClass.metadata;
  return (
    <tr>
      <td>
        <Link href={objectPath('storageclasses.storage.k8s.io', undefined, name)}>{name}</Link>
      </td>
      <td>{storageClass.provisioner}</td>
      <td>{storageClass.reclaimPolicy}</td>
    </tr>
  );
}

interface Volume extends KubeObject {
  readonly spec?: {
    readonly capacity?: { readonly storage?: string };
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  };
  readonly status?: { readonly phase?: string };
}

/** Volumes of all namespaces, those that no claim has too. */
function Volumes() {
  const w = useWords();
  const { access } = useCluster();
  const { items } = useLive<Volume>(may(access, 'list', refs.volumes) ? { ref: refs.volumes } : undefined);
  if (items.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="volumes">
      <h2 id="volumes">{w.volumes}</h2>
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th>{w.volume}</th>
              <th>{w.state}</th>
              <th className="number">{w.size}</th>
              <th>{w.storageClass}</th>
              <th>{w.whenReleased}</th>
              <th>{w.claim}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((volume) => (
              <VolumeRow key={volume.metadata.uid} volume={volume} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function VolumeRow({ volume }: { readonly volume: Volume }) {
  const { name = '' } = volume.metadata;
  const { capacity, persistentVolumeReclaimPolicy, storageClassName, claimRef } = volume.spec ?? {};
  const phase = volume.status?.phase ?? '';
  return (
    <tr>
      <td>
        <Link href={objectPath('persistentvolumes', undefined, name)}>{name}</Link>
      </td>
      <td>
        <span className={`badge ${phase === 'Bound' || phase === 'Available' ? 'running' : 'waiting'}`}>{phase}</span>
      </td>
      <td className="number">{capacity?.storage}</td>
      <td>{storageClassName}</td>
      <td>{persistentVolumeReclaimPolicy}</td>
      <td>
        {claimRef && (
          <Link href={objectPath('persistentvolumeclaims', claimRef.namespace, claimRef.name ?? '')}>
            {claimRef.namespace}/{claimRef.name}
          </Link>
        )}
      </td>
    </tr>
  );
}
