/** Responses of the commands about the state of remote schemas and about webhook transforms. */

export interface RemoteSchemaStatus {
  readonly name: string;
  /** `stale`: the last introspection failed and an earlier one is in use. */
  readonly status: 'current' | 'stale' | 'unavailable';
  /** Time of the last successful introspection, ISO 8601; null where there was none. */
  readonly read_at: string | null;
  readonly problem?: { readonly code: string; readonly message: string };
}

export interface RemoteSchemaStatuses {
  readonly remote_schemas: readonly RemoteSchemaStatus[];
}

/** The request that `test_webhook_transform` built, and the transformed response where one was given. */
export interface TestedTransform {
  readonly webhook_url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON, a form as text, or empty text for no body. */
  readonly body: unknown;
  readonly response?: { readonly status: number; readonly body: unknown };
}
