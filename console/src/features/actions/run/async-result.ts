/** Parses responses about asynchronous actions. Pure. */

export interface AsyncResult {
  readonly state: 'waiting' | 'done' | 'failed';
  readonly shown: unknown;
}

interface GraphQLResponse {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly unknown[];
}

/** Returns the ID from the mutation. Undefined for an error. */
export function idIn(response: unknown): string | undefined {
  const [first] = Object.values((response as GraphQLResponse | undefined)?.data ?? {});
  return typeof first === 'string' ? first : undefined;
}

export function resultIn(response: unknown, name: string): AsyncResult {
  const { data, errors } = response as GraphQLResponse;
  if (errors !== undefined) return { state: 'failed', shown: errors };
  const run = data?.[name] as { readonly output?: unknown; readonly errors?: unknown } | null | undefined;
  // Only the caller of the mutation can read the result.
  if (run === null || run === undefined) return { state: 'failed', shown: 'This session may not read the result.' };
  if (run.errors !== null && run.errors !== undefined) return { state: 'failed', shown: run };
  return run.output === null || run.output === undefined
    ? { state: 'waiting', shown: undefined }
    : { state: 'done', shown: run };
}
