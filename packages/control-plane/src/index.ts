export { type ComponentOptions, runControllerManager, runScheduler } from './components.js';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.js';
export {
  createSecurity,
  defaultIssuer,
  type SecurityOptions,
  type SigningKeys,
  type VerificationKey,
} from './security.js';
