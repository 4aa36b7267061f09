import { type Container, type Pod, type PodSpec, refs, type ServiceAccount, type Volume } from '@coracle/api';
import {
  addFields,
  andThen,
  type Clock,
  type MaybePromise,
  nextTurn,
  type Random,
  randomSuffix,
  sleep,
} from '@coracle/base';
import { referencesOf } from '../../authorization/node/pod-references.js';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { refusal } from '../refusal.js';

const defaultAccount = 'default';
const mirrorAnnotation = 'kubernetes.io/config.mirror';
const enforceMountableSecrets = 'kubernetes.io/enforce-mountable-secrets';
const tokenVolumePrefix = 'kube-api-access-';
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour and seven seconds: the seconds distinguish tokens of this volume in the server's statistics. */
const tokenSeconds = 3607;

interface AccountSource {
  readonly objects: ObjectReader;
  readonly random: Random;
  readonly clock: Clock;
}

/** Adds to each pod an existing service account, and its token as a volume. */
export function serviceAccount(deps: AccountSource): AdmissionPlugin {
  const volumes = new TokenVolumes(deps.random);
  return {
    name: 'ServiceAccount',
    handles: ({ operation, resource, subresource }) =>
      resource.group === '' &&
      resource.resource === 'pods' &&
      (operation === 'CREATE' ? subresource === '' : operation === 'UPDATE' && subresource === 'ephemeralcontainers'),

    mutate(attributes) {
      const pod = attributes.object as Pod;
      const { spec } = pod;
      if (!spec || isMirror(pod) || attributes.operation === 'UPDATE') return undefined;
      const account = findAccount(attributes, spec.serviceAccountName || defaultAccount, deps);
      return andThen(account, (found) => ({ ...pod, spec: withAccount(spec, found, volumes) }));
    },

    validate(attributes) {
      const pod = attributes.object as Pod;
      if (isMirror(pod)) {
        if (attributes.operation === 'CREATE') refuseInMirror(attributes, pod);
        return undefined;
      }
      return andThen(findAccount(attributes, pod.spec?.serviceAccountName ?? '', deps), (account) => {
        if (isTrue(account.metadata.annotations?.[enforceMountableSecrets])) checkMountable(attributes, pod, account);
      });
    },
  };
}

function withAccount(spec: PodSpec, account: ServiceAccount, volumes: TokenVolumes): PodSpec {
  const mounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  const pullSecrets = spec.imagePullSecrets?.length ? undefined : account.imagePullSecrets;
  const named = spec.serviceAccountName ? undefined : { serviceAccountName: 'default', serviceAccount: 'default' };
  const mounting = addFields(spec, { ...named, ...(mounts && tokenMounts(spec, volumes)) });
  if (!pullSecrets?.length) return mounting;
  return addFields(mounting, { imagePullSecrets: pullSecrets.map((reference) => ({ ...reference })) });
}

/** As Go parses truth values. */
function isTrue(value: string | undefined): boolean {
  return value !== undefined && ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
}

function isMirror(pod: Pod): boolean {
  return pod.metadata.annotations?.[mirrorAnnotation] !== undefined;
}

function findAccount(
  attributes: AdmissionAttributes,
  account: string,
  source: AccountSource,
): MaybePromise<ServiceAccount> {
  const { namespace, name } = attributes;
  if (account === '') throw refusal(attributes, `no service account specified for pod ${namespace}/${name}`);
  const serviceAccount =
    source.objects.get(refs.serviceAccounts, namespace, account) ?? lookUp(attributes, account, source);
  return andThen(serviceAccount, (found) => {
    if (found) return found;
    const why = `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`;
    throw refusal(attributes, why);
  });
}

const attempts = 10;
/** In one process, its controller has made the account after so many turns. */
const turnsBeforeWaiting = 20;

/** The account `default` of a new namespace is made by a controller, which may take a moment. */
async function lookUp(
  { namespace, lifetime }: AdmissionAttributes,
  account: string,
  { objects, random, clock }: AccountSource,
): Promise<ServiceAccount | undefined> {
  const find = () => objects.getFresh(refs.serviceAccounts, namespace, account);
  if (account !== defaultAccount) return await find();
  for (let turn = 0; turn < turnsBeforeWaiting; turn++) {
    const found = objects.get(refs.serviceAccounts, namespace, account);
    if (found) return found;
    await nextTurn();
  }
  const intervalMs = 100 + 100 * random.next();
  for (let attempt = 1; ; attempt++) {
    const found = await find();
    if (found || attempt >= attempts) return found;
    await sleep(clock, intervalMs, lifetime?.signal);
  }
}

/** What is different in a spec whose containers all mount the token. */
function tokenMounts(spec: PodSpec, volumes: TokenVolumes): Partial<PodSpec> {
  const { initContainers, containers } = spec;
  if (containers.every(mountsToken) && (initContainers ?? []).every(mountsToken)) return {};
  const existing = spec.volumes?.find(isTokenVolume);
  const volume = existing ?? tokenVolume(volumes.nameIn(spec));
  const mount = { name: volume.name, readOnly: true, mountPath: tokenPath };
  const mounting = (container: Container): Container =>
    mountsToken(container) ? container : { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
  return {
    ...(initContainers && { initContainers: initContainers.map(mounting) }),
    containers: containers.map(mounting),
    ...(!existing && { volumes: [...(spec.volumes ?? []), volume] }),
  };
}

/**
 * Names of token volumes. A volume name must be unique only within its pod, so all pods use the same one where it is
 * free: pods of one template keep equal specs.
 */
class TokenVolumes {
  readonly #random: Random;
  #usual: string | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  nameIn({ volumes = [] }: PodSpec): string {
    this.#usual ??= this.#make();
    let name = this.#usual;
    while (volumes.some((volume) => volume.name === name)) name = this.#make();
    return name;
  }

  #make(): string {
    return `${tokenVolumePrefix}${randomSuffix(this.#random, 5)}`;
  }
}

function mountsToken(container: Container): boolean {
  return container.volumeMounts?.some(({ mountPath }) => mountPath === tokenPath) ?? false;
}

function isTokenVolume(volume: Volume): boolean {
  return volume.name.startsWith(tokenVolumePrefix) && volume.projected !== undefined;
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
}

/** A mirror pod represents a static pod of a node, so it must not refer to API objects. */
function refuseInMirror(attributes: AdmissionAttributes, pod: Pod): void {
  const refuse = (what: string) => refusal(attributes, `a mirror pod may not reference ${what}`);
  if (pod.spec?.serviceAccountName) throw refuse('service accounts');
  if ([...referencesOf(pod)].some((reference) => reference.startsWith('secrets/'))) throw refuse('secrets');
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken))
      throw refusal(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
  }
}

/** An account may be limited to the secrets that it lists. */
function checkMountable(attributes: AdmissionAttributes, pod: Pod, account: ServiceAccount): void {
  const because = `is not allowed because service account ${account.metadata.name} does not reference that`;
  const secrets = new Set(account.secrets?.map((reference) => reference.name));
  const check = (what: string, secret: string | undefined) => {
    if (secret === undefined || secrets.has(secret)) return;
    throw refusal(attributes, `${what} secret.secretName=${JSON.stringify(secret)} ${because} secret`);
  };
  const isOfEphemeral = attributes.subresource === 'ephemeralcontainers';
  if (!isOfEphemeral) for (const { secret } of pod.spec?.volumes ?? []) check('volume with', secret?.secretName);
  const { initContainers, containers, ephemeralContainers } = pod.spec ?? {};
  const kinds: Record<string, readonly Secretive[] | undefined> = isOfEphemeral
    ? { 'ephemeral container': ephemeralContainers }
    : { 'init container': initContainers, container: containers };
  for (const [kind, list] of Object.entries(kinds)) for (const one of list ?? []) checkEnvironment(kind, one, check);
  if (isOfEphemeral) return;
  const pullSecrets = new Set(account.imagePullSecrets?.map((reference) => reference.name));
  for (const { name: secret = '' } of pod.spec?.imagePullSecrets ?? []) {
    if (pullSecrets.has(secret)) continue;
    throw refusal(attributes, `imagePullSecret=${JSON.stringify(secret)} ${because} imagePullSecret`);
  }
}

/** The parts of a container that can refer to a secret. */
type Secretive = Pick<Container, 'name' | 'env' | 'envFrom'>;

function checkEnvironment(
  kind: string,
  { name, env = [], envFrom = [] }: Secretive,
  check: (what: string, secret: string | undefined) => void,
): void {
  for (const { name: variable, valueFrom } of env)
    check(`${kind} ${name} with envVar ${variable} referencing`, valueFrom?.secretKeyRef?.name);
  for (const { secretRef } of envFrom) check(`${kind} ${name} with envFrom referencing`, secretRef?.name);
}
