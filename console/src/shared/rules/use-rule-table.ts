/** Loads the tables of a source that rules refer to. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import type { QueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext } from 'react';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';
import { useMetadata } from '../../api/metadata.ts';
import { type KnownNames, knownNames } from '../roles/known-names.ts';
import { readTableInfo, type SourceEntry } from '../sources/sources-api.ts';
import { sameTable, type TableName } from '../sources/table-paths.ts';
import { useSources, useTableInfo } from '../sources/use-sources.ts';
import { type RuleTable, ruleTable } from './rule-table.ts';

/** Context of a rule editor. */
export interface RuleTerms {
  readonly source: SourceEntry;
  /** The table of the rule. */
  readonly table: TableName;
  /** Prefix of session variables in lower case. */
  readonly prefix: string;
  /** Session variables for completion. */
  readonly variables: readonly string[];
  /**
   * Of a condition on changes: the rows that it can name. Such a condition has no relationships, tables and session
   * variables. Undefined for a rule on rows.
   */
  readonly changed?: readonly ChangedRow[];
}

/** The row before or after a change. */
export type ChangedRow = 'old' | 'new';

export function labelOfChanged(row: string): string {
  return `the ${row} row`;
}

export const RuleTermsContext = createContext<RuleTerms | undefined>(undefined);

/** Returns the context. Throws outside of a rule editor. */
export function useRuleTerms(): RuleTerms {
  const terms = useContext(RuleTermsContext);
  if (terms === undefined) throw new Error('useRuleTerms needs the terms of a rule');
  return terms;
}

/** Returns a table. Undefined while loading and when it does not exist. */
export function useRuleTable(source: SourceEntry, table: TableName): RuleTable | undefined {
  const { data } = useTableInfo(source.name, table);
  return data && ruleTable(data, entryOf(source, table));
}

/** Reads a table outside of components. Throws Failure. */
export async function readRuleTable(
  queries: QueryClient,
  client: Client,
  source: SourceEntry,
  { schema, name }: TableName,
): Promise<RuleTable> {
  const info = await queries.fetchQuery({
    queryKey: ['metadata', 'table-info', source.name, schema, name],
    queryFn: ({ signal }) => readTableInfo(client, source.name, { schema, name }, signal),
    staleTime: 60_000,
  });
  return ruleTable(info, entryOf(source, { schema, name }));
}

function entryOf({ tables }: SourceEntry, table: TableName) {
  return tables.find((one) => sameTable(one.table, table));
}

/** Returns a source. Undefined while loading and when it does not exist. */
export function useSource(name: string) {
  const { data, ...rest } = useSources();
  return { ...rest, data: data?.find((one) => one.name === name) };
}

export function useKnownNames() {
  const { headerPrefix } = useClient();
  const select = useCallback(
    ({ metadata }: MetadataExport): KnownNames => knownNames(metadata, headerPrefix),
    [headerPrefix],
  );
  return useMetadata(select);
}
