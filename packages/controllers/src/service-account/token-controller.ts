import { refs, type Secret, type ServiceAccount } from '@coracle/api';
import { isNotFound, keyOf, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';

const tokenType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** Issues a token that is valid as long as the secret contains it. */
export type SignToken = (token: {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secret: string;
}) => Promise<string>;

export interface TokenControllerSettings {
  readonly signToken: SignToken;
  /** PEM, put beside the token. */
  readonly caCertificate: string;
}

/**
 * Fills secrets of the type `kubernetes.io/service-account-token`, and removes them with the account. An account
 * drops the reference to a deleted secret.
 */
export function tokenController(settings: TokenControllerSettings): Controller {
  return {
    name: 'serviceaccount-token-controller',
    start(context) {
      const { informers } = context;
      const secrets = informers.for(refs.secrets);
      const accounts = informers.for(refs.serviceAccounts);
      return runKeyed(context, {
        name: 'serviceaccount_tokens',
        watch: (queue) => [
          secrets.addHandler(({ object }) => {
            if (object.type === tokenType) queue.add(keyOf(object));
          }),
          accounts.addHandler(({ type, object }) => {
            if (type !== 'deleted') return;
            for (const secret of secrets.list()) if (isFor(secret, object)) queue.add(keyOf(secret));
          }),
        ],
        reconcile: async (key) => {
          const secret = secrets.get(key);
          if (!secret) await dropReferences(key, context);
          else if (secret.type === tokenType && !secret.metadata.deletionTimestamp) {
            await sync(secret, settings, context);
          }
        },
      });
    },
  };
}

function isFor({ type, metadata }: Secret, account: ServiceAccount): boolean {
  return (
    type === tokenType &&
    metadata.namespace === account.metadata.namespace &&
    metadata.annotations?.[nameAnnotation] === account.metadata.name
  );
}

async function dropReferences(secretKey: ObjectKey, { client, informers }: ControllerContext): Promise<void> {
  const { namespace, name: secret } = splitObjectKey(secretKey);
  const accounts = client.resource(refs.serviceAccounts, namespace);
  for (const account of informers.for(refs.serviceAccounts).list(namespace)) {
    const { secrets = [] } = account;
    if (!secrets.some(({ name }) => name === secret)) continue;
    await accounts
      .update({ ...account, secrets: secrets.filter(({ name }) => name !== secret) })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

async function sync(secret: Secret, settings: TokenControllerSettings, context: ControllerContext): Promise<void> {
  const { namespace = '', name = '', uid = '' } = secret.metadata;
  const secrets = context.client.resource(refs.secrets, namespace);
  try {
    const account = await accountOf(secret, context);
    if (!account) await secrets.delete(name, { preconditions: { uid } });
    else {
      const filled = await fill(secret, account, settings);
      if (filled) await secrets.update(filled);
    }
  } catch (error) {
    // It was deleted meanwhile, or its namespace.
    if (!isNotFound(error)) throw error;
  }
}

/**
 * The cache may not have seen an account yet that was made just before its secret: the API server is read before anything
 * is removed.
 */
async function accountOf({ metadata }: Secret, context: ControllerContext): Promise<ServiceAccount | undefined> {
  const { namespace = '', annotations = {} } = metadata;
  const name = annotations[nameAnnotation] ?? '';
  const wantedUid = annotations[uidAnnotation] ?? '';
  const isRight = (account: ServiceAccount | undefined) =>
    account !== undefined && (wantedUid === '' || account.metadata.uid === wantedUid);
  const cached = context.informers.for(refs.serviceAccounts).get(`${namespace}/${name}`);
  if (isRight(cached)) return cached;
  const current = await context.client
    .resource(refs.serviceAccounts, namespace)
    .get(name)
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  return isRight(current) ? current : undefined;
}

/** The secret with all required data; `undefined` if it has it. */
async function fill(
  secret: Secret,
  { metadata: account }: ServiceAccount,
  { signToken, caCertificate }: TokenControllerSettings,
): Promise<Secret | undefined> {
  const { namespace = '', name = '', annotations = {} } = secret.metadata;
  const { data = {} } = secret;
  const tokenData = { namespace: btoa(namespace), ...(caCertificate !== '' && { 'ca.crt': btoa(caCertificate) }) };
  const uid = account.uid ?? '';
  const isFull =
    Boolean(data['token']) &&
    annotations[uidAnnotation] === uid &&
    Object.entries(tokenData).every(([key, value]) => data[key] === value);
  if (isFull) return undefined;
  const sign = () => signToken({ namespace, account: { name: account.name ?? '', uid }, secret: name });
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations: { ...annotations, [uidAnnotation]: uid } },
    data: { ...data, ...tokenData, token: data['token'] || btoa(await sign()) },
  };
}
