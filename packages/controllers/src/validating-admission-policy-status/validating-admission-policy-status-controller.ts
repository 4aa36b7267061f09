import {
  type admissionregistrationv1,
  kindsToCheck,
  type OpenApiComponents,
  openApiSchemaOf,
  refs,
  resourcesToCheck,
  schemaCelType,
  type TypedKind,
  typeCheckPolicy,
} from '@coracle/api';
import {
  type CelType,
  type GroupVersionKind,
  isNotFound,
  keyOf,
  type ObjectKey,
  parseApiVersion,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { Client } from '@coracle/client';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';

const fieldManager = 'validatingadmissionpolicy-status';

/**
 * Type-checks the expressions of validating policies for the kinds that they match, and reports errors in the status.
 */
export const validatingAdmissionPolicyStatusController: Controller = {
  name: 'validatingadmissionpolicy-status-controller',
  start(context) {
    const policies = context.informers.for(refs.validatingAdmissionPolicies);
    return runKeyed(context, {
      name: 'validatingadmissionpolicy-status',
      workers: 5,
      watch: (queue) => [policies.addHandler(({ type, object }) => type !== 'deleted' && queue.add(keyOf(object)))],
      reconcile: (key) => reconcile(key, context),
    });
  },
};

async function reconcile(key: ObjectKey, { client, informers, catalog }: ControllerContext): Promise<void> {
  const policy = informers.for(refs.validatingAdmissionPolicies).get(key);
  const { generation = 0, name = '' } = policy?.metadata ?? {};
  if (!policy || generation <= (policy.status?.observedGeneration ?? 0)) return;
  const types = new KindTypes(client);
  const kinds = await Promise.all(resourcesToCheck(policy).map((resource) => catalog.byName(resource)));
  const typed = await Promise.all(
    kindsToCheck(kinds.filter((kind) => kind !== undefined)).map((kind) => types.typed(kind)),
  );
  const expressionWarnings = typeCheckPolicy(policy, {
    kinds: typed.filter((kind) => kind !== undefined),
    params: await paramsType(policy, types),
  });
  const typeChecking = expressionWarnings.length > 0 ? { expressionWarnings } : {};
  const object = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    status: { observedGeneration: generation, typeChecking },
  };
  await client
    .resource(refs.validatingAdmissionPolicies)
    .apply(object, { fieldManager, force: true, subresource: 'status' })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

async function paramsType(
  { spec }: admissionregistrationv1.ValidatingAdmissionPolicy,
  types: KindTypes,
): Promise<CelType | undefined> {
  const { apiVersion = '', kind = '' } = spec?.paramKind ?? {};
  const version = kind === '' ? undefined : parseApiVersion(apiVersion);
  return version && (await types.typed({ ...version, kind }))?.type;
}

/** The types of kinds from the server's OpenAPI documents. */
class KindTypes {
  readonly #client: Client;
  /** By group and version. */
  readonly #components = new Map<string, Promise<OpenApiComponents>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** `undefined` for a kind without an OpenAPI schema. */
  async typed(kind: GroupVersionKind): Promise<TypedKind | undefined> {
    const path = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
    const components = this.#components.get(path) ?? this.#read(path);
    this.#components.set(path, components);
    const schema = openApiSchemaOf(await components, kind);
    const type = schema && schemaCelType(schema, false, kind.kind)?.type;
    return type && { kind, type };
  }

  async #read(path: string): Promise<OpenApiComponents> {
    const { status, body } = await this.#client.raw('GET', `/openapi/v3/${path}`);
    const components = status === 200 && isRecord(body) ? body['components'] : undefined;
    const schemas = isRecord(components) ? components['schemas'] : undefined;
    return isRecord(schemas) ? (schemas as OpenApiComponents) : {};
  }
}
