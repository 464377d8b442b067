/** A row of the tree of an operation, with the edits of the text that it offers. */
import type { GraphQLSchema } from 'graphql';
import type { Edit } from '../../../shared/graphql/text-edits.ts';

export type ValueField =
  | { readonly kind: 'text'; readonly text: string; readonly change: (typed: string) => readonly Edit[] }
  | {
      readonly kind: 'choice';
      readonly text: string;
      readonly options: readonly string[];
      readonly change: (option: string) => readonly Edit[];
    };

export interface Row {
  /** Stays the same while the text before it changes. */
  readonly id: string;
  readonly depth: number;
  readonly kind: 'operation' | 'field' | 'argument' | 'input' | 'item' | 'fragment' | 'spread';
  readonly label: string;
  /** The printed type. Empty for none. */
  readonly type: string;
  readonly about: string | undefined;
  readonly isRequired: boolean;
  /** Whether it is in the text. */
  readonly isChecked: boolean;
  readonly isExpandable: boolean;
  readonly isExpanded: boolean;
  /** False for a field that the schema does not have. */
  readonly isKnown: boolean;
  /** Adds or removes it. Undefined for operations. */
  readonly toggle: (() => readonly Edit[]) | undefined;
  readonly value: ValueField | undefined;
  /** Adds an item to a list. */
  readonly addItem: (() => readonly Edit[]) | undefined;
  /** Adds the field again with an alias. */
  readonly duplicate: (() => readonly Edit[]) | undefined;
  /** Moves the value to a variable. */
  readonly extract: (() => Extracted) | undefined;
}

/** A value that became a variable. */
export interface Extracted {
  readonly edits: readonly Edit[];
  readonly name: string;
  readonly value: unknown;
}

export interface Tree {
  readonly text: string;
  readonly schema: GraphQLSchema;
  /** Whether a row is expanded, where the user did not decide. */
  readonly isExpanded: (id: string, byDefault: boolean) => boolean;
  /** In lower case. Fields of operations that do not contain it and are not selected are left out. */
  readonly sought: string;
}
