import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const pods = '/api/v1/namespaces/default/pods';
const spec = '{"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"1"}]}],"hostname":"h"}';
const podText = (name: string, ofSpec = spec) => `{"kind":"Pod","metadata":{"name":"${name}"},"spec":${ofSpec}}`;

/** A server that has received the same spec several times, in different serializations. */
async function serverWithSeries(...specs: string[]) {
  const server = await startTestServer();
  for (const [s, text] of specs.entries()) {
    for (let i = 0; i < 3; i++) await server.call('POST', pods, podText(`s${s}-${i}`, text));
  }
  return server;
}

const varying = { uid: '', creationTimestamp: '', resourceVersion: '', managedFields: [] };

// biome-ignore lint/suspicious/noExplicitAny: an answer is an object of any kind.
function comparable({ status, body, headers }: { status: number; body: any; headers: object }) {
  const times = body.metadata?.managedFields?.map(({ time: _, ...entry }: { time: string }) => entry);
  const warnings = (headers as Record<string, unknown>)['warning'];
  const order = Object.keys(body);
  return { status, warnings, times, order, body: { ...body, metadata: { ...body.metadata, ...varying } } };
}

const head = '{"kind":"Pod","metadata":{"name":"a"}';
const bodies: Readonly<Record<string, string>> = {
  'the same spec': podText('a'),
  'labels of its own': `{"kind":"Pod","metadata":{"name":"a","labels":{"x":"y"}},"spec":${spec}}`,
  'another version': `{"apiVersion":"v2","kind":"Pod","metadata":{"name":"a"},"spec":${spec}}`,
  'an unknown field before it': `${head.slice(0, -1)},"odd":1},"spec":${spec}}`,
  'a doubled field before it': `{"kind":"Pod","metadata":{"name":"b","name":"a"},"spec":${spec}}`,
  'another spec before it': `${head},"spec":{"hostname":"x"},"spec":${spec}}`,
  'no spec before it': `${head},"spec":null,"spec":${spec}}`,
  'another spec before it, written otherwise': `${head},"\\u0073pec":{"hostname":"x"},"spec":${spec}}`,
  'another spec after it, written otherwise': `${head},"spec":${spec},"\\u0073pec":{"hostname":"x"}}`,
  'another spec by its prototype': `${head},"__proto__":{"spec":{"hostname":"x"}},"spec":${spec}}`,
  'another spec after it': `${head},"spec":${spec},"spec":{"hostname":"x"}}`,
  'the spec in its metadata': `{"kind":"Pod","metadata":{"name":"a","spec":${spec}}}`,
  'the spec in its metadata and as its own': `{"kind":"Pod","metadata":{"name":"a","spec":${spec}},"spec":${spec}}`,
  'the spec in its metadata, which end too late': `{"kind":"Pod","metadata":{"name":"a","spec":${spec}}`,
  'the spec in a text': `{"kind":"Pod","metadata":{"name":"a","annotations":{"x":"y,"spec":${spec}}`,
  'a status before it': `${head},"status":{"podIP":"10.0.0.1"},"spec":${spec}}`,
  'half a character before it': `{"kind":"Pod","metadata":{"name":"a","labels":{"x":"\\ud800"}},"spec":${spec}}`,
  'a number that loses digits before it': `${head.slice(0, -1)},"generation":9007199254740993},"spec":${spec}}`,
  'a byte order mark': `\ufeff${podText('a')}`,
  'nothing else': `{"spec":${spec}}`,
  'a comma too much': `{,"spec":${spec}}`,
  'a list around it': `[{"kind":"Pod"},"spec":${spec}}`,
  'an end that is missing': podText('a').slice(0, -1),
  'more than its end': `${podText('a')}}`,
  'an end of its own': `${podText('a')}\n`,
  'another kind': `{"kind":"Node","metadata":{"name":"a"},"spec":${spec}}`,
  'a kind that is no text': `{"kind":7,"metadata":{"name":"a"},"spec":${spec}}`,
  'no metadata': `{"kind":"Pod","spec":${spec}}`,
  'metadata that are none': `{"kind":"Pod","metadata":7,"spec":${spec}}`,
};

test.each(Object.entries(bodies))('a spec that was sent before means the same with %s', async (_name, body) => {
  const series = await serverWithSeries(spec);
  const alone = await startTestServer();
  for (const validation of ['Strict', 'Warn', 'Ignore']) {
    const path = `${pods}?dryRun=All&fieldValidation=${validation}`;
    expect(comparable(await series.call('POST', path, body))).toEqual(comparable(await alone.call('POST', path, body)));
  }
});

test.each([
  ['unknown fields', '{"containers":[{"name":"c","image":"i","odd":1}]}'],
  ['doubled fields', '{"containers":[{"name":"c","image":"i","image":"i"}]}'],
  ['fields doubled in another way of writing', '{"containers":[{"name":"c","image":"i","im\\u0061ge":"j"}]}'],
  ['a prototype', '{"containers":[{"name":"c","__proto__":{"image":"i"}}]}'],
  ['a number that loses digits', '{"containers":[{"name":"c","image":"i"}],"activeDeadlineSeconds":9007199254740993}'],
  ['empty lists', '{"containers":[{"name":"c","image":"i","ports":[]}],"volumes":[]}'],
  ['spaces', '{ "containers": [ {"name":"c", "image":"i"} ] }'],
])('a spec with %s has the same field errors every time', async (_what, text) => {
  const series = await serverWithSeries(spec, text);
  const alone = await startTestServer();
  for (const validation of ['Strict', 'Warn', 'Ignore']) {
    const path = `${pods}?fieldValidation=${validation}`;
    for (const server of [series, alone]) await server.call('DELETE', `${pods}/a?gracePeriodSeconds=0`);
    const answers = await Promise.all([series, alone].map((server) => server.call('POST', path, podText('a', text))));
    const [ofSeries, ofOne] = answers.map(comparable);
    expect(ofSeries).toEqual(ofOne);
  }
});

test('two series that are sent by turns keep their own specs', async () => {
  const other = '{"containers":[{"name":"d","image":"j"}]}';
  const { call } = await serverWithSeries(spec, other);
  for (let i = 0; i < 4; i++) {
    const text = podText(`t${i}`, i % 2 === 0 ? spec : other);
    expect((await call('POST', pods, text)).body.spec.containers[0].image).toBe(i % 2 === 0 ? 'i' : 'j');
  }
});

test('changes of one pod of a series do not affect the others', async () => {
  const { call } = await serverWithSeries(spec);
  const bind = { metadata: { name: 's0-0' }, target: { kind: 'Node', name: 'n' } };
  expect((await call('POST', `${pods}/s0-0/binding`, bind)).status).toBe(201);
  const debug = { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } };
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  expect((await call('PATCH', `${pods}/s0-1/ephemeralcontainers`, debug, headers)).status).toBe(200);
  const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'k' }];
  expect((await call('PATCH', `${pods}/s0-2`, image, { 'content-type': 'application/json-patch+json' })).status).toBe(
    200,
  );
  const { body } = await call('POST', pods, podText('last'));
  const alone = await startTestServer();
  expect(body.spec).toEqual((await alone.call('POST', pods, podText('last'))).body.spec);
});

test('objects of a series share a spec that none of them changes', async () => {
  const { call } = await serverWithSeries(spec);
  const patch = { spec: { activeDeadlineSeconds: 7 } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  await call('PATCH', `${pods}/s0-1`, patch, headers);
  const specs = await Promise.all([0, 1, 2].map(async (i) => (await call('GET', `${pods}/s0-${i}`)).body.spec));
  expect(specs[1]).toEqual({ ...specs[0], activeDeadlineSeconds: 7 });
  expect(specs[2]).toEqual(specs[0]);
});
