import { readFileSync } from 'node:fs';
import { parseKubeconfig } from '@coracle/client';
import { WebSocket } from 'ws';

/**
 * Reads a resource over a WebSocket with one protocol, as the conformance tests do, and prints the messages as JSON, each
 * as an array of bytes: `node FILE KUBECONFIG PATH PROTOCOL`. Fails unless the server closes the connection in order.
 */
const [kubeconfig = '', path = '', protocol = ''] = process.argv.slice(2);
const { clusters = [], users = [] } = parseKubeconfig(readFileSync(kubeconfig, 'utf8'));
const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64');
const server = clusters[0]?.cluster.server ?? '';
const socket = new WebSocket(`${server.replace(/^http/, 'ws')}${path}`, [protocol], {
  origin: 'http://localhost',
  ca: decode(clusters[0]?.cluster['certificate-authority-data']),
  cert: decode(users[0]?.user['client-certificate-data']),
  key: decode(users[0]?.user['client-key-data']),
});
const messages: number[][] = [];
socket.on('message', (data: Buffer) => messages.push([...data]));
socket.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
});
socket.on('close', (code) => {
  process.stdout.write(JSON.stringify(messages));
  process.exitCode = code === 1000 ? 0 : 1;
});
