import type { FlowSchema } from '../../generated/types/flowcontrol-v1.js';

const defaultPrecedence = 1000;

export function setFlowSchemaDefaults({ spec }: FlowSchema): void {
  if (spec) spec.matchingPrecedence ||= defaultPrecedence;
}
