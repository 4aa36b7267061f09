import type { KubeObject } from '@coracle/apimachinery';
import { nextTurn } from '@coracle/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

type Change =
  | { readonly kind: 'put'; readonly namespace: string; readonly name: string; readonly app: string }
  | { readonly kind: 'delete'; readonly namespace: string; readonly name: string };

/** Key → labels of the objects that exist after a revision. */
type State = ReadonlyMap<string, string>;

interface Moment {
  readonly revision: number;
  readonly state: State;
}

interface History {
  readonly server: TestServer;
  /** In order; the first is the state before any change. */
  readonly states: readonly Moment[];
}

const namespace = fc.constantFrom('a', 'ab', 'b');
const name = fc.constantFrom('x', 'x-y', 'x.y', 'y');
const app = fc.constantFrom('red', 'blue');
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('put' as const), namespace, name, app }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), namespace, name }) },
);
const scope = fc.constantFrom('', 'a', 'ab', 'b');
const labels = fc.constantFrom('', 'app=red', 'app!=red');
const fields = fc.constantFrom('', 'metadata.name=x', 'metadata.name!=x', 'metadata.namespace=a');

interface Query {
  readonly scope: string;
  readonly labels: string;
  readonly fields: string;
}
const anyQuery: fc.Arbitrary<Query> = fc.record({ scope, labels, fields });

type Metadata = Readonly<Record<'name' | 'namespace', string>> & { readonly labels: object };

/** Cached resources and uncached ones must behave in the same way. */
const kinds = {
  limitranges: (metadata: Metadata) => ({ metadata, spec: { limits: [] } }),
  events: (metadata: Metadata) => ({ metadata, involvedObject: { namespace: metadata.namespace } }),
};
type Kind = keyof typeof kinds;

async function play(kind: Kind, changes: readonly Change[]): Promise<History> {
  const server = await startTestServer();
  const first = await server.call('GET', `/api/v1/${kind}`);
  const states = [{ revision: Number(first.body.metadata.resourceVersion), state: new Map() as State }];
  for (const one of changes) {
    const path = `/api/v1/namespaces/${one.namespace}/${kind}`;
    const key = `${one.namespace}/${one.name}`;
    const last = states.at(-1)?.state as State;
    if (one.kind === 'delete') {
      if (!last.has(key)) continue;
      await server.call('DELETE', `${path}/${one.name}`);
    } else {
      const body = kinds[kind]({ name: one.name, namespace: one.namespace, labels: { app: one.app } });
      const { status } = last.has(key)
        ? await server.call('PUT', `${path}/${one.name}`, body)
        : await server.call('POST', path, body);
      expect(status).toBeLessThan(300);
    }
    const state = new Map(last);
    if (one.kind === 'put') state.set(key, one.app);
    else state.delete(key);
    const { body } = await server.call('GET', `/api/v1/${kind}?limit=1`);
    states.push({ revision: Number(body.metadata.resourceVersion), state });
  }
  return { server, states };
}

function selects({ scope: within, labels: labelSelector, fields: field }: Query, key: string, label: string): boolean {
  const [space = '', objectName = ''] = key.split('/');
  if (within !== '' && space !== within) return false;
  if (labelSelector === 'app=red' && label !== 'red') return false;
  if (labelSelector === 'app!=red' && label === 'red') return false;
  if (field === 'metadata.name=x') return objectName === 'x';
  if (field === 'metadata.name!=x') return objectName !== 'x';
  return field === '' || space === 'a';
}

function selected(state: State, query: Query): string[] {
  const keys = [...state].filter(([key, label]) => selects(query, key, label)).map(([key]) => key);
  return keys.sort((a, b) => (a < b ? -1 : 1));
}

function pathOf(kind: Kind, query: Query, more: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams(more);
  if (query.labels) parameters.set('labelSelector', query.labels);
  if (query.fields) parameters.set('fieldSelector', query.fields);
  return `/api/v1/${query.scope && `namespaces/${query.scope}/`}${kind}?${parameters}`;
}

/** The event that a watch reports for one change. */
function eventsBetween(earlier: Moment, later: Moment, query: Query): string[] {
  const was = new Set(selected(earlier.state, query));
  const is = new Set(selected(later.state, query));
  return [...new Set([...earlier.state.keys(), ...later.state.keys()])].flatMap((key) => {
    if (earlier.state.get(key) === later.state.get(key) || !(was.has(key) || is.has(key))) return [];
    const type = !is.has(key) ? 'DELETED' : was.has(key) ? 'MODIFIED' : 'ADDED';
    return [`${type} ${key} ${later.revision}`];
  });
}

const keyOfObject = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;

/** All pages of a list, whatever is written between them. */
async function pages(history: History, path: string, between: () => Promise<void>) {
  const found: string[] = [];
  const revisions = new Set<string>();
  let remaining: number | undefined;
  for (let next = path; next; ) {
    const { status, body } = await history.server.call('GET', next);
    expect([status, body.message]).toEqual([200, undefined]);
    if (remaining !== undefined) expect(body.items.length + (body.metadata.remainingItemCount ?? 0)).toBe(remaining);
    remaining = body.metadata.remainingItemCount;
    found.push(...body.items.map(keyOfObject));
    revisions.add(body.metadata.resourceVersion);
    const token = body.metadata.continue;
    if (!token) break;
    await between();
    const url = new URL(next, 'http://x');
    for (const stale of ['resourceVersion', 'resourceVersionMatch']) url.searchParams.delete(stale);
    url.searchParams.set('continue', token);
    next = url.pathname + url.search;
  }
  return { found, revisions };
}

test.each(['limitranges', 'events'] as const)('LIST pages of %s are one snapshot', async (kind) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 14 }),
      anyQuery,
      fc.integer({ min: 1, max: 4 }),
      fc.nat(),
      fc.constantFrom('', 'Exact', 'NotOlderThan', 'legacy'),
      async (changes, query, limit, pick, match) => {
        const history = await play(kind, changes);
        const at = history.states[pick % history.states.length] as Moment;
        const newest = history.states.at(-1) as Moment;
        const version = match === '' ? {} : { resourceVersion: String(at.revision) };
        const matching = match === '' || match === 'legacy' ? {} : { resourceVersionMatch: match };
        const expectedState = match === 'Exact' || match === 'legacy' ? at.state : newest.state;
        let made = 0;
        const between = async () => {
          const metadata = { name: `between-${made++}`, namespace: 'a', labels: { app: 'red' } };
          await history.server.call('POST', `/api/v1/namespaces/a/${kind}`, kinds[kind](metadata));
        };
        const path = pathOf(kind, query, { limit: String(limit), ...version, ...matching });
        const { found, revisions } = await pages(history, path, between);
        expect(found).toEqual(selected(expectedState, query));
        expect(revisions.size).toBe(1);
      },
    ),
    { numRuns: 20 },
  );
});

test.each(['limitranges', 'events'] as const)('WATCH of %s from any version tells each change once', async (kind) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 14 }),
      anyQuery,
      fc.nat(),
      async (before, query, pick) => {
        const history = await play(kind, before);
        const index = pick % history.states.length;
        const { revision } = history.states[index] as Moment;
        const path = pathOf(kind, query, { watch: 'true', resourceVersion: String(revision) });
        const { events, stop } = await history.server.watch(path);
        // Previous states of uncached objects are read from the store.
        await nextTurn();
        const expected = history.states
          .slice(index + 1)
          .flatMap((later, i) => eventsBetween(history.states[index + i] as Moment, later, query));
        const seen = events.map(
          ({ type, object }) => `${type} ${keyOfObject(object)} ${object.metadata.resourceVersion}`,
        );
        expect(seen).toEqual(expected);
        stop();
      },
    ),
    { numRuns: 20 },
  );
});
