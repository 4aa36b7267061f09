import { refs } from '@coracle/api';
import { formatYamlDocuments } from '@coracle/apimachinery';
import { operatorRole } from '@coracle/controller-runtime';
import { Website } from './website.js';

/** What a cluster must have before the operator runs: `tsx src/manifests.ts | kubectl apply -f -`. */
const role = operatorRole('website-operator', {
  owns: [Website],
  writes: [refs.configMaps, refs.deployments, refs.services],
});
console.log(formatYamlDocuments([Website.crd, role]));
