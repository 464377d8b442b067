/** Draft of the other names of fields of a remote schema, by type. Pure. */
import { isJsonObject } from '../../api/json.ts';
import { type JsonFormat, Unreadable } from '../../ui/form/beside-text/json-format.ts';
import type { Pair } from '../../ui/form/pair-fields.tsx';

export interface FieldNames {
  readonly key: number;
  readonly type: string;
  readonly prefix: string;
  readonly suffix: string;
  /** Names in the remote schema and their replacements. */
  readonly mapping: readonly Pair[];
}

export const fieldNamesFormat: JsonFormat<readonly FieldNames[]> = { write: writeFieldNames, read: readFieldNames };

function writeFieldNames(draft: readonly FieldNames[]): readonly object[] {
  return draft.map(({ type, prefix, suffix, mapping }) => {
    const pairs = mapping.filter(({ name }) => name.trim() !== '').map(({ name, text }) => [name.trim(), text.trim()]);
    return {
      parent_type: type.trim(),
      ...(prefix.trim() !== '' && { prefix: prefix.trim() }),
      ...(suffix.trim() !== '' && { suffix: suffix.trim() }),
      ...(pairs.length > 0 && { mapping: Object.fromEntries(pairs) as unknown }),
    };
  });
}

function readFieldNames(json: unknown): readonly FieldNames[] | Unreadable {
  if (!Array.isArray(json)) return new Unreadable('It must be a list.');
  const read: FieldNames[] = [];
  for (const [key, item] of json.entries()) {
    if (!isJsonObject(item)) return new Unreadable('Each item must be an object with "parent_type".');
    const { parent_type, prefix, suffix, mapping, ...others } = item;
    const [other] = Object.keys(others);
    if (other !== undefined) return new Unreadable(`The form has no input for "${other}".`);
    const pairs = isJsonObject(mapping) ? Object.entries(mapping) : [];
    read.push({
      key,
      type: textOf(parent_type),
      prefix: textOf(prefix),
      suffix: textOf(suffix),
      mapping: pairs.map(([name, text], index) => ({ key: index, name, text: textOf(text) })),
    });
  }
  return read;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
