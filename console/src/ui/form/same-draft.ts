/** Compares the drafts of forms. Pure. */
import { isJsonObject } from '../../api/json.ts';

/** Whether two drafts have the same values. Members that are undefined count as missing. */
export function sameDraft(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one, withCollections) === JSON.stringify(other, withCollections);
}

/** `JSON.stringify` omits the content of sets and maps. */
function withCollections(_name: string, value: unknown): unknown {
  return value instanceof Set || value instanceof Map ? [...value] : value;
}

/** Whether two JSON values are equal, in any order of the members of objects. */
export function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, withSortedMembers) === JSON.stringify(other, withSortedMembers);
}

function withSortedMembers(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)));
}
