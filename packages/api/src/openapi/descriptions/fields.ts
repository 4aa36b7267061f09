import { podFields } from './pod-fields.js';
import { workloadFields } from './workload-fields.js';

/** What fields mean, by the short name of their definition. Fields that are not named explain themselves or are rare. */
export const fieldDescriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...podFields,
  ...workloadFields,
};

/** Of the fields that all kinds have in common. */
export const commonFields: Readonly<Record<string, string>> = {
  apiVersion: 'The group and version of the API in which this object is written.',
  kind: 'The type of this object.',
  metadata: 'Name, labels and all else that every object has.',
  spec: 'What is wanted.',
  status: 'What was last seen. Written by the system.',
  items: 'The objects of the list.',
};
