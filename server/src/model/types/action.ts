/** Resolved actions and their types. Types only. */

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
    /** The reason of the deprecation; undefined if it is not deprecated. */
    readonly deprecated: string | undefined;
  }[];
  /** Of the enum of an enum table: the type of the columns that have it. */
  readonly column?: ColumnType;
}

export interface OutputObject {
  readonly kind: 'object';
  readonly name: TypeName;
  readonly description: string | undefined;
  /** By name. Types may refer to each other recursively. */
  readonly fields: ReadonlyMap<string, OutputField>;
  readonly interfaces?: readonly OutputAbstract[];
}

/** An interface or a union. `__typename` in a value determines the member. */
export interface OutputAbstract {
  readonly kind: 'abstract';
  readonly form: 'interface' | 'union';
  readonly name: TypeName;
  readonly description: string | undefined;
  /** The fields of an interface; empty for a union. */
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
  /** A JSON value; undefined if there is no default. */
  readonly defaultValue?: unknown;
  readonly deprecated?: string | undefined;
}

export type InputNamed = ScalarRef | EnumRef | InputObject;

/** How the handler of an asynchronous action is called. */
export interface AsynchronousRun {
  /** The most repeated calls after failures that may be temporary. */
  readonly retries: number;
  readonly intervalMs: number;
}

/** The cache of responses for equal requests. */
export interface ActionCache {
  readonly ttlMs: number;
  /** The session variables in the key, lower case; undefined: all. */
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
  /** Lower case; undefined: the default list. */
  readonly ignoredClientHeaders: readonly string[] | undefined;
  readonly timeoutMs: number;
  /** Set for an asynchronous action, which returns an id before the handler is called. */
  readonly asynchronous?: AsynchronousRun | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly responseTransform?: ResponseTransform | undefined;
  /** The response headers that are forwarded to the client, lower case. */
  readonly returnedHeaders?: ReadonlySet<string>;
  /** The most concurrent calls of this process. */
  readonly maxCalls?: number | undefined;
  readonly cache?: ActionCache | undefined;
  /** Without `admin`, which may always call it. */
  readonly roles: ReadonlySet<RoleName>;
  readonly comment: string | undefined;
}
