import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { startTestServer, type TestServer } from './server.fixture.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const configMaps = '/api/v1/namespaces/default/configmaps';

/** Each of these is new to the server, so that whatever it remembers of them shows. */
const nonsense: readonly ((i: number) => Parameters<TestServer['call']>)[] = [
  (i) => ['GET', `/nowhere/${i}`],
  (i) => ['GET', `/api/v1/namespaces/n${i}/pods/p${i}?x=${i}`],
  (i) => ['GET', `${configMaps}?labelSelector=a${i}%3D%3D%3D`],
  (i) => ['GET', `${configMaps}?resourceVersion=x${i}`],
  (i) => ['POST', configMaps, `{"broken": ${i}`],
  (i) => ['POST', configMaps, { metadata: { name: `Bad_${i}` } }],
  (i) => ['PATCH', `${configMaps}/c${i}`, '[{}]', { 'content-type': 'application/json-patch+json' }],
  (i) => ['DELETE', `${configMaps}/c${i}`, { kind: `Kind${i}` }],
  (i) => ['DELETE', `${configMaps}?labelSelector=app%3D${i}`],
  (i) => ['GET', '/api/v1', undefined, { accept: `text/x-${i}` }],
];
const perRound = 6_000;
const grownAtMostMb = 6;

test('a storm of bad input does not increase the memory', async () => {
  const { call, server } = await startTestServer({ freezesObjects: false });
  let sent = 0;
  const storm = async () => {
    for (const end = sent + perRound; sent < end; sent++) await call(...nonsense[sent % nonsense.length]!(sent));
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  // What is remembered on purpose has its bounds, which the first rounds fill.
  await storm();
  await storm();
  const before = await storm();
  await storm();
  const after = await storm();
  expect(after - before).toBeLessThan(grownAtMostMb);
  await server[Symbol.asyncDispose]();
}, 60_000);
