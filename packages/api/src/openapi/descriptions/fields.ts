import { accessFields } from './access-fields.js';
import { clusterFields } from './cluster-fields.js';
import { controllerFields } from './controller-fields.js';
import { deviceFields } from './device-fields.js';
import { extensionFields } from './extension-fields.js';
import { podFields } from './pod-fields.js';
import { podPartFields } from './pod-part-fields.js';
import { previewFields } from './preview-fields.js';
import { scalingFields } from './scaling-fields.js';
import { conditionWords, sharedWords } from './shared-fields.js';
import { twinVolumeFields, volumeFields } from './volume-fields.js';
import { workloadFields } from './workload-fields.js';

type Words = Readonly<Record<string, string>>;

const tables = [
  podFields,
  podPartFields,
  volumeFields,
  twinVolumeFields,
  clusterFields,
  workloadFields,
  controllerFields,
  extensionFields,
  accessFields,
  scalingFields,
  deviceFields,
  previewFields,
];

/** Descriptions of fields, by the short name of their definition. A definition may be in several tables. */
export const fieldDescriptions: Readonly<Record<string, Words>> = /* @__PURE__ */ joined();

function joined(): Record<string, Words> {
  const all: Record<string, Words> = {};
  for (const table of tables) for (const [name, words] of Object.entries(table)) all[name] = { ...all[name], ...words };
  return all;
}

/** The description of a field: of its definition, of another version, or of all fields with its name. */
export function describeField(definition: string, field: string): string | undefined {
  const shared = definition.endsWith('Condition') ? conditionWords : sharedWords;
  return (
    ownWords(fieldDescriptions[definition], field) ??
    ownWords(otherVersions().get(withoutVersion(definition)), field) ??
    ownWords(shared, field)
  );
}

let byName: ReadonlyMap<string, Words> | undefined;

/** Versions of a definition mean the same by their fields. */
function otherVersions(): ReadonlyMap<string, Words> {
  if (byName) return byName;
  const all = new Map<string, Words>();
  for (const [name, words] of Object.entries(fieldDescriptions)) {
    const key = withoutVersion(name);
    all.set(key, { ...words, ...all.get(key) });
  }
  byName = all;
  return byName;
}

function withoutVersion(definition: string): string {
  return definition.replace(/-v\d\w*\//, '/');
}

function ownWords(words: Words | undefined, field: string): string | undefined {
  return words && Object.hasOwn(words, field) ? words[field] : undefined;
}

/** Of the fields that all kinds have in common. */
export const commonFields: Words = {
  apiVersion: 'APIVersion defines the group and version of the API in which this object is written.',
  kind: 'Kind is the type of this object.',
  metadata: "Standard object's metadata: its name, labels and other fields that every object has.",
  spec: 'The desired state.',
  status: 'The observed state. Written by the system.',
  items: 'The objects of the list.',
};
