/** Draft of a source and the arguments of its commands. Pure. */
import { Source } from '@joinery/metadata/schema/sources';
import type { ConnectionInfo, DatabaseAddress, SourceEntry } from '../../shared/sources/sources-api.ts';
import { byMember, numberIn, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import {
  customizationFrom,
  emptyNames,
  type NamesDraft,
  nameMembers,
  nameMessages,
  namesDraftOf,
} from './source-customization.ts';
import { openAddress } from './source-text.ts';

export interface AddressDraft {
  /** `kept`: unchanged from `before`. It can contain a password and is not shown. */
  readonly from: 'environment' | 'url' | 'kept';
  readonly text: string;
  /** The connection in the metadata, for an existing source. */
  readonly before?: ConnectionInfo;
}

export interface SourceDraft extends NamesDraft {
  readonly name: string;
  readonly address: AddressDraft;
  readonly replicas: readonly AddressDraft[];
  /** Numbers as text. Empty for the default of the service. */
  readonly maxConnections: string;
  readonly idleTimeout: string;
  readonly lifetime: string;
  readonly poolTimeout: string;
}

export const emptySource: SourceDraft = {
  name: '',
  address: { from: 'environment', text: '' },
  replicas: [],
  maxConnections: '',
  idleTimeout: '',
  lifetime: '',
  poolTimeout: '',
  ...emptyNames,
};

/** The source from the startup options. The service ignores its connection in the metadata. */
export const STARTED_SOURCE = 'default';

const poolMembers = {
  maxConnections: 'max_connections',
  idleTimeout: 'idle_timeout',
  lifetime: 'connection_lifetime',
  poolTimeout: 'pool_timeout',
} as const;
type PoolField = keyof typeof poolMembers;
const poolFields = Object.keys(poolMembers) as readonly PoolField[];

export function sourceDraftOf({ name, configuration, customization }: SourceEntry): SourceDraft {
  const { connection_info: info = {}, read_replicas: replicas } = configuration ?? {};
  const pool = (field: PoolField): string => info.pool_settings?.[poolMembers[field]]?.toString() ?? '';
  return {
    name,
    address: name === STARTED_SOURCE ? { from: 'kept', text: '', before: info } : addressOf(info),
    replicas: (replicas ?? []).map(addressOf),
    maxConnections: pool('maxConnections'),
    idleTimeout: pool('idleTimeout'),
    lifetime: pool('lifetime'),
    poolTimeout: pool('poolTimeout'),
    ...namesDraftOf(customization),
  };
}

/** Returns the draft of an address. An address with a secret or an unknown format is preserved until it is replaced. */
export function addressOf(before: ConnectionInfo): AddressDraft {
  const { database_url: url } = before;
  if (url === undefined) return { from: 'environment', text: '', before };
  if (typeof url !== 'string') {
    return 'from_env' in url ? { from: 'environment', text: url.from_env, before } : { from: 'kept', text: '', before };
  }
  const { text, secret } = openAddress(url);
  return { from: secret ? 'kept' : 'url', text, before };
}

/** Changes the kind of the address. Typed text stays, text that was only shown is cleared when it does not apply. */
export function givenBy(address: AddressDraft, from: AddressDraft['from']): AddressDraft {
  const { before, text } = address;
  if (before === undefined || from === 'kept') return { ...address, from };
  const shown = addressOf(before);
  if (text !== '' && text !== shown.text) return { ...address, from };
  const fits = (shown.from === 'kept' ? 'url' : shown.from) === from;
  return { ...address, from, text: fits ? shown.text : '' };
}

const fieldOf = byMember({
  name: 'name',
  'configuration.connection_info': 'address',
  'configuration.read_replicas': 'replicas',
  ...Object.fromEntries(
    poolFields.map((field) => [`configuration.connection_info.pool_settings.${poolMembers[field]}`, field]),
  ),
  ...nameMembers,
});

const messages = {
  address: 'Must not be empty.',
  replicas: 'Must not be empty.',
  maxConnections: 'Must be a whole number above zero.',
  idleTimeout: 'Must be a number of seconds.',
  lifetime: 'Must be a number of seconds.',
  poolTimeout: 'Must be a number of seconds.',
  ...nameMessages,
};

/** Returns the messages by field of the draft. */
export function sourceErrors(draft: SourceDraft): Readonly<Record<string, string>> {
  return schemaErrors(Source, sourceArguments(draft), { fieldOf, messages });
}

export function isMissing({ from, text }: AddressDraft): boolean {
  return from !== 'kept' && text.trim() === '';
}

/** Returns the arguments of `pg_add_source`. */
export function sourceArguments(draft: SourceDraft): object {
  const customization = customizationFrom(draft, undefined);
  return {
    name: draft.name.trim(),
    configuration: configurationFrom(draft, undefined),
    ...(customization && { customization }),
  };
}

/** The changed members for `pg_update_source`. Empty when nothing changed. */
export interface SourceChange {
  readonly configuration?: object;
  /** Null removes it. */
  readonly customization?: object | null;
}

/** Returns the changes. Members without an input are preserved from `before`. */
export function sourceChange(draft: SourceDraft, before: SourceEntry): SourceChange {
  const shown = sourceDraftOf(before);
  const configuration = configurationFrom(draft, before.configuration);
  const customization = customizationFrom(draft, before.customization);
  return {
    ...(!isSame(configuration, configurationFrom(shown, before.configuration)) && { configuration }),
    ...(!isSame(customization, customizationFrom(shown, before.customization)) && {
      customization: customization ?? null,
    }),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function configurationFrom(draft: SourceDraft, before: SourceEntry['configuration']): object {
  const primary = before?.connection_info?.pool_settings;
  const { read_replicas: _replicas, ...rest } = before ?? {};
  return {
    ...rest,
    connection_info: connectionFrom(draft.address, draft),
    ...(draft.replicas.length > 0 && {
      read_replicas: draft.replicas.map((replica) => {
        // A replica with pool settings keeps them. The others use those of the primary.
        const own = replica.before !== undefined && !isSame(replica.before.pool_settings ?? {}, primary ?? {});
        return own ? { ...replica.before, ...written(replica) } : connectionFrom(replica, draft);
      }),
    }),
  };
}

function connectionFrom(address: AddressDraft, draft: SourceDraft): object {
  const { database_url: _url, pool_settings: before, ...rest } = address.before ?? {};
  const numbers = poolFields.map((field) => [poolMembers[field], draft[field].trim()] as const);
  const kept = Object.entries(before ?? {}).filter(([member]) => !numbers.some(([name]) => name === member));
  const given = numbers.flatMap(([member, text]) => (text === '' ? [] : [[member, numberIn(text)] as const]));
  const pool = Object.fromEntries([...given, ...kept]);
  return { ...written(address), ...rest, ...(Object.keys(pool).length > 0 && { pool_settings: pool }) };
}

function written({ from, text, before }: AddressDraft): { readonly database_url?: DatabaseAddress } {
  if (from === 'environment') return { database_url: { from_env: text.trim() } };
  if (from === 'url') return { database_url: text.trim() };
  return before?.database_url === undefined ? {} : { database_url: before.database_url };
}
