import { formatYamlDocuments, operatorRole } from 'coracle';
import { PodCount } from './pod-count.js';

/** What a cluster must have before the controller runs: `npm run --silent manifests | kubectl apply -f -`. */
process.stdout.write(formatYamlDocuments([PodCount.crd, operatorRole('pod-count', { owns: [PodCount] })]));
