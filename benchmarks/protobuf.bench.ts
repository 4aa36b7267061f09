import { schemaOf } from '@coracle/api';
import { decodeProto, encodeProto } from '@coracle/apimachinery';
import { bench, describe } from 'vitest';
import { runningPod } from './fixtures/pods.js';

const schema = schemaOf('core-v1/Pod');
const bytes = encodeProto(runningPod, schema);
const json = JSON.stringify(runningPod);

describe(`a pod of ${bytes.length} bytes in protobuf`, () => {
  bench('decode', () => {
    decodeProto(bytes, schema);
  });
  bench('encode', () => {
    encodeProto(runningPod, schema);
  });
  bench('JSON.parse of the same, to compare', () => {
    JSON.parse(json);
  });
});
