import { parseArgs } from 'node:util';
import { formatYamlDocuments, operatorRole, operatorWorkload, refs, userRoles } from 'coracle';
import { Website } from './website.js';

/**
 * Manifests that the operator needs: `npm run --silent manifests | kubectl apply -f -`. With `-- --image IMAGE`, also
 * its workload.
 */
const { image } = parseArgs({ options: { image: { type: 'string' } } }).values;
const role = operatorRole('website-operator', {
  owns: [Website],
  writes: [refs.configMaps, refs.deployments, refs.services],
});
const operator = image === undefined ? [role] : operatorWorkload('website-operator', { image, role });
process.stdout.write(formatYamlDocuments([Website.crd, ...userRoles(Website), ...operator]));
