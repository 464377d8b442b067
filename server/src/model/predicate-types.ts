/** Other names of the predicate types, which stand in model.ts because tables and row rules refer to each other. */
import type * as model from './model.ts';

export type Predicate = model.Predicate;
export type Comparand = model.Comparand;
export type Operand = model.Operand;
export type ArgumentShape = model.ArgumentShape;
export type Operator = model.Operator;
