import { setPodTemplateSpecDefaults } from '../../core/v1/pod-spec.defaults.js';
import type { Deployment, DeploymentSpec } from '../../generated/types/apps-v1.js';

export function setDeploymentDefaults(deployment: Deployment): void {
  const spec = (deployment.spec ??= {} as DeploymentSpec);
  spec.replicas ??= 1;
  setStrategyDefaults(spec);
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  setPodTemplateSpecDefaults((spec.template ??= {}));
}

function setStrategyDefaults(spec: DeploymentSpec): void {
  const strategy = (spec.strategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type !== 'RollingUpdate') return;
  const rollingUpdate = (strategy.rollingUpdate ??= {});
  rollingUpdate.maxUnavailable ??= '25%';
  rollingUpdate.maxSurge ??= '25%';
}
