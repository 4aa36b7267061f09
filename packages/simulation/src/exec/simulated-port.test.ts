import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerPort } from './simulated-port.js';

const page = (request: string) => `This is the simulated pod default/web, port 80.\n${request}\n`;

/** Everything that comes back, and whether the pod closed. */
function talk(chunks: readonly string[], ends = false) {
  let got = '';
  let closed = false;
  const toPod = answerPort(
    { pod: 'web', namespace: 'default', port: 80 },
    {
      data: (chunk) => {
        got += new TextDecoder('latin1').decode(chunk);
      },
      end: () => {
        closed = true;
      },
    },
  );
  for (const chunk of chunks) toPod.data(Uint8Array.from(chunk, (char) => char.charCodeAt(0)));
  if (ends) toPod.end();
  return { got, closed };
}

/** Without the heads of HTTP. */
const bodies = (text: string) => text.split(/HTTP\/1\.1 200 OK\r\n[\s\S]*?\r\n\r\n/).slice(1);

describe('ports of simulated pods', () => {
  test('respond to HTTP with a page that names the pod, request after request', () => {
    const { got, closed } = talk([
      'GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 4\r\n\r\nbo',
      'dyHEAD /c HTTP/1.1\r\n\r\n',
    ]);
    expect(bodies(got)).toEqual([page('GET /a'), page('POST /b'), '']);
    expect(closed).toBe(false);
  });

  test.each(['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 'GET / HTTP/1.0\r\n\r\n'])('close after %j', (request) => {
    expect(talk([request]).closed).toBe(true);
  });

  test('echo data that is not HTTP', () => {
    expect(talk(['hello\n', 'GET / HTTP/1.1\r\n\r\n'])).toEqual({
      got: 'hello\nGET / HTTP/1.1\r\n\r\n',
      closed: false,
    });
    expect(talk(['GET'], true)).toEqual({ got: 'GET', closed: true });
  });

  test('respond the same for any chunks of a request', () => {
    const request = 'PUT /x HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi';
    fc.assert(
      fc.property(fc.array(fc.nat(request.length)), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), request.length];
        const chunks = at.slice(1).map((end, index) => request.slice(at[index], end));
        expect(bodies(talk(chunks).got)).toEqual([page('PUT /x')]);
      }),
    );
  });
});
