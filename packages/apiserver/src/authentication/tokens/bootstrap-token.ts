import { refs } from '@coracle/api';
import type { Clock } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { TokenAuthenticator } from '../bearer-token.js';

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Tokens by which new nodes join: secrets of type `bootstrap.kubernetes.io/token` in kube-system. */
export function bootstrapToken({
  objects,
  clock,
}: {
  readonly objects: ObjectReader;
  readonly clock: Clock;
}): TokenAuthenticator {
  return {
    name: 'BootstrapToken',
    authenticateToken(token) {
      const [, id, value] = tokenPattern.exec(token) ?? [];
      if (id === undefined || value === undefined) return undefined;
      const secret = objects.get(refs.secrets, 'kube-system', `bootstrap-token-${id}`);
      if (secret?.type !== 'bootstrap.kubernetes.io/token' || secret.metadata.deletionTimestamp) return undefined;
      const read = (key: string) => atob(secret.data?.[key] ?? '');
      if (read('token-id') !== id || !sameText(read('token-secret'), value)) return undefined;
      if (read('usage-bootstrap-authentication') !== 'true' || isOver(read('expiration'), clock)) return undefined;
      const groups = extraGroups(read('auth-extra-groups'));
      return (
        groups && {
          user: { name: `system:bootstrap:${id}`, groups: [...new Set(['system:bootstrappers', ...groups])].sort() },
        }
      );
    },
  };
}

/** A time that cannot be read counts as over. */
function isOver(expiration: string, clock: Clock): boolean {
  return expiration !== '' && !(Date.parse(expiration) > clock.now());
}

/** `undefined` when one of them is not a bootstrapper's group. */
function extraGroups(text: string): string[] | undefined {
  const groups = text === '' ? [] : text.split(',');
  return groups.every((group) => groupPattern.test(group)) ? groups : undefined;
}

/** Takes the same time for wrong and right tokens, so that the time reveals nothing. */
function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
