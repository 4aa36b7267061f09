export type { CertificateSigner, SigningOrder } from './certificates/certificate-signer.js';
export type { Controller, ControllerContext, DebugPage } from './controller.js';
export { type ControllerManager, type ControllerManagerOptions, startControllers } from './controller-manager.js';
export { allControllers, type ControllerSettings } from './controllers.js';
export { type ClusterRange, clusterRangeProblems, usualMaskSize } from './node-ipam/plan-node-cidrs.js';
export { controllerProblems } from './select-controllers.js';
export { addressPoolProblem } from './service-load-balancer/address-pool.js';
