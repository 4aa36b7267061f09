// Stands in for upstream's test image `agnhost netexec`: returns its host name and the client address, over HTTP and UDP, and
// sends requests to other servers for the caller: --http-port N --udp-port N
import { createSocket } from 'node:dgram';
import { createServer, get } from 'node:http';
import { hostname } from 'node:os';

const words = process.argv.slice(2).flatMap((word) => word.split('='));
const portOf = (flag, usual) => (words.includes(flag) ? Number(words[words.indexOf(flag) + 1]) : usual);
const [httpPort, udpPort] = [portOf('--http-port', 8080), portOf('--udp-port', 8081)];
const plain = (address) => String(address).replace(/^::ffff:/, '');

function askHttp(host, port, path) {
  return new Promise((resolve, reject) => {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/${path}`;
    const request = get(url, { agent: false, timeout: 5_000 }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', reject);
  });
}

function sendUdp(host, port, text) {
  return new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const timer = setTimeout(() => done(reject, new Error('no answer')), 5_000);
    const done = (settle, value) => {
      clearTimeout(timer);
      socket.close();
      settle(value);
    };
    socket.on('error', (error) => done(reject, error));
    socket.on('message', (message) => done(resolve, String(message)));
    socket.send(text, Number(port), host);
  });
}

async function dial(query) {
  const ask = query.get('protocol') === 'udp' ? sendUdp : askHttp;
  const [responses, errors] = [[], []];
  for (let i = 0; i < Number(query.get('tries') ?? 1); i++)
    await ask(query.get('host'), query.get('port'), query.get('request')).then(
      (text) => responses.push(text),
      (error) => errors.push(String(error)),
    );
  return JSON.stringify({ responses, ...(errors.length > 0 && { errors }) });
}

const answers = {
  '/': () => hostname(),
  '/hostname': () => hostname(),
  '/hostName': () => hostname(),
  '/healthz': () => 'ok',
  '/clientip': (_query, { socket }) => `${plain(socket.remoteAddress)}:${socket.remotePort}`,
  '/dial': (query) => dial(query),
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const answer = answers[pathname];
  if (!answer) response.statusCode = 404;
  response.end(answer ? await answer(searchParams, request) : 'not found');
});
server.listen(httpPort);

if (udpPort > 0) {
  const socket = createSocket('udp6');
  socket.on('message', (message, { address, port }) => {
    const [word, ...rest] = String(message).trim().split(' ');
    const text = { hostname: hostname(), echo: rest.join(' '), clientip: `${plain(address)}:${port}` }[
      word.toLowerCase()
    ];
    if (text !== undefined) socket.send(text, port, address);
  });
  socket.bind(udpPort);
}
