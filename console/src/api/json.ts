/** A plain JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && Object.getPrototypeOf(json) === Object.prototype;
}
