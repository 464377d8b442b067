/** Returns the header definitions of the drafts that are not empty. */
export function sentHeaders(headers: readonly HeaderDraft[]): readonly object[] {
  return headers
    .filter(({ name, text }) => name.trim() !== '' || text !== '')
    .map(({ name, from, text }) => ({
      name: name.trim(),
      ...(from === 'value' ? { value: text } : { value_from_env: text.trim() }),
    }));
}

export interface HeaderDraft {
  /** Identifies the row while rows are added and removed. */
  readonly key: number;
  readonly name: string;
  readonly from: 'value' | 'environment';
  /** The value, or the name of the environment variable. */
  readonly text: string;
}

export function headersOf(headers: readonly ShownHeader[]): readonly HeaderDraft[] {
  return headers.map(({ name, value, value_from_env }, key) => ({
    key,
    name,
    from: value_from_env === undefined ? 'value' : 'environment',
    text: value_from_env ?? value ?? '',
  }));
}

/** A header of the metadata: a literal value, or the environment variable that holds it. */
export interface ShownHeader {
  readonly name: string;
  readonly value?: string;
  readonly value_from_env?: string;
}
