/** Actions and their types, resolved. Types only. */

import type { ActionName, FieldName, RoleName, TypeName } from '@joinery/metadata/names';
import type { Header } from '@joinery/metadata/schema/headers';
import type { RequestTransform, ResponseTransform } from '../../base/templates/transform.ts';
import type { ColumnType } from './column-type.ts';

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
    /** Why it should not be used any more; undefined where it may. */
    readonly deprecated: string | undefined;
  }[];
  /** Of an enum that a table makes: the type of the columns that have it. */
  readonly column?: ColumnType;
}

export interface OutputObject {
  readonly kind: 'object';
  readonly name: TypeName;
  readonly description: string | undefined;
  /** By name. Types may refer to each other in circles. */
  readonly fields: ReadonlyMap<string, OutputField>;
  readonly interfaces?: readonly OutputAbstract[];
}

/** An interface or a union: `__typename` in a value says which of the members it is. */
export interface OutputAbstract {
  readonly kind: 'abstract';
  readonly form: 'interface' | 'union';
  readonly name: TypeName;
  readonly description: string | undefined;
  /** Those that all members have; empty for a union. */
  readonly fields: ReadonlyMap<string, OutputField>;
  readonly members: readonly OutputObject[];
}

export interface OutputField {
  readonly name: FieldName;
  readonly type: TypeRef<OutputNamed>;
  readonly description: string | undefined;
  readonly deprecated?: string | undefined;
}

export type OutputNamed = ScalarRef | EnumRef | OutputObject | OutputAbstract;

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
  /** JSON; undefined where there is none. */
  readonly defaultValue?: unknown;
  readonly deprecated?: string | undefined;
}

export type InputNamed = ScalarRef | EnumRef | InputObject;

/** How the handler of an asynchronous action is called. */
export interface AsynchronousRun {
  /** Calls beyond the first, where one fails in a way that another may not. */
  readonly retries: number;
  readonly intervalMs: number;
}

/** Answers that serve equal requests for a while. */
export interface ActionCache {
  readonly ttlMs: number;
  /** Lower case; undefined: all of them make requests differ. */
  readonly sessionVariables: readonly string[] | undefined;
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
  /** Answered with an id at once; the handler is called afterwards. */
  readonly asynchronous?: AsynchronousRun | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly responseTransform?: ResponseTransform | undefined;
  /** Headers of the handler's answer that go to the client; lower case. */
  readonly returnedHeaders?: ReadonlySet<string>;
  /** At once, from this process. */
  readonly maxCalls?: number | undefined;
  readonly cache?: ActionCache | undefined;
  /** Without `admin`, who may always. */
  readonly roles: ReadonlySet<RoleName>;
  readonly comment: string | undefined;
}
