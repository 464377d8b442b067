/** A plain JSON object. */
export type Members = Readonly<Record<string, unknown>>;

export function isMembers(json: unknown): json is Members {
  return typeof json === 'object' && json !== null && Object.getPrototypeOf(json) === Object.prototype;
}
