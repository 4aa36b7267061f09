import { createCriClient } from '@coracle/platform-nodejs';

/** Calls StartContainer of a runtime, and waits for the response until it is killed; SIGTERM stops its client. */
const [endpoint = ''] = process.argv.slice(2);
const client = createCriClient({ endpoint, holdStarts: true });
process.once('SIGTERM', () => client[Symbol.dispose]());
await client.runtime.startContainer({ containerId: 'c1' });
