// Answers HTTP over TCP and datagrams over UDP with its name and the address of the client: NAME PORT
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';

const [name, port] = process.argv.slice(2);
const plain = (address) => String(address).replace(/^::ffff:/, '');
const server = createServer((request, response) => {
  response.end(`${name} ${plain(request.socket.remoteAddress)}\n`, () => request.socket.destroySoon());
});
server.listen(Number(port), '::', () => {
  const socket = createSocket('udp6');
  socket.on('message', (_, { address, port: from }) => socket.send(`${name} ${plain(address)}\n`, from, address));
  socket.bind(Number(port), '::', () => console.log('ready'));
});
