/** One result of `joinery doctor`. */
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
