/** How a source names its fields and types. Types only. */

export type NamingConvention = 'graphql-default';

/** The names of the types of a namespace. */
export interface NamespaceTypes {
  readonly query: string;
  readonly mutation: string;
  /** Its mutations for callers that authenticate as a backend, where they see more than others. */
  readonly backendMutation: string;
  readonly subscription: string;
}

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
