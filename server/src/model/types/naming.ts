/** How a source names its fields and types. Types only. */

export type NamingConvention = 'graphql-default';

/** The prefixes and suffixes of the names of a source; empty strings without a customization. */
export interface SourceNames {
  /** The object that contains the root fields. */
  readonly namespace: string | undefined;
  readonly root: (name: string) => string;
  readonly typePrefix: string;
  readonly typeSuffix: string;
  /** Undefined: names are those of the database. */
  readonly convention?: NamingConvention;
}
