import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { OpenAnswers } from './open-answers.js';
import type { Patience } from './patience.js';

export interface SessionWatch {
  readonly answers: OpenAnswers;
  readonly patience: Patience;
}

/** Clients with open responses, such as watches, are pinged only after this many idle periods: there may be thousands. */
const silencesOfABusyClient = 6;

/**
 * Ends connections of HTTP/2 that have been idle for long, and dead ones. A client that violates the protocol gets a
 * GOAWAY from the library, which then neither reads nor closes its connection: only a ping shows that the peer is gone.
 * (HTTP/1.1 has separate timeouts for all of this.)
 */
export function endSilentSessions(server: Http2SecureServer, watch: SessionWatch): void {
  server.on('session', (session: ServerHttp2Session) => watchOver(session, watch));
}

function watchOver(session: ServerHttp2Session, { answers, patience }: SessionWatch): void {
  const { silenceMs, idleMs } = patience;
  let silences = 0;
  let lastRequest: number | undefined;
  session.setTimeout(silenceMs, () => {
    if (session.closed || session.destroyed) return;
    const { lastProcStreamID } = session.state;
    silences = lastProcStreamID === lastRequest ? silences + 1 : 1;
    lastRequest = lastProcStreamID;
    const isBusy = answers.isAnsweringOn(session);
    if (!isBusy && silences * silenceMs >= idleMs) session.close();
    else if (isBusy && silences % silencesOfABusyClient !== 0) session.setTimeout(silenceMs);
    else expectSign(session, silenceMs);
  });
}

/** Cuts a connection off whose client does not answer a ping. */
function expectSign(session: ServerHttp2Session, silenceMs: number): void {
  const timer = setTimeout(() => session.destroy(), silenceMs);
  session.ping((error) => {
    clearTimeout(timer);
    if (!error) session.setTimeout(silenceMs);
  });
}
