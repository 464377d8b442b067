/** Those that were filled in. */
export function sentHeaders(headers: readonly HeaderDraft[]): readonly object[] {
  return headers
    .filter(({ name, text }) => name.trim() !== '' || text !== '')
    .map(({ name, from, text }) => ({
      name: name.trim(),
      ...(from === 'value' ? { value: text } : { value_from_env: text.trim() }),
    }));
}

export interface HeaderDraft {
  /** Stays with the row while rows come and go. */
  readonly key: number;
  readonly name: string;
  readonly from: 'value' | 'environment';
  /** The value, or the name of the variable. */
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

/** A value as written, or the name of the environment variable that holds it. */
export interface ShownHeader {
  readonly name: string;
  readonly value?: string;
  readonly value_from_env?: string;
}
