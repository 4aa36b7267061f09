import { formatYamlDocuments, operatorRole } from 'coracle';
import { PodCount } from './pod-count.js';

/** Manifests that the controller needs: `npm run --silent manifests | kubectl apply -f -`. */
process.stdout.write(formatYamlDocuments([PodCount.crd, operatorRole('pod-count', { owns: [PodCount] })]));
