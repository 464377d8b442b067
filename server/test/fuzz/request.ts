/** Types of a request as data, which is generated, printed as GraphQL and evaluated by the oracle. */
import type { Reference } from './tables.ts';

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'compare'; readonly column: string; readonly tests: readonly Test[] }
  | { readonly kind: 'related'; readonly name: string; readonly reference: Reference; readonly of: Condition }
  | {
      readonly kind: 'counted';
      readonly name: string;
      readonly reference: Reference;
      readonly filter: Condition | undefined;
      readonly test: Test;
    };

export interface Test {
  readonly operator: string;
  readonly value: unknown;
}

export interface Term {
  readonly by:
    | { readonly kind: 'column'; readonly column: string }
    | { readonly kind: 'object'; readonly name: string; readonly reference: Reference; readonly term: Term }
    | { readonly kind: 'count'; readonly name: string; readonly reference: Reference; readonly direction: Direction }
    | {
        readonly kind: 'extreme';
        readonly name: string;
        readonly reference: Reference;
        readonly what: 'min' | 'max';
        readonly column: string;
        readonly direction: Direction;
      };
  /** The direction of a column. */
  readonly direction: Direction;
}

export type Direction = 'asc' | 'desc' | 'asc_nulls_first' | 'asc_nulls_last' | 'desc_nulls_first' | 'desc_nulls_last';

export interface Arguments {
  readonly where: Condition | undefined;
  readonly orderBy: readonly Term[];
  readonly distinctOn: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  /** Whether the order of the rows is total. */
  readonly total: boolean;
}

/** A field with its alias, directive and fragment. */
export type Field = Member & {
  readonly alias: string;
  readonly when?: { readonly directive: 'include' | 'skip'; readonly flag: boolean };
  /** The kind of fragment that contains the field. */
  readonly fragment?: 'inline' | 'named';
};

type Member =
  | { readonly kind: 'typename' }
  | { readonly kind: 'column'; readonly column: string; readonly path?: string }
  | { readonly kind: 'object'; readonly name: string; readonly reference: Reference; readonly fields: readonly Field[] }
  | {
      readonly kind: 'array';
      readonly name: string;
      readonly reference: Reference;
      readonly arguments: Arguments;
      readonly fields: readonly Field[];
    }
  | {
      readonly kind: 'aggregate';
      readonly name: string;
      readonly reference: Reference;
      readonly arguments: Arguments;
      readonly parts: readonly Part[];
    };

export type Part =
  | { readonly kind: 'typename' }
  | { readonly kind: 'nodes'; readonly fields: readonly Field[] }
  | { readonly kind: 'aggregate'; readonly functions: readonly AggregateField[] };

export interface AggregateField {
  readonly alias: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly distinct: boolean;
}

/** A root field. */
export type Root =
  | {
      readonly kind: 'by_pk';
      readonly alias: string;
      readonly table: string;
      readonly key: Readonly<Record<string, number>>;
      readonly fields: readonly Field[];
    }
  | {
      readonly kind: 'list';
      readonly alias: string;
      readonly table: string;
      readonly arguments: Arguments;
      readonly fields: readonly Field[];
    }
  | {
      readonly kind: 'summary';
      readonly alias: string;
      readonly table: string;
      readonly arguments: Arguments;
      readonly parts: readonly Part[];
    };
