import type { GoTemplate } from '@coracle/apimachinery';
import type { Query } from './jq.js';

/** The kinds of objects that stages apply to. */
export type StagedKind = 'Pod' | 'Node';

/** A parsed `Stage` of KWOK: one step in the lifecycle of pods or nodes. */
export interface Stage {
  readonly name: string;
  readonly kind: StagedKind;
  /** Absent: it is for no object. */
  readonly selector?: StageSelector;
  readonly weight: number;
  readonly weightFrom?: Query;
  readonly delay?: StageSpan;
  /** The delay is between `delay` and this. */
  readonly jitter?: StageSpan;
  readonly steps: readonly StageStep[];
  /** The next stage is chosen even if this one changed nothing. */
  readonly immediateNextStage: boolean;
}

export interface StageSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchAnnotations: Readonly<Record<string, string>>;
  readonly requirements: readonly StageRequirement[];
}

export interface StageRequirement {
  readonly query: Query;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

/** A duration: from the object, or a default in milliseconds. */
export interface StageSpan {
  readonly milliseconds?: number;
  readonly from?: Query;
}

export type StageStep =
  | {
      readonly kind: 'event';
      readonly type: 'Normal' | 'Warning';
      readonly reason: string;
      readonly message: GoTemplate;
    }
  | {
      readonly kind: 'finalizers';
      readonly add: readonly string[];
      readonly remove: readonly string[];
      readonly empty: boolean;
    }
  | { readonly kind: 'delete' }
  | {
      readonly kind: 'patch';
      readonly type: 'strategic' | 'merge' | 'json';
      readonly subresource: string;
      /** The field that the template is of; empty for the whole object. */
      readonly root: string;
      readonly template: GoTemplate;
    };
