export type { CertificateSigner, SigningOrder } from './certificates/certificate-signer.js';
export type { Controller, ControllerContext } from './controller.js';
export { type ControllerManagerOptions, startControllers } from './controller-manager.js';
export { allControllers, type ControllerSettings } from './controllers.js';
