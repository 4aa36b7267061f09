import type { KubeObject } from '@coracle/apimachinery';
import { useMemo, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { backendsOf, policyScope, portsOf, reachabilityOf, type Verdict } from '../model/reachability.js';
import { ErrorNote } from '../parts/error-note.js';
import { Link, objectPath } from '../parts/link.js';
import { NamespaceSelect, useNamespace } from '../parts/namespace-select.js';
import { useWords } from '../words/use-words.js';

/** Which service reaches which pods, and which policy is in the way. */
export default function NetworkPage() {
  const w = useWords();
  const namespace = useNamespace();
  const services = useLive({ ref: refs.services, namespace });
  const slices = useLive({ ref: refs.endpointSlices, namespace });
  return (
    <div className="page">
      <div className="page-head">
        <h1>{w.network}</h1>
        <span className="grow" />
        <NamespaceSelect />
      </div>
      {services.state.at === 'failed' && (
        <ErrorNote message={services.state.message ?? ''} advice={w.adviceFor(services.state.code)} />
      )}
      <PolicyCheck />
      <section className="panel" aria-labelledby="services">
        <h2 id="services">{w.servicesAndPods}</h2>
        <div className="scroll-x">
          <table>
            <thead>
              <tr>
                <th>{w.service}</th>
                <th>{w.type}</th>
                <th>{w.address}</th>
                <th>{w.ports}</th>
                <th>{w.pods}</th>
              </tr>
            </thead>
            <tbody>
              {services.items.map((service) => (
                <ServiceRow
                  key={service.metadata.uid}
                  service={service}
                  slices={slices.items}
                  isOneNamespace={!!namespace}
                />
              ))}
            </tbody>
          </table>
        </div>
        {services.items.length === 0 && services.state.at === 'live' && <p className="dim">{w.noServices}</p>}
      </section>
    </div>
  );
}

const mostShown = 40;

interface ServiceRowProps {
  readonly service: KubeObject;
  readonly slices: readonly KubeObject[];
  readonly isOneNamespace: boolean;
}

function ServiceRow({ service, slices, isOneNamespace }: ServiceRowProps) {
  const w = useWords();
  const { name = '', namespace } = service.metadata;
  const { type, clusterIP } = (service as { spec?: { type?: string; clusterIP?: string } }).spec ?? {};
  const backends = useMemo(() => backendsOf(service, slices), [service, slices]);
  return (
    <tr>
      <td>
        <Link href={objectPath('services', namespace, name)}>{isOneNamespace ? name : `${namespace}/${name}`}</Link>
      </td>
      <td>{type}</td>
      <td className="mono">{clusterIP}</td>
      <td className="mono">
        {portsOf(service)
          .map(({ port, targetPort, protocol }) => `${port}→${targetPort}/${protocol}`)
          .join(', ')}
      </td>
      <td>
        {backends.length === 0 ? (
          <span className="badge waiting">{w.reachesNothing}</span>
        ) : (
          <ul className="pods">
            {backends.slice(0, mostShown).map(({ pod, address, ready }) => (
              <li key={`${pod}${address}`}>
                <Link
                  href={pod ? objectPath('pods', namespace, pod) : objectPath('services', namespace, name)}
                  className={ready ? 'is-running' : 'is-waiting'}
                  title={`${pod || address} · ${ready ? w.ready : w.notReady}`}
                >
                  <span className="hidden-visually">
                    {pod || address}, {ready ? w.ready : w.notReady}
                  </span>
                </Link>
              </li>
            ))}
            <li className="dim">{backends.length > mostShown ? `+${backends.length - mostShown}` : ''}</li>
          </ul>
        )}
      </td>
    </tr>
  );
}

/** Evaluates network policies: may this pod reach that one? */
function PolicyCheck() {
  const w = useWords();
  const namespace = useNamespace();
  const policies = useLive({ ref: refs.networkPolicies, namespace });
  const pods = useLive({ ref: refs.pods, namespace, transform: withoutBulk });
  const { access } = useCluster();
  const namespaces = useLive(access.onlyNamespace === undefined ? { ref: refs.namespaces } : undefined);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [port, setPort] = useState('80');
  const find = (key: string) => pods.items.find((pod) => keyOf(pod) === key);
  const [source, target] = [find(from), find(to)];
  const world = { policies: policies.items, pods: pods.items, namespaces: namespaces.items };
  const verdict =
    source && target
      ? reachabilityOf({ from: source, to: target, port: Number(port), protocol: 'TCP' }, world)
      : undefined;
  const keys = pods.items.map(keyOf).sort();
  return (
    <section className="panel" aria-labelledby="policies">
      <h2 id="policies">{w.mayReach}</h2>
      <div className="bar">
        <PodChoice label={w.from} keys={keys} value={from} onChange={setFrom} />
        <PodChoice label={w.to} keys={keys} value={to} onChange={setTo} />
        <label>
          {w.port}
          <input type="number" min="1" max="65535" value={port} onChange={(event) => setPort(event.target.value)} />
        </label>
        <span className="dim">{w.policyCount(policies.items.length)}</span>
      </div>
      <div role="status">{verdict && <VerdictText verdict={verdict} />}</div>
      <Policies policies={policies.items} pods={pods.items} />
    </section>
  );
}

/** The pods that each policy selects, and the directions that it restricts. */
function Policies({
  policies,
  pods,
}: {
  readonly policies: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
}) {
  const w = useWords();
  if (policies.length === 0) return <p className="dim">{w.noPolicies}</p>;
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            <th>{w.policy}</th>
            <th>{w.restricts}</th>
            <th className="number">{w.pods}</th>
          </tr>
        </thead>
        <tbody>
          {policies.map((policy) => {
            const { name = '', namespace } = policy.metadata;
            const { types, selected } = policyScope(policy, pods);
            return (
              <tr key={policy.metadata.uid}>
                <td>
                  <Link href={objectPath('networkpolicies.networking.k8s.io', namespace, name)}>
                    {namespace}/{name}
                  </Link>
                </td>
                <td>{types.join(', ')}</td>
                <td className="number">{selected.length}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function VerdictText({ verdict }: { readonly verdict: Verdict }) {
  const w = useWords();
  if (verdict.allowed) return <p className="badge running">{w.policiesAllow}</p>;
  return (
    <p>
      <span className="badge failing">{w.policiesBlock}</span>{' '}
      {verdict.blockedBy.map(({ namespace, name }) => (
        <Link key={`${namespace}/${name}`} href={objectPath('networkpolicies.networking.k8s.io', namespace, name)}>
          {namespace}/{name}{' '}
        </Link>
      ))}
    </p>
  );
}

interface PodChoiceProps {
  readonly label: string;
  readonly keys: readonly string[];
  readonly value: string;
  readonly onChange: (key: string) => void;
}

function PodChoice({ label, keys, value, onChange }: PodChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">–</option>
        {keys.map((key) => (
          <option key={key}>{key}</option>
        ))}
      </select>
    </label>
  );
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** What policies match: labels, addresses and named ports. */
function withoutBulk(pod: KubeObject): KubeObject {
  const { managedFields: _, annotations: __, ...metadata } = pod.metadata;
  return { ...pod, metadata };
}
