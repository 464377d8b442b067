/** What the doctor finds, and the parts of the metadata that it looks at. */

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** What to do. */
  readonly advice?: string;
}

export function finding(check: string, status: Finding['status'], message: string, advice?: string): Finding {
  return { check, status, message, ...(advice !== undefined && { advice }) };
}

export interface TableRef {
  readonly schema: string;
  readonly name: string;
}

export interface Using {
  readonly foreign_key_constraint_on?:
    | string
    | readonly string[]
    | { readonly table: unknown; readonly column?: string; readonly columns?: readonly string[] };
  readonly manual_configuration?: {
    readonly remote_table: unknown;
    readonly column_mapping: Readonly<Record<string, string>>;
  };
}

interface Relationship {
  readonly name: string;
  readonly using: Using;
}

export interface DoctorMetadata {
  readonly sources?: readonly {
    readonly name: string;
    readonly tables?: readonly {
      readonly table: unknown;
      readonly object_relationships?: readonly Relationship[];
      readonly array_relationships?: readonly Relationship[];
    }[];
  }[];
  readonly actions?: readonly { readonly name: string; readonly definition: { readonly handler: string } }[];
  readonly remote_schemas?: readonly {
    readonly name: string;
    readonly definition: { readonly url?: string; readonly url_from_env?: string };
  }[];
  readonly cron_triggers?: readonly { readonly name: string; readonly webhook: string }[];
  readonly query_collections?: readonly {
    readonly name: string;
    readonly definition: { readonly queries: readonly { readonly name: string; readonly query: string }[] };
  }[];
  readonly rest_endpoints?: readonly {
    readonly name: string;
    readonly methods: readonly string[];
    readonly definition: { readonly query: { readonly collection_name: string; readonly query_name: string } };
  }[];
  readonly custom_types?: {
    readonly objects?: readonly {
      readonly name: string;
      readonly relationships?: readonly {
        readonly name: string;
        readonly source?: string;
        readonly remote_table?: unknown;
        readonly field_mapping?: Readonly<Record<string, string>>;
      }[];
    }[];
  };
}

/** However it is written: `orders`, or with its schema. */
export function tableOf(written: unknown): TableRef {
  if (typeof written === 'string') return { schema: 'public', name: written };
  const { schema = 'public', name = '' } = (written ?? {}) as { readonly schema?: string; readonly name?: string };
  return { schema, name };
}
