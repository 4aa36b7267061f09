// Sends a datagram and prints the answer: ADDRESS PORT SOURCE-PORT
import { createSocket } from 'node:dgram';

const [address, port, from] = process.argv.slice(2);
const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
socket.on('message', (message) => {
  console.log(String(message).trim());
  process.exit(0);
});
socket.on('error', () => process.exit(1));
socket.bind(Number(from), () => socket.send('?', Number(port), address));
setTimeout(() => process.exit(1), 1500);
