import { connect, createServer } from 'node:net';

/** Passes connections to a port on to a socket of the file system, until it is killed: `node FILE PORT SOCKET`. */
const [port = '', path = ''] = process.argv.slice(2);
const server = createServer((incoming) => {
  const outgoing = connect(path);
  incoming.pipe(outgoing).pipe(incoming);
  incoming.on('error', () => outgoing.destroy());
  outgoing.on('error', () => incoming.destroy());
});
server.listen(Number(port), '0.0.0.0', () => process.stdout.write('listening\n'));
