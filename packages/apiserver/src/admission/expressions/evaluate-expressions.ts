import type { MaybePromise } from '@coracle/base';
import type { AccessAttributes, Authorizer, Decision } from '../../authorization/authorizer.js';
import type { UserInfo } from '../../user-info.js';
import type { AdmissionAttributes } from '../admission.js';
import type { ExpressionVariables } from './expression-environment.js';

/** A check of `authorizer` in an expression: all attributes except the user. */
export type AccessQuestion = Partial<Omit<AccessAttributes, 'user'>> & {
  readonly verb: string;
  /** Checks a service account instead of the user of the request. */
  readonly user?: UserInfo;
};

/** Answers at once, or throws `Undecided`. */
export type Decide = (question: AccessQuestion) => Decision;

/**
 * Runs a pure computation that may check the permissions of the user of a request. It waits for asynchronous
 * authorizers, and starts the computation again with their decisions.
 */
export type EvaluateExpressions = <T>(
  attributes: AdmissionAttributes,
  compute: (variables: ExpressionVariables) => T,
) => MaybePromise<T>;

/** Thrown to stop a computation that needs an answer which is still pending. */
class Undecided {
  readonly key: string;
  readonly answer: Promise<Decision>;

  constructor(key: string, answer: Promise<Decision>) {
    this.key = key;
    this.answer = answer;
  }
}

/** `variablesFor` returns the values of the CEL variable `authorizer`. */
export function expressionEvaluator(
  authorizer: Authorizer,
  variablesFor: (decide: Decide, attributes: AdmissionAttributes) => ExpressionVariables,
): EvaluateExpressions {
  return (attributes, compute) => {
    const answers = new Map<string, Decision>();
    const decide: Decide = (question) => {
      const key = JSON.stringify(question);
      const decision = answers.get(key);
      if (decision) return decision;
      const answer = authorizer.authorize(accessOf(question, attributes));
      if (answer instanceof Promise) throw new Undecided(key, answer);
      return answer;
    };
    const attempt = (): MaybePromise<ReturnType<typeof compute>> => {
      try {
        return compute(variablesFor(decide, attributes));
      } catch (stop) {
        if (!(stop instanceof Undecided)) throw stop;
        return stop.answer.then((decision) => {
          answers.set(stop.key, decision);
          return attempt();
        });
      }
    };
    return attempt();
  };
}

function accessOf({ user, ...question }: AccessQuestion, attributes: AdmissionAttributes): AccessAttributes {
  const nothing = { group: '', version: '*', resource: '', subresource: '', namespace: '', name: '', path: '' };
  const isResourceRequest = question.path === undefined;
  return { ...nothing, isResourceRequest, ...question, user: user ?? attributes.user };
}
