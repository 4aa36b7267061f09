import { useState } from 'react';
import { type Cluster, useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useAsked, useLive } from '../data/use-live.js';
import { may } from '../model/access-rules.js';
import { idOf } from '../model/catalog.js';
import { type Grant, isMine, type Question, whoCan } from '../model/who-can.js';
import { ErrorNote } from '../parts/error-note.js';
import { Link, objectPath } from '../parts/link.js';
import { NamespaceSelect, useNamespace } from '../parts/namespace-select.js';
import { useWords } from '../words/use-words.js';

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'impersonate'];

/** The users who have a permission, and why the current user has it or not. */
export default function AccessPage() {
  const w = useWords();
  const { catalog, access } = useCluster();
  const namespace = useNamespace();
  const [verb, setVerb] = useState('create');
  const [kind, setKind] = useState('pods');
  const info = catalog.find(kind);
  const question = { verb, group: info?.group ?? '', resource: info?.resource ?? kind };
  return (
    <div className="page">
      <div className="page-head">
        <h1>{w.access}</h1>
        <span className="grow" />
        <NamespaceSelect />
      </div>
      <section className="panel" aria-labelledby="question">
        <h2 id="question">{w.whoCanTitle}</h2>
        <div className="bar">
          <label>
            {w.verb}
            <select value={verb} onChange={(event) => setVerb(event.target.value)}>
              {verbs.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <label>
            {w.kind}
            <select value={kind} onChange={(event) => setKind(event.target.value)}>
              {catalog.kinds.map((one) => (
                <option key={idOf(one)}>{idOf(one)}</option>
              ))}
            </select>
          </label>
        </div>
        <OwnAnswer question={question} namespace={namespace} />
        {may(access, 'list', refs.clusterRoleBindings) && access.onlyNamespace === undefined ? (
          <Grants question={question} namespace={namespace} />
        ) : (
          <p className="dim">{w.mayNotSeeRoles}</p>
        )}
      </section>
      <OwnRules />
    </div>
  );
}

interface QuestionProps {
  readonly question: Question;
  readonly namespace: string | undefined;
}

/** The server's own answer, with its reason. */
function OwnAnswer({ question, namespace }: QuestionProps) {
  const w = useWords();
  const cluster = useCluster();
  const answer = useAsked(
    (signal) => review(cluster, { question, namespace, signal }),
    JSON.stringify([question, namespace]),
  );
  if (answer.at === 'loading') return <p className="dim">{w.loading}</p>;
  if (answer.at === 'failed') return <ErrorNote message={answer.message} />;
  const { allowed, reason } = answer.value;
  return (
    <p role="status">
      <span className={`badge ${allowed ? 'running' : 'failing'}`}>
        {allowed ? w.youMay(question.verb, question.resource) : w.youMayNot(question.verb, question.resource)}
      </span>{' '}
      <span className="dim">{reason || (allowed ? '' : w.noRoleAllows)}</span>
    </p>
  );
}

interface Review extends QuestionProps {
  readonly signal: AbortSignal;
}

async function review({ client }: Cluster, { question, namespace, signal }: Review) {
  const { status, body } = await client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { ...question, ...(namespace && { namespace }) } },
    },
    signal,
  });
  if (status >= 400) throw new Error((body as { message?: string }).message ?? `HTTP ${status}`);
  return (body as { status: { allowed: boolean; reason?: string } }).status;
}

function Grants({ question, namespace }: QuestionProps) {
  const w = useWords();
  const { access } = useCluster();
  const objects = {
    roles: useLive({ ref: refs.roles, namespace }).items,
    clusterRoles: useLive({ ref: refs.clusterRoles }).items,
    roleBindings: useLive({ ref: refs.roleBindings, namespace }).items,
    clusterRoleBindings: useLive({ ref: refs.clusterRoleBindings }).items,
  };
  const grants = whoCan(question, namespace, objects);
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            <th>{w.who}</th>
            <th>{w.role}</th>
            <th>{w.binding}</th>
          </tr>
        </thead>
        <tbody>
          {grants.map((grant) => (
            <GrantRow key={JSON.stringify(grant)} grant={grant} isOwn={isMine(grant, access)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const group = 'rbac.authorization.k8s.io';

function GrantRow({ grant, isOwn }: { readonly grant: Grant; readonly isOwn: boolean }) {
  const w = useWords();
  const { subject, role, binding } = grant;
  const roleScope = role.kind === 'Role' ? binding.namespace : undefined;
  return (
    <tr className={isOwn ? 'chosen' : ''}>
      <td>
        <span className="dim">{subject.kind}</span> {[subject.namespace, subject.name].filter(Boolean).join('/')}
        {isOwn && ` (${w.you})`}
      </td>
      <td>
        <Link href={objectPath(`${role.kind.toLowerCase()}s.${group}`, roleScope, role.name)}>
          {role.kind}/{role.name}
        </Link>
      </td>
      <td>
        <Link href={objectPath(`${binding.kind.toLowerCase()}s.${group}`, binding.namespace, binding.name)}>
          {binding.kind}/{binding.name}
        </Link>
      </td>
    </tr>
  );
}

function OwnRules() {
  const w = useWords();
  const { access } = useCluster();
  return (
    <section className="panel" aria-labelledby="rules">
      <h2 id="rules">{w.whatYouMay(access.user)}</h2>
      <p className="dim">{access.groups.join(', ')}</p>
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th>{w.groups}</th>
              <th>{w.kinds}</th>
              <th>{w.verb}</th>
            </tr>
          </thead>
          <tbody>
            {access.rules.map((rule) => (
              <tr key={JSON.stringify(rule)}>
                <td className="mono">{(rule.apiGroups ?? []).map((one) => one || 'core').join(', ')}</td>
                <td className="mono">{(rule.resources ?? []).join(', ')}</td>
                <td className="mono">{rule.verbs.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
