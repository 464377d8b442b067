/** Inconsistencies of event triggers that fit the metadata and could not be created in the database of their source. */
import { isDeepStrictEqual } from 'node:util';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import type { ServiceError } from '../../base/errors.ts';
import { plainName } from '../../model/inconsistencies/metadata-entries.ts';
import type { Model } from '../../model/model.ts';
import type { Inconsistency } from '../../model/types/inconsistency.ts';

/** Errors by source and the name of the trigger. */
export type CaptureFailures = ReadonlyMap<SourceName, ReadonlyMap<string, ServiceError>>;

/** Such a trigger stays in the model, so that events of an earlier definition are delivered. */
export function captureInconsistencies(
  model: Model,
  metadata: Metadata,
  failures: CaptureFailures = new Map(),
): readonly Inconsistency[] {
  return metadata.sources.flatMap(({ name: source, tables }, at) => {
    const own = failures.get(source);
    const known = model.sources.get(source)?.eventTriggers;
    if (own === undefined || own.size === 0 || known === undefined) return [];
    return tables.flatMap(({ table, event_triggers: triggers = [] }, position) =>
      triggers.flatMap((trigger, index): readonly Inconsistency[] => {
        const error = own.get(trigger.name);
        if (error === undefined || !known.has(trigger.name)) return [];
        const named = plainName(table);
        const message = error.message.replace(/^Inconsistent object: /, '');
        const place = `in table "${table.name}": in event trigger "${trigger.name}": `;
        return [
          {
            type: 'event_trigger',
            name: `event_trigger ${trigger.name} in table ${named} in source ${source}`,
            path: `$.sources[${at}].tables[${position}].event_triggers[${index}]`,
            code: error.code,
            reason: message.startsWith(place) ? message : place + message,
            definition: { table, configuration: trigger },
          },
        ];
      }),
    );
  });
}

/** Whether the trigger was not changed because another transaction locked its table: it is changed soon. */
export function isLockedTrigger({ type, code }: Inconsistency): boolean {
  return type === 'event_trigger' && code === 'concurrent-update';
}

/** Returns the failures of the triggers that `after` has with the definitions of `before`. */
export function failuresOfUnchanged(failures: CaptureFailures, before: Metadata, after: Metadata): CaptureFailures {
  return new Map(
    [...failures].map(([source, own]) => {
      const [former, present] = [writtenTriggers(before, source), writtenTriggers(after, source)];
      return [source, new Map([...own].filter(([name]) => isDeepStrictEqual(former.get(name), present.get(name))))];
    }),
  );
}

function writtenTriggers({ sources }: Metadata, name: SourceName): ReadonlyMap<string, unknown> {
  const tables = sources.find((source) => source.name === name)?.tables ?? [];
  return new Map(
    tables.flatMap(({ table, event_triggers: triggers = [] }) =>
      triggers.map((trigger): [string, unknown] => [trigger.name, { table, trigger }]),
    ),
  );
}
