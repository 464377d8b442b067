/** Actions, their types and relationships, resolved. Types only. */
import type { Header } from '@joinery/metadata/headers';
import type { ActionName, FieldName, RoleName, TypeName } from '@joinery/metadata/names';
import type { Column, Table } from './table-model.ts';

/** A type with its list and non-null wrappers. */
export type TypeRef<Named> =
  | { readonly kind: 'named'; readonly type: Named }
  | { readonly kind: 'list'; readonly of: TypeRef<Named> }
  | { readonly kind: 'nonNull'; readonly of: TypeRef<Named> };

export interface ScalarRef {
  readonly kind: 'scalar';
  /** `Int`, `String`, ..., a custom scalar or a Postgres one. */
  readonly name: string;
  readonly origin: 'graphql' | 'custom' | 'postgres';
  readonly description: string | undefined;
}

export interface EnumRef {
  readonly kind: 'enum';
  readonly name: TypeName;
  readonly description: string | undefined;
  readonly values: readonly {
    readonly value: string;
    readonly description: string | undefined;
    readonly deprecated: boolean;
  }[];
}

export interface OutputObject {
  readonly kind: 'object';
  readonly name: TypeName;
  readonly description: string | undefined;
  /** By name. Types may refer to each other in circles. */
  readonly fields: ReadonlyMap<string, OutputField>;
  readonly relationships: ReadonlyMap<string, ActionRelationship>;
}

export interface OutputField {
  readonly name: FieldName;
  readonly type: TypeRef<OutputNamed>;
  readonly description: string | undefined;
}

export type OutputNamed = ScalarRef | EnumRef | OutputObject;

export interface InputObject {
  readonly kind: 'input';
  readonly name: TypeName;
  readonly description: string | undefined;
  readonly fields: ReadonlyMap<string, InputField>;
}

export interface InputField {
  readonly name: FieldName;
  readonly type: TypeRef<InputNamed>;
  readonly description: string | undefined;
}

export type InputNamed = ScalarRef | EnumRef | InputObject;

/** From an action's output object to a table. */
export interface ActionRelationship {
  readonly name: FieldName;
  readonly kind: 'object' | 'array';
  readonly table: Table;
  readonly mapping: readonly { readonly from: OutputField; readonly to: Column }[];
}

export interface Action {
  readonly name: ActionName;
  readonly type: 'query' | 'mutation';
  readonly arguments: readonly InputField[];
  readonly output: TypeRef<OutputNamed>;
  /** With `{{NAME}}` templates unexpanded. */
  readonly handler: string;
  readonly headers: readonly Header[];
  readonly forwardClientHeaders: boolean;
  /** Lower case; undefined means the usual list. */
  readonly ignoredClientHeaders: readonly string[] | undefined;
  readonly timeoutMs: number;
  /** Without `admin`, who may always. */
  readonly roles: ReadonlySet<RoleName>;
  readonly comment: string | undefined;
}
