/** The server's description of this session. */
export interface SessionState {
  readonly login: 'link' | 'token';
  readonly isIn: boolean;
  readonly server?: string;
  /** The namespace of the kubeconfig's context. */
  readonly namespace?: string;
}

const keyName = 'coracle-key';

/**
 * The key of this page's origin. The cookie, which scripts cannot read, is sent to every port of the host; the key is
 * not, and the server wants both.
 */
export function sessionKey(): string {
  return localStorage.getItem(keyName) ?? '';
}

/** Exchanges the token of a one-time link, which is taken out of the address at once. */
export async function redeemLink(): Promise<void> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  await login(token);
}

/** Begins a session with a one-time token or a bearer token of the cluster; false if it is refused. */
export async function login(token: string): Promise<boolean> {
  const response = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) return false;
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(keyName, key);
  return true;
}

export async function logout(): Promise<void> {
  await fetch('/session', { method: 'DELETE', headers: { authorization: `Bearer ${sessionKey()}` } });
  localStorage.removeItem(keyName);
  location.assign('/');
}

export async function readSession(): Promise<SessionState> {
  const response = await fetch('/session', { headers: { authorization: `Bearer ${sessionKey()}` } });
  return (await response.json()) as SessionState;
}
