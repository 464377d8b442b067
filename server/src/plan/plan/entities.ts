/** The root field `_entities` of Apollo Federation. Types only. */
import type { InputPlan } from './input.ts';
import type { JoinPlan } from './query.ts';

export interface EntitiesPlan {
  readonly representations: InputPlan;
  /** The path of the field in the operation, for errors. */
  readonly path: string;
  readonly types: readonly EntityPlan[];
}

export interface EntityPlan {
  readonly typeName: string;
  /** The rows of the type by their primary key. The names of the keys are those of the columns in GraphQL. */
  readonly join: JoinPlan;
}
