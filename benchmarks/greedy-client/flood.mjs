// Requests of one user over many connections, each of which has one under way at any time. They are bytes that were
// made before, and of an answer only its status and its end are looked at, so that the server and not this process is
// the limit. Forked by ../greedy-client.mjs: `flood.mjs list|list-gzip|create PORT CONNECTIONS`; it answers each
// message with the number of requests that were served.
import { connect } from 'node:tls';

const [role, port, connections] = process.argv.slice(2);
const namespace = '/api/v1/namespaces/default';
const head = (method, path) => `${method} ${path} HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer greedy\r\n`;
const encoding = role === 'list-gzip' ? 'Accept-Encoding: gzip\r\n' : '';
const list = Buffer.from(`${head('GET', `${namespace}/pods`)}${encoding}\r\n`);

const digits = 9;
const prefix = `greedy-${process.pid}-`;
const body = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: prefix + '0'.repeat(digits) },
  data: { key: 'value' },
});
const create = Buffer.from(
  `${head('POST', `${namespace}/configmaps`)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
);
const numberAt = create.indexOf(prefix) + prefix.length;
let created = 0;

/** A copy with the next name: what is written may be sent later. */
function nextCreate() {
  const bytes = Buffer.from(create);
  bytes.latin1Write(String(created++).padStart(digits, '0'), numberAt);
  return bytes;
}

const nextRequest = role === 'create' ? nextCreate : () => list;
const waitAfterRejectionMs = 1000;
let served = 0;

function flood() {
  const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
  /** Bytes of the answer that are still to come; `undefined` before its head, -1 if it comes in chunks. */
  let missing;
  let isRejected = false;
  const send = () => {
    missing = undefined;
    socket.write(nextRequest());
  };
  const onEnd = () => {
    if (!isRejected) served++;
    if (isRejected) setTimeout(send, waitAfterRejectionMs);
    else send();
  };
  socket.on('secureConnect', send);
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(flood, waitAfterRejectionMs));
  socket.on('data', (chunk) => {
    let rest = chunk.length;
    if (missing === undefined) {
      // The head of an answer is small and sent at once.
      const end = chunk.indexOf('\r\n\r\n');
      const text = chunk.latin1Slice(0, end);
      const status = text.slice('HTTP/1.1 '.length, text.indexOf('\r\n'));
      isRejected = status.startsWith('429');
      if (!isRejected && !status.startsWith('20')) throw new Error(`a request of the greedy client failed: ${status}`);
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      missing = length === undefined ? -1 : Number(length);
      rest -= end + 4;
    }
    if (missing >= 0) {
      missing -= rest;
      if (missing <= 0) onEnd();
    } else if (chunk.latin1Slice(-lastChunk.length) === lastChunk) onEnd();
  });
}

/** Ends an answer in chunks, whose lists have no such line. */
const lastChunk = '0\r\n\r\n';

process.on('message', () => process.send?.(served));
for (let i = 0; i < Number(connections); i++) flood();
