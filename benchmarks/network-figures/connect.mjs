// Connects to a server by its own address and through two services in turns, and prints what a connection takes. In the
// network namespace of the figures: SERVER FIRST LAST
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';

const [server, ...services] = process.argv.slice(2);
for (const line of ['link set lo up', `addr add ${server}/32 dev lo`, 'route add default dev lo'])
  execFileSync('ip', line.split(' '));
const listener = createServer((socket) => socket.end('x')).listen(8080, server);
await once(listener, 'listening');

async function connect(host, port) {
  const began = performance.now();
  const socket = createConnection({ host, port });
  socket.resume();
  await once(socket, 'connect');
  const took = performance.now() - began;
  await once(socket, 'close');
  return took;
}

const places = [
  ['without a service', server, 8080],
  ['through the first', services[0], 80],
  ['through the last', services[1], 80],
];
const walls = places.map(() => []);
for (let round = 0; round < 1_100; round++)
  for (const [i, [, host, port]] of places.entries()) {
    const took = await connect(host, port);
    if (round >= 100) walls[i].push(took * 1000);
  }
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const figures = places.map(([name], i) => `${name} ${median(walls[i]).toFixed(0)} µs`);
console.log(`a new connection, median of 1,000: ${figures.join(', ')}`);
listener.close();
