/** A random request as data: made by the generator, printed as GraphQL, and answered by the oracle. Types only. */
import type { Reference } from './world.ts';

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
  /** Of a column. */
  readonly direction: Direction;
}

export type Direction = 'asc' | 'desc' | 'asc_nulls_first' | 'asc_nulls_last' | 'desc_nulls_first' | 'desc_nulls_last';

export interface Arguments {
  readonly where: Condition | undefined;
  readonly orderBy: readonly Term[];
  readonly distinctOn: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  /** Is the order of the rows decided to the last one? */
  readonly total: boolean;
}

/** A field as it stands in the text, with what surrounds it there. */
export type Field = Member & {
  readonly alias: string;
  readonly when?: { readonly directive: 'include' | 'skip'; readonly flag: boolean };
  /** Printed in a fragment of its own, inline or by name. */
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

/** A root field is a field behind no row. */
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
