import { certificates } from './certificates.js';
import { localService, manifests } from './manifests.js';

const items = [...manifests({ caBundle: await certificates.authority(), port: 8443 }), localService];
console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2));
