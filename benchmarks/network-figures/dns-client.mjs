// Queries a DNS server over UDP for names of services, 64 at a time, and prints how many answers came: PORT SECONDS
import { createSocket } from 'node:dgram';

const [port, seconds] = process.argv.slice(2).map(Number);
const label = (text) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);
const head = Buffer.of(0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0);
const tail = Buffer.concat([...['default', 'svc', 'cluster', 'local'].map(label), Buffer.of(0, 0, 1, 0, 1)]);
const questions = Array.from({ length: 1_000 }, (_, i) => Buffer.concat([head, label(`s${i}`), tail]));

const socket = createSocket({ type: 'udp4', recvBufferSize: 1024 * 1024 });
let [sent, answered] = [0, 0];
const ask = () => socket.send(questions[sent++ % questions.length]);
socket.on('message', (answer) => {
  // One record, no error.
  if ((answer[3] & 15) === 0 && answer[7] === 1) answered++;
  ask();
});
socket.connect(port, '127.0.0.1', () => {
  for (let i = 0; i < 64; i++) ask();
});
setTimeout(() => {
  console.log(answered);
  process.exit();
}, seconds * 1000);
