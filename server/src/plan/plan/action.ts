/** Calls of action handlers and the results of asynchronous actions. Types only. */
import type { Action } from '../../model/types/action.ts';
import type { InputMember, InputPlan } from './input.ts';
import type { OutputPlan } from './query.ts';

/** One call of a handler. */
export interface CallPlan {
  readonly action: Action;
  readonly input: readonly InputMember[];
  readonly output: OutputPlan;
}

/** The result of one run of an asynchronous action. */
export interface ActionResultPlan {
  readonly action: Action;
  readonly id: InputPlan;
  readonly members: readonly ActionResultMember[];
}

export type ActionResultMember =
  | { readonly kind: 'constant'; readonly alias: string; readonly value: string }
  | { readonly kind: 'id' | 'createdAt' | 'errors'; readonly alias: string }
  | { readonly kind: 'output'; readonly alias: string; readonly output: OutputPlan };
