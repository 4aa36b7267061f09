import { fromBase64 } from '@coracle/apimachinery';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import { askForItems, type Describer, writeEvents } from './tools.js';
import { formatMap, formatTimestamp, orNone, writeHead, writeMultiline } from './writer.js';

const sizeOf = (base64: string): number => fromBase64(base64)?.length ?? 0;

export const describeConfigMap: Describer = async (object, w, tools) => {
  writeHead(w, object);
  w.raw('\nData\n====\n');
  const data = stringMapAt(object, 'data');
  for (const key of Object.keys(data).sort()) w.raw(`${key}:\n----\n${data[key]}\n\n`);
  w.raw('\nBinaryData\n====\n');
  const binary = stringMapAt(object, 'binaryData');
  for (const key of Object.keys(binary).sort()) w.raw(`${key}: ${sizeOf(binary[key] ?? '')} bytes\n`);
  w.raw('\n');
  await writeEvents(w, object, tools);
};

export const describeSecret: Describer = (object, w) => {
  writeHead(w, object);
  const type = textAt(object, 'type');
  w.raw(`\nType:\t${type}\n\nData\n====\n`);
  const data = stringMapAt(object, 'data');
  for (const key of Object.keys(data).sort()) {
    const isToken = type === 'kubernetes.io/service-account-token' && key === 'token';
    w.write(
      0,
      `${key}:\t${isToken ? new TextDecoder().decode(fromBase64(data[key] ?? '')) : `${sizeOf(data[key] ?? '')} bytes`}`,
    );
  }
};

export const describeServiceAccount: Describer = async (object, w, tools) => {
  writeHead(w, object);
  const names = (field: string) => recordsAt(object, field).map((one) => textAt(one, 'name'));
  writeMultiline(w, 'Image pull secrets', names('imagePullSecrets'));
  await writeEvents(w, object, tools);
};

export const describePriorityClass: Describer = async (object, w, tools) => {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Value:\t${textAt(object, 'value') || '0'}`);
  w.write(0, `GlobalDefault:\t${object['globalDefault'] === true}`);
  w.write(0, `PreemptionPolicy:\t${textAt(object, 'preemptionPolicy')}`);
  w.write(0, `Description:\t${textAt(object, 'description')}`);
  w.write(0, `Annotations:\t${orNone(formatMap(stringMapAt(object, 'metadata', 'annotations')))}`);
  await writeEvents(w, object, tools);
};

const scopes: Readonly<Record<string, string>> = {
  Terminating:
    'Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.',
  NotTerminating:
    'Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.',
  BestEffort:
    'Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.',
  NotBestEffort:
    'Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.',
};

export const describeResourceQuota: Describer = (object, w) => {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
  writeScopes(object, (line, isHelp) => w.write(0, isHelp ? ` ${line}` : line));
  w.write(0, 'Resource\tUsed\tHard');
  w.write(0, '--------\t----\t----');
  writeQuotaRows(object, (line) => w.write(0, line));
};

function writeScopes(quota: Fields, write: (line: string, isHelp: boolean) => void): void {
  const named = [...textsAt(quota, 'spec', 'scopes')].sort();
  if (named.length > 0) write(`Scopes:\t${named.join(', ')}`, false);
  for (const scope of named) if (scopes[scope]) write(`* ${scopes[scope]}`, true);
}

function writeQuotaRows(object: Fields, write: (line: string) => void): void {
  const [hard, used] = [recordAt(object, 'status', 'hard'), recordAt(object, 'status', 'used')];
  for (const name of Object.keys(hard).sort()) write(`${name}\t${textAt(used, name) || '0'}\t${textAt(hard, name)}`);
}

export const describeLimitRange: Describer = (object, w) => {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
  writeLimitRange(object, (line) => w.write(0, line));
};

function writeLimitRange(object: Fields, write: (line: string) => void): void {
  write('Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio');
  write('----\t--------\t---\t---\t---------------\t-------------\t-----------------------');
  for (const item of recordsAt(object, 'spec', 'limits')) {
    const sides = ['min', 'max', 'defaultRequest', 'default', 'maxLimitRequestRatio'].map((side) =>
      recordAt(item, side),
    );
    const names = [...new Set(sides.flatMap((side) => Object.keys(side)))].sort();
    for (const name of names)
      write(`${textAt(item, 'type')}\t${name}\t${sides.map((side) => textAt(side, name) || '-').join('\t')}`);
  }
}

export const describeNamespace: Describer = async (object, w, tools) => {
  writeHead(w, object, { namespaced: false });
  w.write(0, `Status:\t${textAt(object, 'status', 'phase')}`);
  const name = textAt(object, 'metadata', 'name');
  const conditions = recordsAt(object, 'status', 'conditions');
  if (conditions.length > 0) {
    w.write(0, 'Conditions:');
    w.write(1, 'Type\tStatus\tLastTransitionTime\tReason\tMessage');
    w.write(1, '----\t------\t------------------\t------\t-------');
    for (const one of conditions)
      w.write(
        1,
        `${textAt(one, 'type')}\t${textAt(one, 'status')}\t${formatTimestamp(textAt(one, 'lastTransitionTime'))}\t${textAt(one, 'reason')}\t${textAt(one, 'message')}`,
      );
  }
  const quotas = await askForItems(tools, `/api/v1/namespaces/${name}/resourcequotas`);
  const limits = await askForItems(tools, `/api/v1/namespaces/${name}/limitranges`);
  w.raw(quotas.length === 0 ? '\nNo resource quota.\n' : '\nResource Quotas\n');
  for (const quota of [...quotas].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    w.write(1, `Name:\t${nameOf(quota)}`);
    writeScopes(quota, (line) => w.write(1, line));
    w.write(1, 'Resource\tUsed\tHard');
    w.write(1, '--------\t---\t---');
    writeQuotaRows(quota, (line) => w.write(1, line));
  }
  w.raw(
    limits.length === 0
      ? '\nNo LimitRange resource.\n'
      : '\nResource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n ----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n',
  );
  for (const range of limits) {
    let line = 0;
    writeLimitRange(range, (text) => {
      if (line++ > 1) w.raw(` ${text}\n`);
    });
  }
};

function nameOf(object: Fields): string {
  return textAt(object, 'metadata', 'name');
}
