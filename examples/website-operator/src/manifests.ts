import { formatYamlDocuments, operatorRole, refs } from 'coracle';
import { Website } from './website.js';

/** What a cluster must have before the operator runs: `npm run --silent manifests | kubectl apply -f -`. */
const role = operatorRole('website-operator', {
  owns: [Website],
  writes: [refs.configMaps, refs.deployments, refs.services],
});
process.stdout.write(formatYamlDocuments([Website.crd, role]));
