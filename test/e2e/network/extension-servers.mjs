// Stands in for programs of upstream's test images, by the first argument: `porter` returns what its environment says on
// many ports, `webhook` admits and converts, `apiserver` is an aggregated API server that keeps flunders in memory.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

const [mode, ...flags] = process.argv.slice(2);
const tls = () => ({ cert: readFileSync('/certificates/tls.crt'), key: readFileSync('/certificates/tls.key') });

/** As Go's servers guess it. */
const typeOf = (text) => (/^<(a|html|body)\b/i.test(text) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');

function porter() {
  const json = flags.includes('--json-response');
  for (const [name, body = ''] of Object.entries(process.env)) {
    const [, isTls, port] = name.match(/^SERVE_(TLS_)?PORT_(\d+)$/) ?? [];
    if (port === undefined) continue;
    const answer = (request, response) => {
      const text = json ? JSON.stringify({ Method: request.method, Body: body }) : body;
      response.writeHead(200, { 'content-type': typeOf(text) }).end(text);
    };
    (isTls ? createTlsServer(tls(), answer) : createServer(answer)).listen(Number(port));
  }
}

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}

/** `hostPort` of v1 is `host` and `port` of v2. */
function convert({ hostPort, host, port, ...object }, apiVersion) {
  const rest = { ...object, apiVersion };
  if (apiVersion.endsWith('/v1')) return host === undefined ? rest : { ...rest, hostPort: `${host}:${port ?? ''}` };
  if (hostPort === undefined) return rest;
  const [name, number] = hostPort.split(':');
  return { ...rest, host: name, port: number };
}

const patchOf = (patch) => ({ patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') });

const reviews = {
  '/always-deny': () => ({ allowed: false, status: { message: 'this webhook denies all requests' } }),
  '/mutating-configmaps': ({ object }) => ({
    allowed: true,
    ...(object.data?.['mutation-start'] === 'yes' &&
      patchOf([{ op: 'add', path: '/data/mutation-stage-1', value: 'yes' }])),
  }),
  '/crdconvert': ({ objects, desiredAPIVersion }) => ({
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => convert(object, desiredAPIVersion)),
  }),
};

function webhook() {
  createTlsServer(tls(), async (request, response) => {
    if (request.url === '/readyz') return response.end('ok');
    const { apiVersion, kind, request: review } = await bodyOf(request);
    const answer = { uid: review.uid, ...reviews[request.url.split('?')[0]](review) };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion, kind, response: answer }));
  }).listen(8444);
}

const group = 'wardle.example.com';
const apiVersion = `${group}/v1alpha1`;
const verbs = ['create', 'delete', 'get', 'list'];
const resources = [{ name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs }];

function apiserver() {
  const flunders = new Map();
  const list = (namespace) => [...flunders.values()].filter(({ metadata }) => metadata.namespace === namespace);
  const answers = {
    GET: (namespace, name) =>
      name
        ? flunders.get(`${namespace}/${name}`)
        : { apiVersion, kind: 'FlunderList', metadata: {}, items: list(namespace) },
    POST: (namespace, _name, object) => {
      const made = {
        ...object,
        metadata: { ...object.metadata, namespace, uid: crypto.randomUUID(), resourceVersion: '1' },
      };
      flunders.set(`${namespace}/${made.metadata.name}`, made);
      return made;
    },
    DELETE: (namespace, name) => {
      flunders.delete(`${namespace}/${name}`);
      return { apiVersion: 'v1', kind: 'Status', status: 'Success' };
    },
  };
  createTlsServer(tls(), async (request, response) => {
    const send = (code, value) => {
      response.writeHead(code, {
        'content-type': 'application/json',
        'x-user': request.headers['x-remote-user'] ?? '',
      });
      response.end(JSON.stringify(value));
    };
    const path = request.url.split('?')[0];
    if (path === `/apis/${apiVersion}`)
      return send(200, { kind: 'APIResourceList', groupVersion: apiVersion, resources });
    const [, namespace, name] = path.match(/\/namespaces\/([^/]+)\/flunders(?:\/([^/]+))?$/) ?? [];
    const answer = namespace && answers[request.method](namespace, name, await bodyOf(request));
    if (!answer)
      return send(404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 });
    send(request.method === 'POST' ? 201 : 200, answer);
  }).listen(8444);
}

({ porter, webhook, apiserver })[mode]();
process.on('SIGTERM', () => process.exit());
