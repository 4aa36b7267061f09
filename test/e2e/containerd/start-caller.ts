import { createCriClient } from '@coracle/platform-nodejs';

/** Asks a runtime to start a container, and waits for the answer until it is killed. */
const [endpoint = ''] = process.argv.slice(2);
const client = createCriClient({ endpoint, holdStarts: true });
await client.runtime.startContainer({ containerId: 'c1' });
