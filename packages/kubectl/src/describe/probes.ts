import { type Fields, recordAt, textAt, textsAt } from '../values.js';

/** A probe in one line. */
export function probeText(probe: Fields): string {
  const seconds = (field: string) => `${textAt(probe, field) || '0'}s`;
  const attributes = `delay=${seconds('initialDelaySeconds')} timeout=${seconds('timeoutSeconds')} period=${seconds('periodSeconds')} #success=${textAt(probe, 'successThreshold') || '0'} #failure=${textAt(probe, 'failureThreshold') || '0'}`;
  const { exec, httpGet, tcpSocket, grpc } = probe as Record<string, Fields | undefined>;
  if (exec) return `exec [${textsAt(exec, 'command').join(' ')}] ${attributes}`;
  if (httpGet) {
    const host = textAt(httpGet, 'host');
    const port = textAt(httpGet, 'port');
    const path = textAt(httpGet, 'path');
    const scheme = (textAt(httpGet, 'scheme') || 'HTTP').toLowerCase();
    return `http-get ${scheme}://${host}${port === '' ? '' : `:${port}`}${path.startsWith('/') || path === '' ? path : `/${path}`} ${attributes}`;
  }
  if (tcpSocket) return `tcp-socket ${textAt(tcpSocket, 'host')}:${textAt(tcpSocket, 'port')} ${attributes}`;
  if (grpc) return `grpc <pod>:${textAt(grpc, 'port')} ${textAt(recordAt(probe, 'grpc'), 'service')} ${attributes}`;
  return `unknown ${attributes}`;
}
