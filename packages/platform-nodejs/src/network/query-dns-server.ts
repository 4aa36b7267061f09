import { createSocket } from 'node:dgram';
import { createConnection } from 'node:net';
import type { QueryServer } from '@coracle/dns';
import { frames } from './dns-sockets.js';

const patienceMs = 2_000;

/**
 * Queries a DNS server, `ADDRESS` or `ADDRESS#PORT`, over UDP or TCP. Each question has a separate socket, and so a
 * random port.
 */
export const queryDnsServer: QueryServer = (server, packet, protocol) => {
  const [address = '', port = '53'] = server.split('#');
  return protocol === 'udp' ? sendUdp(address, Number(port), packet) : askTcp(address, Number(port), packet);
};

function sendUdp(address: string, port: number, packet: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    let ended = false;
    const end = (finish: () => void) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      socket.close();
      finish();
    };
    const failed = (error: Error) => end(() => reject(error));
    const timer = setTimeout(() => failed(new Error(`${address} does not respond`)), patienceMs);
    socket.on('error', failed);
    socket.on('message', (answer) => {
      // Attackers may guess the port, so the id is random too.
      if (answer[0] === packet[0] && answer[1] === packet[1]) end(() => resolve(answer));
    });
    // A connected socket receives only responses of this server. Without a route to it the callback gets an error.
    socket.connect(port, address, (error?: Error | null) => {
      if (error) failed(error);
      else if (!ended) socket.send(packet, (unsent) => unsent && failed(unsent));
    });
  });
}

function askTcp(address: string, port: number, packet: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, address);
    socket.setTimeout(patienceMs, () => socket.destroy(new Error(`${address} does not respond`)));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${address} has closed the connection`)));
    socket.on(
      'data',
      frames((answer) => {
        resolve(answer);
        socket.destroy();
      }),
    );
    socket.on('connect', () => {
      socket.write(Uint8Array.of(packet.length >> 8, packet.length & 0xff));
      socket.write(packet);
    });
  });
}
