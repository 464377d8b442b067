/** How a source names its fields and types. Types only. */

export type NamingConvention = 'graphql-default';

/** What every name of a source begins and ends with; empty texts where nothing is asked. */
export interface SourceNames {
  /** The root fields stand in an object of this name. */
  readonly namespace: string | undefined;
  readonly root: (name: string) => string;
  readonly typePrefix: string;
  readonly typeSuffix: string;
  /** Undefined: names as the database has them. */
  readonly convention?: NamingConvention;
}
