import { fieldReader, fromBase64 } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, stringMapAt, textAt } from '../../values.js';

interface Place {
  readonly object: Fields;
  readonly container: Fields;
  readonly namespace: string;
}

/** The value of a variable's source. */
export async function resolveValue({ factory }: Context, source: Fields, place: Place): Promise<string> {
  const helper = new RequestHelper(await factory.client());
  const { secretKeyRef, configMapKeyRef, fieldRef, resourceFieldRef } = source as Record<string, Fields | undefined>;
  if (configMapKeyRef) {
    const map = await helper.send(
      'GET',
      `/api/v1/namespaces/${place.namespace}/configmaps/${textAt(configMapKeyRef, 'name')}`,
    );
    return keyOf(map, configMapKeyRef, 'configmap');
  }
  if (secretKeyRef) {
    const secret = await helper.send(
      'GET',
      `/api/v1/namespaces/${place.namespace}/secrets/${textAt(secretKeyRef, 'name')}`,
    );
    return new TextDecoder().decode(fromBase64(keyOf(secret, secretKeyRef, 'secret')));
  }
  if (fieldRef) return String(fieldReader(`.${textAt(fieldRef, 'fieldPath')}`)(place.object) ?? '');
  if (resourceFieldRef)
    return String(fieldReader(`.resources.${textAt(resourceFieldRef, 'resource')}`)(place.container) ?? '');
  throw new CommandError('invalid valueFrom');
}

function keyOf(object: Fields, reference: Fields, kind: string): string {
  const value = stringMapAt(object, 'data')[textAt(reference, 'key')];
  if (value === undefined)
    throw new CommandError(`key ${textAt(reference, 'key')} not found in ${kind} ${textAt(reference, 'name')}`);
  return value;
}
