import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const pods = '/api/v1/namespaces/default/pods';
const spec = '{"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"1"}]}],"hostname":"h"}';
const podText = (name: string, ofSpec = spec) => `{"kind":"Pod","metadata":{"name":"${name}"},"spec":${ofSpec}}`;

/** A server that has been sent the same spec a few times, in different ways of writing it. */
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
  return { status, warnings, times, body: { ...body, metadata: { ...body.metadata, ...varying } } };
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
  'another spec after it': `${head},"spec":${spec},"spec":{"hostname":"x"}}`,
  'the spec in its metadata': `{"kind":"Pod","metadata":{"name":"a","spec":${spec}}}`,
  'the spec in its metadata and as its own': `{"kind":"Pod","metadata":{"name":"a","spec":${spec}},"spec":${spec}}`,
  'the spec in its metadata, which end too late': `{"kind":"Pod","metadata":{"name":"a","spec":${spec}}`,
  'the spec in a text': `{"kind":"Pod","metadata":{"name":"a","annotations":{"x":"y,"spec":${spec}}`,
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
  ['empty lists', '{"containers":[{"name":"c","image":"i","ports":[]}],"volumes":[]}'],
  ['spaces', '{ "containers": [ {"name":"c", "image":"i"} ] }'],
])('a spec with %s is told the same every time', async (_what, text) => {
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

test('objects of a series share a spec that none of them changes', async () => {
  const { call } = await serverWithSeries(spec);
  const patch = { spec: { activeDeadlineSeconds: 7 } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  await call('PATCH', `${pods}/s0-1`, patch, headers);
  const specs = await Promise.all([0, 1, 2].map(async (i) => (await call('GET', `${pods}/s0-${i}`)).body.spec));
  expect(specs[1]).toEqual({ ...specs[0], activeDeadlineSeconds: 7 });
  expect(specs[2]).toEqual(specs[0]);
});
