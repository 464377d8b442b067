/** Input values of a plan. Types only. */

/** A JSON value that may contain variables. */
export type InputPlan =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly InputPlan[] }
  /** A member whose variable is not given is omitted. */
  | { readonly kind: 'object'; readonly members: readonly InputMember[] };

export interface InputMember {
  readonly name: string;
  readonly value: InputPlan;
}
