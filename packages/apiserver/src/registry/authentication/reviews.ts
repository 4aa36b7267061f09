import type { authenticationv1 } from '@coracle/api';
import { badRequest, formatTime, reasonOf } from '@coracle/apimachinery';
import { authenticateToken, type TokenAuthenticator } from '../../authentication/bearer-token.js';
import { anonymous, type UserInfo } from '../../user-info.js';

import type { SubresourceTable } from '../subresource.js';
import { trackReview } from '../track-review.js';

const group = 'authentication.k8s.io';

/** TokenReview and SelfSubjectReview. */
export function authenticationReviews(options: {
  readonly tokens: readonly TokenAuthenticator[];
  readonly audiences: readonly string[];
}): SubresourceTable {
  return {
    [`${group}/tokenreviews`]: {
      async create(call, body) {
        const review = body as authenticationv1.TokenReview;
        if (!review.spec?.token) throw badRequest('token is required for TokenReview in authentication');
        return { object: { ...trackReview(call, review), status: await reviewToken(review.spec, options) } };
      },
    },
    [`${group}/selfsubjectreviews`]: {
      create: async ({ parts, write }, { apiVersion, kind }) => ({
        object: {
          kind,
          apiVersion,
          metadata: { creationTimestamp: formatTime(parts.clock.now()) },
          status: { userInfo: toWire(write.user) },
        },
      }),
    },
  };
}

async function reviewToken(
  { token = '', audiences: requestedAudiences }: authenticationv1.TokenReviewSpec,
  { tokens, audiences }: { readonly tokens: readonly TokenAuthenticator[]; readonly audiences: readonly string[] },
): Promise<authenticationv1.TokenReviewStatus> {
  // A token of white space is no credential.
  if (token.trim() === '')
    return {
      authenticated: true,
      user: toWire(anonymous),
      audiences: [...(requestedAudiences?.length ? requestedAudiences : audiences)],
    };
  try {
    const { user, audiences: good = [] } = await authenticateToken(
      tokens,
      token,
      requestedAudiences?.length ? requestedAudiences : audiences,
    );
    const groups = user.groups.includes('system:authenticated')
      ? user.groups
      : [...user.groups, 'system:authenticated'];
    return {
      authenticated: true,
      user: toWire({ ...user, groups }),
      ...(good.length > 0 && { audiences: [...good] }),
    };
  } catch (error) {
    if (reasonOf(error) !== 'Unauthorized') throw error;
    return { error: wordsOf(error as Error), user: {} };
  }
}

function wordsOf({ cause }: { readonly cause?: unknown }): string {
  return typeof cause === 'string' ? `[invalid bearer token, ${cause}]` : 'invalid bearer token';
}

function toWire({ name, uid, groups, extra }: UserInfo): authenticationv1.UserInfo {
  return {
    username: name,
    ...(uid && { uid }),
    groups: [...groups],
    ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
