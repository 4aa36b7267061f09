export { type ComponentOptions, runControllerManager, runScheduler } from './components.js';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.js';
export type { SecurityOptions, SigningKeys, VerificationKey } from './security.js';
export { tracedResources } from './trace-story.js';
