import type { Container, EnvVar, LifecycleHandler, Probe } from '../../generated/types/core-v1.js';
import { imagePullPolicyOf } from './image-reference.js';
import { setResourceRequirementsDefaults } from './resource-list.defaults.js';

/** Regular, init and ephemeral containers alike. */
export function setContainerDefaults(container: Container): void {
  container.imagePullPolicy ||= imagePullPolicyOf(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const variable of container.env ?? []) setEnvironmentDefaults(variable);
  setResourceRequirementsDefaults(container.resources);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) setProbeDefaults(probe);
  }
  setHandlerDefaults(container.lifecycle?.postStart);
  setHandlerDefaults(container.lifecycle?.preStop);
}

function setEnvironmentDefaults({ valueFrom }: EnvVar): void {
  if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
  if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
}

function setProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.grpc) probe.grpc.service ??= '';
  setHandlerDefaults(probe);
}

function setHandlerDefaults(handler: Pick<LifecycleHandler, 'httpGet'> | undefined): void {
  if (!handler?.httpGet) return;
  handler.httpGet.path ||= '/';
  handler.httpGet.scheme ||= 'HTTP';
}
