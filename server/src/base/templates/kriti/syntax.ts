/** The syntax tree of Kriti templates. Types only. */

/** Offsets into the text of the template; the end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type Expression =
  | { readonly kind: 'literal'; readonly value: unknown; readonly span: Span }
  /** Text with interpolated expressions. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[]; readonly span: Span }
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly span: Span }
  | {
      readonly kind: 'object';
      readonly members: readonly { readonly name: string; readonly value: Expression }[];
      readonly span: Span;
    }
  | { readonly kind: 'variable'; readonly name: string; readonly span: Span }
  | {
      readonly kind: 'lookup';
      readonly of: Expression;
      readonly steps: readonly Step[];
      /** From this step on, a missing value is null, also if it is missing before. Undefined: a missing value is an error. */
      readonly optionalFrom: number | undefined;
      readonly span: Span;
    }
  | { readonly kind: 'call'; readonly name: string; readonly argument: Expression; readonly span: Span }
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | { readonly kind: 'in'; readonly left: Expression; readonly right: Expression; readonly span: Span }
  | { readonly kind: 'and'; readonly operands: readonly Expression[]; readonly span: Span }
  | { readonly kind: 'or'; readonly operands: readonly Expression[]; readonly span: Span }
  | { readonly kind: 'default'; readonly operands: readonly Expression[]; readonly span: Span }
  | {
      readonly kind: 'if';
      readonly branches: readonly { readonly when: Expression; readonly value: Expression }[];
      readonly otherwise: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: 'range';
      /** Undefined for `_`. */
      readonly index: string | undefined;
      readonly item: string;
      readonly over: Expression;
      readonly body: Expression;
      readonly span: Span;
    };

export interface Step {
  readonly key: string | Expression;
  /** The offset of the end of the step. */
  readonly end: number;
}

/** A parsed template. */
export interface Template {
  readonly text: string;
  readonly root: Expression;
}
