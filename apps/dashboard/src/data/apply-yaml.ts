import { asStatusError, type KubeObject, parseYamlDocuments, type ResourceInfo } from '@coracle/apimachinery';
import { refFor } from '../model/catalog.js';
import type { Cluster } from './cluster.js';

/** The result for one object of a text. */
export interface Applied {
  readonly title: string;
  readonly info?: ResourceInfo;
  readonly object?: KubeObject;
  readonly failure?: string;
}

interface ApplyTextOptions {
  /** Of objects that name none. */
  readonly namespace: string;
  readonly dryRun: boolean;
}

/** Applies each object of a text, in order. A failure does not prevent the others. */
export async function applyText(cluster: Cluster, text: string, options: ApplyTextOptions): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const { value } of parseYamlDocuments(text)) applied.push(await applyOne(cluster, value as KubeObject, options));
  return applied;
}

async function applyOne(
  { catalog, client }: Cluster,
  object: KubeObject,
  { namespace, dryRun }: ApplyTextOptions,
): Promise<Applied> {
  const { apiVersion = '', kind = '', metadata } = object;
  const title = `${kind} ${metadata?.name ?? metadata?.generateName ?? ''}`;
  const info = catalog.byKind(apiVersion, kind);
  if (!info || !metadata) return { title, failure: `the cluster has no kind ${apiVersion} ${kind}` };
  const version = apiVersion.split('/').at(-1) ?? info.version;
  const scope = info.namespaced ? (metadata.namespace ?? namespace) : undefined;
  const resource = client.resource({ ...refFor(info), version }, scope);
  try {
    // Only what has a name can be applied; others get theirs from the server.
    const written = metadata.name
      ? await resource.apply(object, { fieldManager: 'coracle-dashboard', dryRun, fieldValidation: 'Strict' })
      : await resource.create(object, { dryRun, fieldValidation: 'Strict' });
    return { title, info, object: written };
  } catch (error) {
    return { title, info, failure: asStatusError(error).message };
  }
}
